import type { Host } from '../../platform/host.js';
import type { SandboxAddress } from './address.js';
import { sandboxFiles } from './files.js';
import { readPublished } from './running-file.js';

/**
 * The running sandbox of this `PIT_HOME`, found without a round trip: under a millisecond. It may have just stopped; a
 * request that is refused a connection was not carried out, and calls for `ensureSandbox`.
 */
export function locate(host: Pick<Host, 'directories'>): SandboxAddress | undefined {
  return readPublished(sandboxFiles(host.directories).running);
}
