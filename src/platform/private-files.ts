import fs from 'node:fs';
import path from 'node:path';
import { Failure, shellWord, systemErrorCode, usage } from '../errors.js';

/** Mode bits that let the group or everyone else in. */
const OTHERS = 0o077;
/** Bits that let them write. */
const OTHERS_WRITE = 0o022;
/** In such a folder, like /tmp, users can move only their own files. */
const STICKY = 0o1000;

/**
 * Whether a file exists and is private: a plain file, in folders that only the user can enter. Every folder from `root`
 * down is checked, because whoever may write to a folder may replace what is in it. `root` itself may be a link, as people
 * link their configuration folders; nothing inside may be one.
 * @throws Failure `credentials` if it is open to others, another user's, a link, or cannot be checked
 */
export function isPrivateFile(root: string, relative: string): boolean {
  const file = path.join(root, relative);
  const found = statIfExists(file, fs.lstatSync);
  if (found === null) return false;
  if (!found.isFile()) throw notPlain(file, 'file');
  for (const folder of foldersBetween(root, relative)) requirePrivateFolder(root, folder);
  requirePrivate(file, found, FILE_MODE);
  return true;
}

/**
 * Makes a folder and its missing parents, all with mode 0700 whatever the umask. An existing one must be private. Only
 * `root` may be a link.
 * @throws Failure `credentials` for a folder open to others; Failure `usage` if it cannot be made
 */
export function makePrivateFolder(root: string, within = ''): void {
  const folder = path.join(root, within);
  if (statIfExists(folder, folder === root ? fs.statSync : fs.lstatSync) === null) {
    try {
      makeFolders(folder);
    } catch (thrown) {
      throw cannotWrite(folder, thrown);
    }
  }
  for (const above of foldersBetween(root, within)) if (above !== folder) requireUnchangeable(root, above);
  requirePrivateFolder(root, folder);
  requireUnmovable(root);
}

/**
 * Refuses a folder that another user owns, can write to or can replace. One that does not exist is not refused.
 * @throws Failure `credentials`
 */
export function requireOwnFolder(root: string): void {
  if (statIfExists(root, fs.statSync) === null) return;
  requireUnchangeable(root, root);
  requireUnmovable(root);
}

/**
 * Refuses a folder that another user could replace by another, because of the folders above it: up to the first that only
 * root or the user can change. Both ends of a link are checked.
 * @throws Failure `credentials`
 */
export function requireUnmovable(root: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  for (const start of new Set([root, fs.realpathSync(root)])) {
    for (let above = path.dirname(start); ; above = path.dirname(above)) {
      const found = statIfExists(above, fs.statSync);
      if (found === null) break;
      if (found.uid !== 0 && found.uid !== user) throw ofAnother(above);
      if ((found.mode & OTHERS_WRITE) === 0 || above === path.dirname(above)) break;
      if ((found.mode & STICKY) === 0) throw openToOthers(above, found.mode, 'go-w');
    }
  }
}

function foldersBetween(root: string, relative: string): string[] {
  const folders = [root];
  const parts = path.dirname(relative).split(path.sep);
  for (const part of parts) if (part !== '.') folders.push(path.join(folders.at(-1) ?? root, part));
  return folders;
}

function requirePrivateFolder(root: string, folder: string): void {
  requirePrivate(folder, plainFolder(root, folder), FOLDER_MODE);
}

/** Others may read it, but not change what is in it. */
function requireUnchangeable(root: string, folder: string): void {
  const { uid, mode } = plainFolder(root, folder);
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (uid !== user) throw ofAnother(folder);
  if ((mode & OTHERS_WRITE) !== 0) throw openToOthers(folder, mode, 'go-w');
}

function plainFolder(root: string, folder: string): fs.Stats {
  const found = statIfExists(folder, folder === root ? fs.statSync : fs.lstatSync);
  if (found === null || !found.isDirectory()) throw notPlain(folder, 'folder');
  return found;
}

function requirePrivate(target: string, found: fs.Stats, mode: number): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (found.uid !== user) throw ofAnother(target);
  if ((found.mode & OTHERS) !== 0) {
    throw openToOthers(target, found.mode, mode.toString(8));
  }
}

function ofAnother(target: string): Failure {
  return new Failure('credentials', `${target} belongs to another user.`, {
    hint: 'Run pit as its owner, or set PIT_HOME to a folder of your own.',
  });
}

function openToOthers(target: string, mode: number, fix: string): Failure {
  return new Failure('credentials', `${target} is open to other users (mode ${(mode & 0o777).toString(8)}).`, {
    hint: `Run: chmod ${fix} ${shellWord(target)}`,
  });
}

function statIfExists(target: string, stat: (target: string) => fs.Stats): fs.Stats | null {
  try {
    return stat(target);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return null;
    if (systemErrorCode(thrown) === 'ENOTDIR') throw notFolder(target);
    throw new Failure('credentials', `${target} cannot be checked (${systemErrorCode(thrown)}).`, {
      hint: 'Check who may enter the folders above it, or set PIT_HOME to a folder of your own.',
    });
  }
}

/** The failure for a path that leads through a file, as when PIT_HOME is a file. */
export function notFolder(target: string): Failure {
  let file = target;
  while (!['file', 'device'].includes(kindOf(file) ?? '') && file !== path.dirname(file)) file = path.dirname(file);
  const move = kindOf(file) === 'file' ? 'Move it away, or set' : 'Set';
  return new Failure('credentials', `${file} is not a folder.`, { hint: `${move} PIT_HOME to a folder of your own.` });
}

/** What is there; undefined if nothing is. A pipe counts as a device. */
function kindOf(target: string): 'folder' | 'file' | 'device' | undefined {
  try {
    const found = fs.statSync(target);
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'device';
  } catch {
    return undefined;
  }
}

function notPlain(target: string, what: 'file' | 'folder'): Failure {
  return new Failure('credentials', `${target} is not a plain ${what}; pit does not follow links here.`, {
    hint: `Put the ${what} itself in its place.`,
  });
}

/** The modes of what pit writes: for its user alone. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/**
 * Makes a folder and its missing parents with mode 0700 whatever the umask, which a recursive mkdir would apply. A folder that
 * exists gets this mode too. Throws what the system reports.
 */
export function makeFolders(folder: string): void {
  const above = path.dirname(folder);
  if (above !== folder && fs.statSync(above, { throwIfNoEntry: false }) === undefined) makeFolders(above);
  try {
    fs.mkdirSync(folder, FOLDER_MODE);
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'EEXIST' || !fs.statSync(folder).isDirectory()) throw thrown;
  }
  fs.chmodSync(folder, FOLDER_MODE);
}

/** Syncs a folder, because a new file name is durable only then. */
export function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Opens a file with mode 0600 whatever the umask, for writing. Throws what the system reports. The caller closes it. */
export function openPrivate(file: string, flags: 'w' | 'wx' | 'a'): number {
  const descriptor = fs.openSync(file, flags, FILE_MODE);
  try {
    fs.fchmodSync(descriptor, FILE_MODE);
    return descriptor;
  } catch (thrown) {
    fs.closeSync(descriptor);
    throw thrown;
  }
}

const WRITABLE_HOME = 'Check who may write there and that the disk has room, or set PIT_HOME to another folder.';

/** The failure for a file of pit that cannot be written. Its cause is left out: it may quote what was written. */
export function cannotWrite(file: string, thrown: unknown, hint = WRITABLE_HOME): Failure {
  return usage(`Cannot write ${file}: ${systemErrorCode(thrown)}.`, hint);
}
