import type { Host } from '../../platform/host.js';
import { isAlive, startStamp } from '../../platform/processes.js';
import { readRecord, removeFile, replacePrivate, type SandboxAddress, sandboxFiles } from './files.js';

/** Publishes a running sandbox to the other processes of its `PIT_HOME`. */
export function publish(file: string, address: SandboxAddress): void {
  replacePrivate(file, `${JSON.stringify({ ...address, started: startStamp(address.pid) })}\n`);
}

/** Undoes {@link publish}, unless another sandbox has published itself since. */
export function withdraw(file: string, address: SandboxAddress): void {
  if (isPublished(file, address)) removeFile(file);
}

/** Whether this sandbox is the published one. The token is new for every start. */
export function isPublished(file: string, address: SandboxAddress): boolean {
  return readRecord(file)?.adminToken === address.adminToken;
}

/**
 * The published sandbox, if its process seems to run. It is cheap: one small file and the process table. The sandbox may be
 * stopping, and on systems without process start times its id may have been reused.
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
 * The running sandbox of this `PIT_HOME`, found without a round trip. It may have just stopped: if a connection is refused, nothing
 * was executed, and `ensureSandbox` starts it.
 */
export function locate(host: Pick<Host, 'directories'>): SandboxAddress | undefined {
  return readPublished(sandboxFiles(host.directories).running);
}
