import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Directories } from '../../host.js';
import type { SandboxFiles } from './address.js';

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

/** Makes a folder that only its owner can enter, whatever the umask. */
export function makePrivateFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
}

/** Opens a file that only its owner can read or write, whatever the umask. `flags` as in `fs.open`. */
export function openPrivate(file: string, flags: 'w' | 'wx' | 'a'): number {
  const descriptor = openSync(file, flags, 0o600);
  fchmodSync(descriptor, 0o600);
  return descriptor;
}

/** Replaces a private file in one step: a reader sees the old text or the new one. */
export function replacePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  const descriptor = openPrivate(draft, 'w');
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
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
