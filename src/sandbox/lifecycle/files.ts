import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { Failure } from '../../errors.js';
import type { Directories } from '../../platform/files/directories.js';
import { readOwn } from '../../platform/files/private-files.js';
import { replaceFile } from '../../platform/files/replacement.js';
import type { Host } from '../../platform/host.js';
import { isAliveSince, startStamp } from '../../platform/programs/processes.js';
import type { Secrets } from '../accounts/accounts.js';
import type { Dialect } from '../server/interface-details.js';

/** The addresses and keys of a sandbox, as `pit sandbox serve` prints them. */
export interface SandboxAddress {
  /** Without `/data/v1`. */
  readonly baseUrl: string;
  /** Without `/api`. */
  readonly tradeUrl: string;
  /** The WebSocket of the streams. */
  readonly wsUrl: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly pid: number;
  readonly adminUrl: string;
  readonly adminToken: string;
}

/** The files of one sandbox. */
export interface SandboxFiles {
  readonly directory: string;
  /** Its address and process, from its start until its data are closed. */
  readonly running: string;
  /** The process that a command has started, until it serves: that command may die before. */
  readonly starting: string;
  /** What stays across starts and resets: {@link Settings}. */
  readonly settings: string;
  readonly log: string;
  /** The log of applied faults. */
  readonly faults: string;
  /** The folder of the exchange's own data. */
  readonly exchange: string;
}

/** The files of the sandbox of a `PIT_HOME`. */
export function sandboxFiles({ state }: Pick<Directories, 'state'>): SandboxFiles {
  return filesIn(path.join(state, 'sandbox'));
}

/** The files of a sandbox in this folder. */
export function filesIn(directory: string): SandboxFiles {
  return {
    directory,
    running: path.join(directory, 'running.json'),
    starting: path.join(directory, 'starting.json'),
    settings: path.join(directory, 'settings.json'),
    faults: path.join(directory, 'faults.ndjson'),
    log: path.join(directory, 'sandbox.log'),
    exchange: path.join(directory, 'exchange'),
  };
}

/** A file that passes data between a command of this process and the sandbox. */
export function transferFile(directories: Pick<Directories, 'state'>): string {
  return path.join(sandboxFiles(directories).directory, `state.transfer.${process.pid}`);
}

/** What stays across starts and resets. */
interface Settings {
  /** The keys of the first account. */
  readonly keys: Secrets;
  /** The last port of the interface; 0 before the first start. */
  readonly port: number;
  readonly dialect: Dialect;
}

/** The settings of a sandbox, with new keys if it has none yet. */
export function readSettings(file: string): Settings {
  const { keys, port = 0, dialect = 'document' } = (readRecord(file) ?? {}) as Partial<Settings>;
  return { keys: areSecrets(keys) ? keys : newKeys('sandbox'), port, dialect };
}

/** The access key of the first account; undefined before the first start. */
export function keptAccessKey(file: string): string | undefined {
  const { keys } = (readRecord(file) ?? {}) as Partial<Settings>;
  return areSecrets(keys) ? keys.accessKey : undefined;
}

function areSecrets(keys: Partial<Secrets> | undefined): keys is Secrets {
  const { accessKey, secretKey, safePwd, username } = keys ?? {};
  return [accessKey, secretKey, safePwd, username].every((text) => typeof text === 'string');
}

/** Writes the settings if they have changed. Throws what the system reports. */
export function keepSettings(file: string, settings: Settings): void {
  const text = `${JSON.stringify(settings)}\n`;
  if (text !== ownText(file)) replaceFile(file, text);
}

/** Play keys of an account. */
export function newKeys(username: string): Secrets {
  const safePwd = randomBytes(9).toString('base64url');
  return { accessKey: randomUUID(), secretKey: randomUUID(), safePwd, username };
}

const LONGEST_RECORD = 65_536;

/** Undefined if there is no such file, or it cannot be read. Throws Failure `credentials` if others can change or replace it. */
function ownText(file: string): string | undefined {
  try {
    return readOwn(file, LONGEST_RECORD).toString('utf8');
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    return undefined;
  }
}

/** The JSON object in a file; undefined if there is none. Throws as {@link ownText}. */
function readRecord(file: string): Readonly<Record<string, unknown>> | undefined {
  const text = ownText(file);
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Publishes a running sandbox to the other processes of its `PIT_HOME`. */
export function publish(file: string, address: SandboxAddress): void {
  replaceFile(file, `${JSON.stringify({ ...address, started: startStamp(address.pid) })}\n`);
}

/** Notes a process that will serve. Throws what the system reports. */
export function noteStarting(file: string, pid: number): void {
  replaceFile(file, `${JSON.stringify({ pid, started: startStamp(pid) })}\n`);
}

/** Whether the process that was noted still runs. Throws Failure `credentials` if others can change or replace the file. */
export function isStarting(file: string): boolean {
  const { pid, started } = (readRecord(file) ?? {}) as { pid?: unknown; started?: string | null };
  const isPid = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0;
  return isPid && isAliveSince(pid, started);
}

/** Undoes {@link publish}, unless another sandbox has published itself since. */
export function unpublish(file: string, address: SandboxAddress): void {
  if (isPublished(file, address)) rmSync(file, { force: true });
}

/** Whether this sandbox is the published one, as other processes see it. The token is new for every start. */
export function isPublished(file: string, address: SandboxAddress): boolean {
  try {
    return readRecord(file)?.adminToken === address.adminToken;
  } catch {
    // its folder was opened to others, who may have changed the file: no command would use it
    return false;
  }
}

/**
 * The published sandbox, if its process runs. It is cheap: one small file and the process table. The sandbox may be stopping,
 * and on systems that do not show when a process started, another program may have got its id.
 * @throws Failure `credentials` if others can change or replace the file
 */
export function readPublished(file: string): SandboxAddress | undefined {
  const { started, ...address } = (readRecord(file) ?? {}) as Partial<SandboxAddress> & { started?: string | null };
  return isAddress(address) && isAliveSince(address.pid, started) ? address : undefined;
}

function isAddress(record: Partial<SandboxAddress>): record is SandboxAddress {
  const { pid = 0, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd, adminUrl, adminToken } = record;
  const texts = [baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd, adminUrl, adminToken];
  return Number.isSafeInteger(pid) && pid > 0 && texts.every((text) => typeof text === 'string');
}

/**
 * The running sandbox of this `PIT_HOME`, found without a round trip. It may have just stopped: if a connection is refused, nothing
 * was executed, and `ensureSandbox` starts it.
 */
export function locate(host: Pick<Host, 'directories'>): SandboxAddress | undefined {
  return readPublished(sandboxFiles(host.directories).running);
}
