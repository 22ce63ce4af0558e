export { administer } from './admin-client.js';
export { resetSandbox, sandboxStatus, stopSandbox } from './control.js';
export { type EnsuredSandbox, ensureSandbox } from './ensure.js';
export type { SandboxAddress } from './files.js';
export { locate } from './running-file.js';

/*
 * What commands use to find and control the sandbox of a `PIT_HOME`. Running one in this process is in `start.js`, because it
 * loads the exchange.
 */
