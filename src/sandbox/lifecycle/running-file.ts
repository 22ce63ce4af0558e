import type { Host } from '../../platform/host.js';
import { isAlive, startStamp } from '../../platform/processes.js';
import { readRecord, removeFile, replacePrivate, type SandboxAddress, sandboxFiles } from './files.js';

/** Makes a sandbox that answers known to the other processes of its `PIT_HOME`. */
export function publish(file: string, address: SandboxAddress): void {
  replacePrivate(file, `${JSON.stringify({ ...address, started: startStamp(address.pid) })}\n`);
}

/** Removes what {@link publish} wrote, unless another sandbox has published itself since. */
export function withdraw(file: string, address: SandboxAddress): void {
  if (isPublished(file, address)) removeFile(file);
}

/** Whether this sandbox, and no other, is the one that is known. The token is new for every start. */
export function isPublished(file: string, address: SandboxAddress): boolean {
  return readRecord(file)?.adminToken === address.adminToken;
}

/**
 * The address of the sandbox that was last published, if its process seems to run: cheap, one small file and a look at
 * the process table. It may still be stopping, or (where the system shows no start times) have had its id reused.
 */
export function readPublished(file: string): SandboxAddress | undefined {
  const record = readRecord(file);
  const address = record === undefined ? undefined : readAddress(record);
  if (record === undefined || address === undefined || !isAlive(address.pid)) return undefined;
  const stamp = typeof record.started === 'string' ? startStamp(address.pid) : null;
  return stamp === null || stamp === record.started ? address : undefined;
}

function readAddress(record: Readonly<Record<string, unknown>>): SandboxAddress | undefined {
  const { pid, baseUrl, tradeUrl, accessKey, secretKey, safePwd, adminUrl, adminToken } = record;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof baseUrl !== 'string' || typeof tradeUrl !== 'string') return undefined;
  if (typeof accessKey !== 'string' || typeof secretKey !== 'string' || typeof safePwd !== 'string') return undefined;
  if (typeof adminUrl !== 'string' || typeof adminToken !== 'string') return undefined;
  const wsUrl = typeof record.wsUrl === 'string' ? record.wsUrl : null;
  return { baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd, pid, adminUrl, adminToken };
}

/**
 * The running sandbox of this `PIT_HOME`, found without a round trip: under a millisecond. It may have just stopped; a
 * request that is refused a connection was not carried out, and calls for `ensureSandbox`.
 */
export function locate(host: Pick<Host, 'directories'>): SandboxAddress | undefined {
  return readPublished(sandboxFiles(host.directories).running);
}
