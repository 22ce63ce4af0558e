import { getSystemErrorName } from 'node:util';

/** Why a disk did not take the data, and what helps. */
interface DiskTrouble {
  readonly reason: string;
  readonly fix: string;
}

const ELSEWHERE = 'set PIT_HOME to a folder that you can write to';

const TROUBLES: ReadonlyMap<string, DiskTrouble> = new Map([
  ['ENOSPC', { reason: 'the disk is full', fix: 'Free some space' }],
  ['EFBIG', { reason: 'a file has reached the size limit', fix: 'Raise the limit of file sizes (ulimit -f)' }],
  ['EDQUOT', { reason: 'the disk quota is used up', fix: 'Free some space, or have the quota raised' }],
  ['EROFS', { reason: 'the file system is read-only', fix: `Mount it for writing, or ${ELSEWHERE}` }],
  ['EACCES', { reason: 'permission denied', fix: `Take ownership of the folder, or ${ELSEWHERE}` }],
  ['EPERM', { reason: 'the operation is not permitted', fix: `Take ownership of the folder, or ${ELSEWHERE}` }],
  // also LMDB's code for a write that was cut short
  ['EIO', { reason: 'the disk is full or has an error', fix: `Free some space, check the disk, or ${ELSEWHERE}` }],
]);

const IN_THE_WAY: readonly string[] = ['ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'];

/** What is wrong with the disk; undefined for an error about something else. */
export function diskTrouble(thrown: unknown): DiskTrouble | undefined {
  const code = errorCode(thrown) ?? '';
  if (IN_THE_WAY.includes(code))
    return { reason: `the folder cannot be made (${code})`, fix: `Check what is there, or ${ELSEWHERE}` };
  return TROUBLES.get(code);
}

/** The system's name of an error, such as `ENOSPC`. LMDB gives the system's number instead, and negative ones of its own. */
function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const { code } = thrown;
  if (typeof code === 'string') return code;
  return typeof code === 'number' && Number.isInteger(code) && code > 0 ? getSystemErrorName(-code) : undefined;
}
