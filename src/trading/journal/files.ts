import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Failure, hasErrorCode, systemErrorCode, usage } from '../../errors.js';
import { openRegular, readTextBounded } from '../../platform/bounded-file.js';
import { FILE_MODE } from '../../platform/private-files.js';

/** No record is longer: that of a job which runs for a whole day is far shorter. */
const MAX_BYTES = 256 * 2 ** 20;

/** Whether a new file is on the disk when the call returns, or may be lost in a power failure, though not by a kill. */
type Durability = 'durable' | 'unsynced';

/** Creates a file from the text; false if one with that name exists. If it throws, there is none. */
export function create(file: string, text: string, durability: Durability): boolean {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.${process.hrtime.bigint()}`);
  try {
    write(draft, 'wx', text, durability);
    if (!linkExclusive(draft, file)) return false;
    if (durability === 'durable') removeOnFailure(file, () => syncFolder(path.dirname(file)));
    return true;
  } finally {
    ignoringDiskErrors(() => fs.rmSync(draft, { force: true }));
  }
}

/** Removes the new file if syncing fails. */
function removeOnFailure(file: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    ignoringDiskErrors(() => fs.rmSync(file, { force: true }));
    throw thrown;
  }
}

/** Removes drafts from before a time (ms since the Unix epoch). Their processes ended while they created a file. */
export function sweepDrafts(folder: string, before: number): void {
  for (const name of namesIn(folder).filter((one) => one.startsWith('.'))) {
    try {
      const draft = path.join(folder, name);
      if (isOlderThan(draft, before)) fs.rmSync(draft);
    } catch {
      // a draft that stays does no harm
    }
  }
}

/** Whether a file is unchanged since a time, in ms since the Unix epoch; false if that is unknown. */
export function isOlderThan(file: string, time: number): boolean {
  try {
    return fs.statSync(file).mtimeMs < time;
  } catch {
    return false;
  }
}

/** These flags never create the file. A missing file means that the write was settled, and a new one would be no record. */
const APPEND = fs.constants.O_WRONLY | fs.constants.O_APPEND;

/** Appends to an existing file with one system call. */
export function append(file: string, text: string): void {
  const descriptor = fs.openSync(file, APPEND);
  try {
    fs.writeSync(descriptor, text);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Appends to a file durably; creates it if it is missing. */
export function appendDurably(file: string, text: string): void {
  writeDurably(file, 'a', text);
}

/** Appends durably to an existing file; false if it is missing. */
export function appendIfExists(file: string, text: string): boolean {
  return ignoringMissing(() => writeDurably(file, APPEND, text));
}

/** Appends durably to an existing file, without blocking the process meanwhile. */
export async function appendDurablyAsync(file: string, text: string): Promise<void> {
  const handle = await fs.promises.open(file, APPEND);
  try {
    await handle.appendFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Moves the file; false if it is gone. */
export function moveIfExists(from: string, to: string): boolean {
  return ignoringMissing(() => fs.renameSync(from, to));
}

function ignoringMissing(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

/** The file's text; undefined if it is missing. Throws Failure `usage` if it cannot be read. */
export function readIfExists(file: string): string | undefined {
  return ifExists(file, () => readTextBounded(file, MAX_BYTES));
}

/** The bytes of a file from an offset on; none if it is missing. Throws Failure `usage` if it cannot be read. */
export function readFrom(file: string, offset: number): Buffer {
  const read = () => {
    const descriptor = openRegular(file);
    try {
      const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(descriptor).size - offset));
      return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, offset));
    } finally {
      fs.closeSync(descriptor);
    }
  };
  return ifExists(file, read) ?? Buffer.alloc(0);
}

/** The sorted names of the files in a folder; none if it is missing. Throws Failure `usage` if it cannot be read. */
export function namesIn(folder: string): string[] {
  return ifExists(folder, () => fs.readdirSync(folder).sort()) ?? [];
}

function ifExists<Value>(target: string, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw cannotRead(target, thrown);
  }
}

/** Runs work whose disk errors do not matter, because a later command repeats it. */
export function ignoringDiskErrors(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!hasErrorCode(thrown)) throw thrown;
  }
}

function cannotRead(target: string, thrown: unknown): Failure {
  const hint = 'Check who may read there, and that the disk is sound.';
  return usage(`${target} cannot be read (${systemErrorCode(thrown)}).`, hint);
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

function writeDurably(file: string, flags: 'a' | number, text: string): void {
  write(file, flags, text, 'durable');
}

function write(file: string, flags: 'wx' | 'a' | number, text: string, durability: Durability): void {
  const descriptor = fs.openSync(file, flags, FILE_MODE);
  try {
    fs.fchmodSync(descriptor, FILE_MODE);
    // one system call, so that lines of several processes never mix
    const bytes = Buffer.from(text);
    if (fs.writeSync(descriptor, bytes) < bytes.length)
      throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
    if (durability === 'durable') fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Links the draft: the file appears complete and never overwrites another. A file system without links gets a copy. */
function linkExclusive(draft: string, file: string): boolean {
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemErrorCode(thrown))) throw thrown;
    return copyExclusive(draft, file);
  }
}

function copyExclusive(draft: string, file: string): boolean {
  try {
    fs.copyFileSync(draft, file, fs.constants.COPYFILE_EXCL);
    // only to bring the copy to the disk
    removeOnFailure(file, () => appendDurably(file, '\n'));
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * The accounts that have a journal.
 * @param root `directories.state`
 * @throws Failure `usage` if that cannot be read
 */
export function accountsWithJournal(root: string): string[] {
  return namesIn(path.join(root, 'journal'));
}

/** The version of the records and archive lines that this code writes, as `v`. Those of 0.2.0 have none. */
export const VERSION = 2;

const SUM_LENGTH = 16;

/**
 * A value as a line of a journal file: a checksum and JSON, with the names that it has on the disk. It begins and ends with a
 * line feed of its own, so that a torn or damaged neighbour never makes it unreadable.
 */
export function encodeLine(value: object): string {
  const text = JSON.stringify(toDisk(value));
  return `\n${checksum(text)} ${text}\n`;
}

/**
 * The values of all complete lines. Damaged lines are skipped.
 * @throws Failure `usage` if a newer version of pit wrote one of them
 */
export function valuesIn(content: string): unknown[] {
  return content.split('\n').flatMap((line) => {
    const text = line.slice(SUM_LENGTH + 1);
    if (text === '' || line.slice(0, SUM_LENGTH) !== checksum(text)) return [];
    const value = JSON.parse(text) as { readonly v?: number };
    if ((value.v ?? 0) > VERSION) throw newerVersion();
    return [fromDisk(value)];
  });
}

/** The fields of a journal file that have another name in code. The disk keeps the names of the first version. */
const FIELDS = {
  intent: 'write',
  chosen: 'isUserChosenId',
  process: 'firstOwner',
  stamp: 'startStamp',
  place: 'machine',
  bid: 'bestBid',
  asked: 'expressions',
  left: 'isReleased',
  doubt: 'isUnanswered',
  runner: 'newOwner',
  late: 'isLate',
  verified: 'isRetained',
  fact: 'batchEvent',
} as const;

/** Values of `operation` and `kind` that have another name in code. */
const WORDS = {
  cancelOrder: 'cancel',
  orderMoreV2: 'batch',
  copied: 'duplicated',
  leaving: 'sending',
  stayed: 'notSent',
} as const;
const WORD_FIELDS = new Set(['operation', 'kind']);

/** Fields whose content is never renamed: it is the user's, or a long list of plain texts. */
const UNTOUCHED = new Set(['parameters', 'sums', 'lines', 'baseline']);

/** Returns the value with the names that it has on the disk. */
function toDisk(value: unknown): unknown {
  return renamed(value, TO_DISK);
}

/** Returns a value from the disk with the names that it has in code. */
function fromDisk(value: unknown): unknown {
  return renamed(value, FROM_DISK);
}

interface Names {
  readonly fields: ReadonlyMap<string, string>;
  readonly words: ReadonlyMap<unknown, string>;
}

const FROM_DISK: Names = { fields: new Map(Object.entries(FIELDS)), words: new Map(Object.entries(WORDS)) };
const TO_DISK: Names = { fields: inverse(FIELDS), words: inverse(WORDS) };

function inverse(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([disk, code]) => [code, disk]));
}

function renamed(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, content]) => {
    const field = names.fields.get(name) ?? name;
    if (UNTOUCHED.has(name)) return [field, content];
    if (WORD_FIELDS.has(name)) return [field, names.words.get(content) ?? content];
    return [field, renamed(content, names)];
  });
  return Object.fromEntries(entries);
}

/** The failure of reading a journal that a newer version of pit has written. */
export function newerVersion(): Failure {
  return usage('A newer version of pit wrote this journal.', 'Update pit. Nothing was sent.');
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUM_LENGTH);
}

const CHUNK = 65_536;
const LINE_FEED = 10;

/**
 * Yields the lines of a file, last first; none if there is no file. It reads on only when the caller asks for more, because
 * the newest lines are at the end and the file may be long. Throws Failure `usage` if the file cannot be read.
 */
export function* linesBackwards(file: string): Generator<string> {
  try {
    yield* linesFromEnd(file);
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') throw cannotRead(file, thrown);
  }
}

function* linesFromEnd(file: string): Generator<string> {
  const descriptor = openRegular(file);
  try {
    let [end, rest] = [fs.fstatSync(descriptor).size, Buffer.alloc(0)];
    while (end > 0) {
      const start = Math.max(0, end - CHUNK);
      const bytes = Buffer.concat([bytesOf(descriptor, start, end), rest]);
      // the text before the first line feed may be the end of a longer line
      const first = start === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
      const isPart = start > 0 && first === 0;
      if (!isPart) yield* linesIn(bytes.subarray(first)).reverse();
      rest = isPart ? bytes : bytes.subarray(0, Math.max(0, first - 1));
      end = start;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The bytes between two offsets; fewer if the file was truncated in the meantime. */
function bytesOf(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, start));
}

function linesIn(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n');
}

export type FilterField = 'id' | 'clientId' | 'operation' | 'market' | 'side' | 'coin';

/** Names and values that must occur somewhere in a line's JSON; `{}` matches every line. */
export type LineFilter = Readonly<Partial<Record<FilterField, string>>>;

/**
 * Whether a line's text contains everything in a filter. It is checked first because parsing is far slower. A line that
 * matches may still be about something else; a line that does not match is never needed.
 */
export function matchesAll(filter: LineFilter): (line: string) => boolean {
  const pairs = Object.entries(filter).map(([name, value]) => JSON.stringify(toDisk({ [name]: value })).slice(1, -1));
  return (line) => pairs.every((pair) => line.includes(pair));
}

/** Matches lines with a value that is not in `known`. The set may grow while lines are read. */
export function hasUnknown(name: FilterField, known: ReadonlySet<string>): (line: string) => boolean {
  const pattern = new RegExp(`"${name}":"([^"]*)"`, 'g');
  return (line) => [...line.matchAll(pattern)].some(([, value = '']) => !known.has(value));
}
