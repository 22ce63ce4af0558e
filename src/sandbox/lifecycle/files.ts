import { closeSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Directories } from '../../platform/host.js';
import { isAlive } from '../../platform/processes.js';
import { openPrivate } from '../disk.js';
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
