import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readTextBounded } from '../../platform/bounded-file.js';
import type { Directories } from '../../platform/directories.js';
import type { Host } from '../../platform/host.js';
import { isAlive, startStamp } from '../../platform/processes.js';
import { replaceFile } from '../../platform/replacement.js';

/** The addresses and keys of a sandbox, as `pit sandbox serve` prints them. */
export interface SandboxAddress {
  /** Without `/data/v1`. */
  readonly baseUrl: string;
  /** Without `/api`. */
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly pid: number;
  readonly adminUrl: string;
  readonly adminToken: string;
}

/** The keys of a sandbox's first account. They never change for a `PIT_HOME`. */
interface SandboxKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly username: string;
}

/** The files of one sandbox. */
export interface SandboxFiles {
  readonly directory: string;
  /** Exists while the sandbox is running. */
  readonly running: string;
  readonly keys: string;
  /** The last port of the interface. */
  readonly port: string;
  readonly log: string;
  /** What was chosen for this sandbox and stays. */
  readonly settings: string;
  /** The log of applied faults. */
  readonly faults: string;
  /** The exchange's own data. */
  readonly exchange: string;
}

/** The files of the sandbox of a `PIT_HOME`. */
export function sandboxFiles({ state }: Pick<Directories, 'state'>): SandboxFiles {
  return filesIn(path.join(state, 'sandbox'));
}

export function filesIn(directory: string): SandboxFiles {
  return {
    directory,
    running: path.join(directory, 'running.json'),
    keys: path.join(directory, 'keys.json'),
    port: path.join(directory, 'port.json'),
    faults: path.join(directory, 'faults.ndjson'),
    log: path.join(directory, 'sandbox.log'),
    settings: path.join(directory, 'settings.json'),
    exchange: path.join(directory, 'exchange'),
  };
}

/** A file that passes data between a command of this process and the sandbox. */
export function transferFile(directories: Pick<Directories, 'state'>): string {
  return path.join(sandboxFiles(directories).directory, `state.transfer.${process.pid}`);
}

const DRAFT = /\.(?:json|transfer)\.(\d{1,10})$/;

/** Removes the files of processes that were killed while they replaced a file or passed data. */
export function removeDrafts(directory: string): void {
  for (const name of readdirSync(directory)) {
    const [, pid] = DRAFT.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFile(path.join(directory, name));
  }
}

const LONGEST_RECORD = 65_536;

/** The JSON object in a file; undefined if there is none. */
export function readRecord(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readTextBounded(file, LONGEST_RECORD));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** The stored keys, which survive a reset, or new ones. */
export function keysOf(file: string): SandboxKeys {
  const { accessKey, secretKey, safePwd, username } = readRecord(file) ?? {};
  if (typeof accessKey === 'string' && typeof secretKey === 'string' && typeof safePwd === 'string') {
    return { accessKey, secretKey, safePwd, username: typeof username === 'string' ? username : USERNAME };
  }
  return {
    accessKey: randomUUID(),
    secretKey: randomUUID(),
    safePwd: randomBytes(9).toString('base64url'),
    username: USERNAME,
  };
}

const USERNAME = 'sandbox';

/** Stores the keys of the exchange's first account. */
export function keepKeys(file: string, { accessKey, secretKey, safePwd, username }: SandboxKeys): void {
  const text = `${JSON.stringify({ accessKey, secretKey, safePwd, username })}\n`;
  if (readRecord(file)?.secretKey !== secretKey) replaceFile(file, text);
}

/** Publishes a running sandbox to the other processes of its `PIT_HOME`. */
export function publish(file: string, address: SandboxAddress): void {
  replaceFile(file, `${JSON.stringify({ ...address, started: startStamp(address.pid) })}\n`);
}

/** Undoes {@link publish}, unless another sandbox has published itself since. */
export function unpublish(file: string, address: SandboxAddress): void {
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
