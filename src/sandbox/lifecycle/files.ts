import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Directories } from '../../platform/host.js';
import { isAlive } from '../../platform/processes.js';
import { openPrivate } from '../disk.js';

/** Where a sandbox is reached and with which keys: what `pit sandbox serve` prints. */
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

/** The keys of the account that a sandbox starts with. They stay the same for a `PIT_HOME`. */
export interface SandboxKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly username: string;
}

/** The files of one sandbox. */
export interface SandboxFiles {
  readonly directory: string;
  /** Written when the sandbox answers, removed when it stops. */
  readonly running: string;
  readonly keys: string;
  /** The port that the interface had last. */
  readonly port: string;
  readonly log: string;
  /** What faults on demand have done. */
  readonly faults: string;
  /** The exchange's own data. */
  readonly exchange: string;
}

/** The files of the sandbox that belongs to these directories, which is one for a `PIT_HOME`. */
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
    exchange: path.join(directory, 'exchange'),
  };
}

/** Replaces a private file in one step: a reader sees the old text or the new one. */
export function replacePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    const descriptor = openPrivate(draft, 'w');
    try {
      writeSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

const DRAFT = /\.json\.(\d{1,10})$/;

/** Removes the drafts of processes that were killed while they replaced a file. */
export function removeDrafts(directory: string): void {
  for (const name of readdirSync(directory)) {
    const [, pid] = DRAFT.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFile(path.join(directory, name));
  }
}

/** The JSON object in a file; undefined when there is no file or no whole object in it. */
export function readRecord(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** The keys of this folder, which outlive a reset; new ones when there are none yet. */
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

/** Keeps the keys that the exchange has, which are the stored ones where it was not empty. */
export function keepKeys(file: string, { accessKey, secretKey, safePwd, username }: SandboxKeys): void {
  const text = `${JSON.stringify({ accessKey, secretKey, safePwd, username })}\n`;
  if (readRecord(file)?.secretKey !== secretKey) replacePrivate(file, text);
}
