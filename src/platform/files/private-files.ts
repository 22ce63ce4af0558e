import fs from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { Failure, shellWord, systemErrorCode, usage } from '../../errors.js';
import { type FoundFile, NOT_REGULAR, openFound, readAndClose, readTextBounded } from './bounded-file.js';

/** Mode bits that let the group or everyone else in. */
const OTHERS = 0o077;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o022;
/** In such a folder, like /tmp, users can move only their own files. */
const STICKY = 0o1000;

/** So long a check of the folders above pit's own holds, in seconds. */
const REMEMBERED_S = 1;

/** As many links in one path as Linux follows. */
const MOST_LINKS = 40;

/*
 * Who may write to a folder may replace what is in it, folders included. So each folder from the root of the file system down to
 * a file has to be root's or the user's, and closed to others. They are checked in that order: no other user can then move what was
 * checked, and the name that is opened leads to it.
 */

/**
 * Opens a private file for reading: a plain file that only the user can read, in folders that only the user can enter, none of
 * which another user can move. `root` itself may be a link, as people link their configuration folders; nothing inside may be
 * one. Returns undefined if there is no such file. The caller closes the descriptor.
 * @throws Failure `credentials` if it is open to others, another user's, a link, or cannot be checked
 */
function openPrivateFile(root: string, relative: string): FoundFile | undefined {
  const folder = privateFolder(root, path.dirname(relative));
  if (folder === undefined) return undefined;
  const file = path.join(root, relative);
  const opened = openPlain(path.join(folder, path.basename(relative)), file);
  if (opened !== undefined) closedIfRefused(opened, (found) => requirePrivate(file, found, FILE_MODE));
  return opened;
}

/** Whether there is such a file as {@link readPrivate} reads. Throws as it does. */
export function isPrivateFile(root: string, relative: string): boolean {
  const opened = openPrivateFile(root, relative);
  if (opened !== undefined) fs.closeSync(opened.descriptor);
  return opened !== undefined;
}

/**
 * The bytes of a private file, undefined if there is none: what was checked is what is read. Throws as {@link openPrivateFile},
 * `UnboundedFile` for more than `max` bytes, and the system's error if it cannot be read.
 */
export function readPrivate(root: string, relative: string, max: number): Buffer | undefined {
  const opened = openPrivateFile(root, relative);
  return opened && readAndClose(opened, max);
}

/** The bytes of a file that others may read, but not change or replace. Throws as {@link openOwn}, and for more than `max` bytes. */
export function readOwn(file: string, max: number): Buffer {
  requireOwnFolder(path.dirname(file));
  return readAndClose(openOwn(file), max);
}

/**
 * The bytes of a file that the user has named and that only the user or root can change or replace. It may be a link. Throws Failure
 * `credentials` if others can, `UnboundedFile` for more than `max` bytes, and the system's error if it cannot be read.
 */
export function readUnchangeable(file: string, max: number): Buffer {
  const real = fs.realpathSync(file);
  for (const one of [file, real]) resolveUnmovable(path.dirname(one));
  const opened = openUnlinked(real);
  closedIfRefused(opened, (found) => {
    requireUserOrRoot(real, found);
    if (mayOthersWrite(found)) throw openToOthers(real, found, 'go-w');
  });
  return readAndClose(opened, max);
}

/**
 * Opens a file for reading that only the user can change, in a folder that was checked. Throws Failure `credentials` if others
 * can change it or it is a link, and the system's error if it cannot be opened. The caller closes the descriptor.
 */
export function openOwn(file: string): FoundFile {
  const opened = openUnlinked(file);
  closedIfRefused(opened, (found) => {
    requireOwner(file, found);
    if (mayOthersWrite(found)) throw openToOthers(file, found, 'go-w');
  });
  return opened;
}

/** Checks an open file. Closes it if the check throws. */
function closedIfRefused({ descriptor, found }: FoundFile, check: (found: fs.Stats) => void): void {
  try {
    check(found);
  } catch (thrown) {
    fs.closeSync(descriptor);
    throw thrown;
  }
}

/**
 * Makes a folder and its missing parents, all with mode 0700 whatever the umask. An existing one must be private. Only
 * `root` may be a link.
 * @throws Failure `credentials` for a folder open to others; Failure `usage` if it cannot be made
 */
export function makePrivateFolder(root: string, within = ''): void {
  const folder = path.join(root, within);
  // before anything is made in a place that is refused
  if (privateFolder(root, within) === undefined) {
    try {
      makeFolders(folder);
    } catch (thrown) {
      throw cannotWrite(folder, thrown);
    }
    // another user may have made it in between, in a folder like /tmp
    if (privateFolder(root, within) === undefined) throw notPlain(folder, 'folder');
  }
  if (within === '') requirePrivateFolder(root);
}

/**
 * Refuses a folder that another user owns, can write to or can replace, and below it, one that others can enter. One that does
 * not exist is not refused, unless it would be made in such a folder.
 * @throws Failure `credentials`
 */
export function requireOwnFolder(root: string, within = ''): void {
  privateFolder(root, within);
}

/**
 * Makes a folder and its missing parents, for the user alone. Throws as {@link requireOwnFolder}, or what the system reports; a
 * folder that is refused is not changed.
 */
export function makeOwnFolder(folder: string): void {
  requireOwnFolder(folder);
  makeFolders(folder);
  // another user may have made it in between, in a folder like /tmp
  requireOwnFolder(folder);
}

/** Refuses a folder that others can enter, as well. @throws Failure `credentials` */
export function requirePrivateFolder(root: string): void {
  const folder = privateFolder(root, '');
  if (folder !== undefined) requirePrivate(root, statOf(folder), FOLDER_MODE);
}

/**
 * Where a folder really is; undefined if it does not exist. It and all folders above it are checked: none may be another user's,
 * nor may others be able to replace what is in one. So no other user can put another folder in its place.
 * @throws Failure `credentials`
 */
export function resolveUnmovable(target: string): string | undefined {
  const { root } = path.parse(path.resolve(target));
  requireUnmovable(root, statOf(root));
  return resolveBelow(root, target);
}

/** The same below a folder that was checked and is where its name says. */
function resolveBelow(above: string, target: string): string | undefined {
  const visit = (part: string, found: fs.Stats) => {
    if (found.isSymbolicLink()) return requireUserOrRoot(part, found);
    if (!found.isDirectory()) throw notFolder(part);
    requireUnmovable(part, found);
  };
  const { real, exists } = followPath(target, visit, above);
  return exists ? real : undefined;
}

/**
 * Refuses a place where another user can put something while nothing is there, such as the socket of a server: the folder has to exist,
 * and it and all folders above have to be the user's or root's and closed to others' writing.
 * @throws Failure `credentials`
 */
export function requireUnwritablePlace(target: string): void {
  const { real } = followPath(target, (part, found) => {
    if (found.isSymbolicLink()) requireUserOrRoot(part, found);
    else if (found.isDirectory()) requireUnmovable(part, found);
  });
  const folder = path.dirname(real);
  // also a sticky one, such as /tmp
  if (mayOthersWrite(statOf(folder))) throw openToOthers(folder, statOf(folder), 'go-w');
}

/**
 * Where a path leads through links, also if nothing is there yet. Shows each part below the root, links too, before it goes on, in the
 * order in which the system takes them. Throws Failure `credentials` if a part cannot be checked, and what `visit` throws.
 * @param above a folder on the way without links, whose own parts are not shown
 */
export function followPath(
  target: string,
  visit: (part: string, found: fs.Stats) => void,
  above = path.parse(path.resolve(target)).root,
): { readonly real: string; readonly exists: boolean } {
  const { root } = path.parse(above);
  const rest = partsOf(path.relative(above, target));
  let folder = above;
  for (let links = 0; ; ) {
    const name = rest.shift();
    if (name === undefined) return { real: folder, exists: true };
    // of a link: all folders above are known and are no links
    const next = path.join(folder, name);
    if (name === '..') {
      folder = next;
      continue;
    }
    const found = statIfExists(next);
    if (found === null) return { real: path.join(next, ...rest), exists: false };
    visit(next, found);
    if (!found.isSymbolicLink()) {
      folder = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw cannotCheck(target, 'ELOOP');
    const link = fs.readlinkSync(next);
    rest.unshift(...partsOf(link));
    if (path.isAbsolute(link)) folder = root;
  }
}

/** Where a folder really is, and when the first of the folders above it was checked, in seconds of this process. */
interface Checked {
  readonly folder: string;
  readonly at: number;
}

const checked = new Map<string, Checked>();

/**
 * As {@link resolveUnmovable}, for each folder on the way at most once a second: a single order needs more than thirty such checks, of
 * folders side by side. The result cannot become wrong by itself: only the user and root can change a folder that others cannot write.
 * Folders of pit are checked each time.
 */
function resolveRoot(root: string): string | undefined {
  // the clock of `performance` takes Node a millisecond to load
  const now = process.uptime();
  return (rememberedAt(root, now) ?? resolveOnce(path.resolve(root), now))?.folder;
}

function resolveOnce(target: string, now: number): Checked | undefined {
  const before = rememberedAt(target, now);
  if (before !== undefined) return before;
  const found = resolveAgain(target, now);
  if (found !== undefined) checked.set(target, found);
  return found;
}

function resolveAgain(target: string, now: number): Checked | undefined {
  const { root, dir, base } = path.parse(target);
  if (target === root) {
    requireUnmovable(root, statOf(root));
    return { folder: root, at: now };
  }
  const above = resolveOnce(dir, now);
  if (above === undefined) return undefined;
  const folder = resolveBelow(above.folder, path.join(above.folder, base));
  return folder === undefined ? undefined : { folder, at: above.at };
}

function rememberedAt(target: string, now: number): Checked | undefined {
  const before = checked.get(target);
  const age = now - (before?.at ?? Number.NEGATIVE_INFINITY);
  return age >= 0 && age < REMEMBERED_S ? before : undefined;
}

function partsOf(target: string): string[] {
  return target.split(path.sep).filter((part) => part !== '' && part !== '.');
}

/** Where a private folder within `root` really is; undefined if it does not exist. The root is the user's, but others may read it. */
function privateFolder(root: string, within: string): string | undefined {
  let folder = resolveRoot(root);
  const found = folder === undefined ? null : statIfExists(folder);
  if (folder === undefined || found === null) return undefined;
  requireOwner(root, found);
  // pit makes it without any group
  if (process.geteuid !== undefined && (found.mode & OTHERS_WRITE) !== 0) throw openToOthers(root, found, 'go-w');
  const isRootReal = folder === root;
  let shown = root;
  for (const part of partsOf(within)) {
    folder = path.join(folder, part);
    shown = isRootReal ? folder : path.join(shown, part);
    const inside = statIfExists(folder);
    if (inside === null) return undefined;
    if (!inside.isDirectory()) throw inside.isSymbolicLink() ? notPlain(shown, 'folder') : notFolder(shown);
    requirePrivate(shown, inside, FOLDER_MODE);
  }
  return folder;
}

function openUnlinked(file: string): FoundFile {
  try {
    return openFound(file, fs.constants.O_NOFOLLOW);
  } catch (thrown) {
    throw ['ELOOP', 'EMLINK'].includes(systemErrorCode(thrown)) ? notPlain(file, 'file') : thrown;
  }
}

/** @param shown the name for messages */
function openPlain(file: string, shown: string): FoundFile | undefined {
  try {
    return openFound(file, fs.constants.O_NOFOLLOW);
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENOENT') return undefined;
    // a link, a socket, and what is no regular file
    if (['ELOOP', 'EMLINK', 'ENXIO', NOT_REGULAR].includes(code)) throw notPlain(shown, 'file');
    // of another user, or one that its owner may not read
    const found = statIfExists(file);
    if (found !== null) requirePrivate(shown, found, FILE_MODE);
    throw cannotCheck(shown, code);
  }
}

function requirePrivate(target: string, found: fs.Stats, mode: number): void {
  requireOwner(target, found);
  if (process.geteuid !== undefined && (found.mode & OTHERS) !== 0) throw openToOthers(target, found, mode.toString(8));
}

function requireOwner(target: string, { uid }: fs.Stats): void {
  if (process.geteuid !== undefined && uid !== process.geteuid()) throw ofAnother(target);
}

function requireUserOrRoot(target: string, found: fs.Stats): void {
  if (isOfAnother(found)) throw ofAnother(target);
}

/** Whether it belongs to a user who is neither this one nor root. */
export function isOfAnother(found: fs.Stats): boolean {
  return process.geteuid !== undefined && found.uid !== process.geteuid() && !isRoots(found);
}

function requireUnmovable(folder: string, found: fs.Stats): void {
  requireUserOrRoot(folder, found);
  // in a sticky folder, only the owner of what is in it can move it, and the next step checks who that is
  if (mayOthersWrite(found) && (found.mode & STICKY) === 0) throw openToOthers(folder, found, 'go-w');
}

/** Whether others can write to it. A group whose id is that of the user has no other member, as most systems set users up. */
function mayOthersWrite({ mode, gid }: fs.Stats): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  const isPrivateGroup = gid === user || gid === 0;
  return (mode & (isPrivateGroup ? OTHERS_WRITE & ~GROUP_WRITES : OTHERS_WRITE)) !== 0;
}

/** The owner of what belongs to a user whom this namespace does not know. */
const UNMAPPED = 65_534;
const LONGEST_MAP = 65_536;

/** Whether it is root's. In a user namespace of one user, as agents are run in, the root of the machine has no id. */
function isRoots({ uid }: fs.Stats): boolean {
  return uid === 0 || (uid === UNMAPPED && isRootUnmapped());
}

function isRootUnmapped(): boolean {
  try {
    // inside id, outside id, how many; of all users only one that is not root is known
    const map = readTextBounded('/proc/self/uid_map', LONGEST_MAP).trim();
    const [inside, outside, count, ...more] = map.split(/\s+/).map(Number);
    return more.length === 0 && count === 1 && outside !== 0 && inside !== UNMAPPED;
  } catch {
    return false;
  }
}

function ofAnother(target: string): Failure {
  const own = folderForHome(target);
  return new Failure('credentials', `${target} belongs to another user.`, {
    hint: ['Run pit as its owner, or set PIT_HOME to a folder of your own.', ...(own === undefined ? [] : [own])],
  });
}

/** How to use a folder of this user, whose home may not be that of HOME: sudo keeps that in some systems. */
function folderForHome(refused: string): string | undefined {
  try {
    const { homedir } = userInfo();
    const isRefused = `${homedir}${path.sep}`.startsWith(`${refused}${path.sep}`);
    return isRefused ? undefined : `Run: export PIT_HOME=${shellWord(path.join(homedir, '.pit'))}`;
  } catch {
    // a user without a name, as in some containers
    return undefined;
  }
}

/** A folder of root, like /tmp, is open on purpose: others may write there, but not move what is not theirs. */
function openToOthers(target: string, { mode, uid }: fs.Stats, fix: string): Failure {
  const isMine = uid === process.geteuid?.();
  return new Failure('credentials', `${target} is open to other users (mode ${(mode & 0o777).toString(8)}).`, {
    hint: `Run: ${isMine ? `chmod ${fix}` : 'sudo chmod +t'} ${shellWord(target)}`,
  });
}

function cannotCheck(target: string, code: string): Failure {
  return new Failure('credentials', `${target} cannot be checked (${code}).`, {
    hint: 'Check who may enter the folders above it, or set PIT_HOME to a folder of your own.',
  });
}

function statOf(target: string): fs.Stats {
  const found = statIfExists(target);
  if (found === null) throw cannotCheck(target, 'ENOENT');
  return found;
}

function statIfExists(target: string): fs.Stats | null {
  try {
    return fs.lstatSync(target, { throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    throw cannotCheck(target, systemErrorCode(thrown));
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
