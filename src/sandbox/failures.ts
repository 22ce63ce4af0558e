import { getSystemErrorName } from 'node:util';
import { Failure, suggest } from '../errors.js';

/** Data of an exchange that this version cannot read. */
export class UnreadableStore extends Error {
  override readonly name = 'UnreadableStore';
}

/** Why a disk does not take data, by the system's name of the error. */
const DISK_TROUBLE: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'a file has reached the size limit'],
  // LMDB's code for a write that was cut short
  ['EIO', 'the disk is full or has an error'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOENT', 'the folder cannot be made'],
  ['ENOTDIR', 'the folder cannot be made'],
  ['EISDIR', 'a folder has the name of one of its files'],
]);

/** What is wrong with the disk, in words; undefined for an error about something else. */
export function diskTrouble(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  // NotWritten has the system's error as its cause
  if (!('code' in thrown)) return diskTrouble(thrown.cause);
  const { code } = thrown;
  // LMDB gives the number of a system's error instead of its name, and negative numbers of its own
  const isNumber = typeof code === 'number' && Number.isInteger(code) && code > 0;
  return DISK_TROUBLE.get(isNumber ? getSystemErrorName(-code) : String(code));
}

/** How to get rid of data that cannot be read. */
export const RESET = suggest(
  'Start an empty exchange, without the orders and balances of this one',
  'sandbox',
  'reset',
);

/**
 * Runs work that needs the folder of a sandbox. Throws {@link Failure} `unreachable`, with what to do, if the disk fails or the
 * data cannot be read.
 */
export async function keepingData<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof UnreadableStore)
      throw new Failure('unreachable', `The sandbox cannot read its data: ${cause.message}`, { hint: RESET, cause });
    const trouble = diskTrouble(cause);
    if (trouble === undefined || cause instanceof Failure) throw cause;
    throw new Failure('unreachable', `The sandbox cannot keep its data in ${directory}: ${trouble}`, {
      hint: 'Correct that, or set PIT_HOME to a folder that you can write to, then run it again.',
      cause,
    });
  }
}
