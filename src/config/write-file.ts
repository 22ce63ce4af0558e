import fs from 'node:fs';
import { codeOf, type Failure, usage } from '../errors.js';

/** The modes of what pit writes: for its user alone. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Replaces a file in one step: a reader sees the old text or the new one. Throws what the system reports. */
export function replaceFile(file: string, content: string | Uint8Array, mode = FILE_MODE): void {
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, content, { mode });
    fs.chmodSync(temporary, mode);
    fs.renameSync(temporary, file);
  } catch (thrown) {
    fs.rmSync(temporary, { force: true });
    throw thrown;
  }
}

const WRITABLE_HOME = 'Check who may write there and that the disk has room, or set PIT_HOME to another folder.';
const WRITABLE_OUTPUT = 'Give a file in a folder that you can write to, with room for it.';

/** The failure for a file of pit that cannot be written. Its cause is left out: it may quote what was written. */
export function cannotWrite(file: string, thrown: unknown, hint = WRITABLE_HOME): Failure {
  return usage(`Cannot write ${file}: ${codeOf(thrown)}.`, hint);
}

/** The failure for a file that the user named and that cannot be written. */
export function cannotWriteOutput(file: string, thrown: unknown): Failure {
  return cannotWrite(file, thrown, WRITABLE_OUTPUT);
}
