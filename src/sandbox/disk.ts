import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { getSystemErrorName } from 'node:util';

/** What a disk that does not take the data says, and what helps. */
interface DiskTrouble {
  readonly reason: string;
  readonly fix: string;
}

const ELSEWHERE = 'set PIT_HOME to a folder that you can write to';

const TROUBLES: ReadonlyMap<string, DiskTrouble> = new Map([
  ['ENOSPC', { reason: 'the disk is full', fix: 'Free some space' }],
  ['EFBIG', { reason: 'a file may not grow any more', fix: 'Lift the limit of file sizes (ulimit -f)' }],
  ['EDQUOT', { reason: 'the disk quota is used up', fix: 'Free some space, or have the quota raised' }],
  ['EROFS', { reason: 'the file system is read-only', fix: `Mount it for writing, or ${ELSEWHERE}` }],
  ['EACCES', { reason: 'permission denied', fix: `Have the folder made yours, or ${ELSEWHERE}` }],
  ['EPERM', { reason: 'the operation is not permitted', fix: `Have the folder made yours, or ${ELSEWHERE}` }],
  // LMDB's name for a write that was cut short, too
  ['EIO', { reason: 'the disk is full or has an error', fix: `Free some space, check the disk, or ${ELSEWHERE}` }],
  ...['ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'].map(
    (code) =>
      [code, { reason: `there can be no such folder (${code})`, fix: `See what is there, or ${ELSEWHERE}` }] as const,
  ),
]);

/** What a thrown error tells of the disk; undefined when it is about something else. */
export function diskTrouble(thrown: unknown): DiskTrouble | undefined {
  return TROUBLES.get(errorCode(thrown) ?? '');
}

/** The system's short name of an error, as `ENOSPC`. LMDB gives the system's number instead, and its own below zero. */
function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const { code } = thrown;
  if (typeof code === 'string') return code;
  return typeof code === 'number' && Number.isInteger(code) && code > 0 ? getSystemErrorName(-code) : undefined;
}

/**
 * Makes a folder that only its owner can enter, whatever the umask, and what is missing above it. One folder after the
 * other: a recursive mkdir tries forever where the file system says of a folder that is there that nothing can be made
 * in it because it is not (Linux's /proc), and the umask would cut the mode of the folders on the way.
 */
export function makePrivateFolder(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    const above = path.dirname(directory);
    if (statSync(above, { throwIfNoEntry: false }) === undefined && above !== directory) makePrivateFolder(above);
    makeFolder(directory);
  }
  chmodSync(directory, 0o700);
}

function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, 0o700);
  } catch (error) {
    // another process made it meanwhile, or something else has taken its place
    if (errorCode(error) !== 'EEXIST' || !statSync(directory).isDirectory()) throw error;
  }
}

/** Opens a file that only its owner can read or write, whatever the umask. `flags` as in `fs.open`. */
export function openPrivate(file: string, flags: 'w' | 'wx' | 'a'): number {
  const descriptor = openSync(file, flags, 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
