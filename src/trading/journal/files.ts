import fs from 'node:fs';
import path from 'node:path';
import { Failure, hasErrorCode, systemErrorCode, usage } from '../../errors.js';
import { readAndClose } from '../../platform/files/bounded-file.js';
import { cannotWrite, FILE_MODE, openOwn, syncFolder } from '../../platform/files/private-files.js';
import { DRAFT_ENDING, replaceFile } from '../../platform/files/replacement.js';

/** No record is longer: that of a job which runs for a whole day is far shorter. */
const MAX_BYTES = 256 * 2 ** 20;

/** Begins the name of what is not a record: a draft, the link of a claim, or what was kept of a sum. */
export const HIDDEN = '.';

/**
 * Makes a file with its content, whole or not at all. If it throws, the file may be there, but not durably.
 * @param isDurable whether it survives a power failure once the call returns; it survives the end of this process in any case
 */
export function create(file: string, content: string | Uint8Array, isDurable: boolean): void {
  replaceFile(file, content, { isDurable });
  // the new name is on the disk only then
  if (isDurable) syncFolder(path.dirname(file));
}

/** These flags never create the file. A missing record means that its write was settled, and a new one would be no record. */
const EXISTING = fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW;

/** Appends to an existing file. */
export function append(file: string, text: string): void {
  write(file, EXISTING, text, false);
}

/** Appends to a file durably; creates it if it is missing. */
export function appendDurably(file: string, text: string): void {
  write(file, EXISTING | fs.constants.O_CREAT, text, true);
}

/** Appends durably to an existing file; false if it is missing. */
export function appendIfExists(file: string, text: string): boolean {
  return ignoringMissing(() => write(file, EXISTING, text, true));
}

/** Appends durably to an existing file, without blocking the process meanwhile. */
export async function appendDurablyAsync(file: string, text: string): Promise<void> {
  const handle = await fs.promises.open(file, EXISTING);
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

/** Whether the file that the work needs was there. Throws any other error of the system. */
export function ignoringMissing(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

function write(file: string, flags: number, text: string, isDurable: boolean): void {
  const descriptor = fs.openSync(file, flags, FILE_MODE);
  try {
    fs.fchmodSync(descriptor, FILE_MODE);
    // one system call, so that lines of several processes never mix
    const bytes = Buffer.from(text);
    if (fs.writeSync(descriptor, bytes) < bytes.length)
      throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
    if (isDurable) fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Removes a file or a link, also one to nothing. Throws the system's error. */
export function removeLink(link: string): void {
  // rmSync leaves a link to nothing in some versions of Node 24 (nodejs/node#61020)
  fs.unlinkSync(link);
}

/** Removes what killed processes left beside records before a time (ms since the Unix epoch): drafts, and links of records that are gone. */
export function sweepLeftovers(folder: string, before: number): void {
  ignoringDiskErrors(() => {
    const names = new Set(fs.readdirSync(folder));
    for (const name of names) {
      const [beginning, record = ''] = name.split(HIDDEN);
      const isLink = names.has(record) && !name.endsWith(DRAFT_ENDING);
      if (beginning !== '' || isLink) continue;
      const leftover = path.join(folder, name);
      if (fs.lstatSync(leftover).mtimeMs < before) removeLink(leftover);
    }
  });
}

/** The file's text; undefined if it is missing. Throws Failure `usage` if it cannot be read, and `credentials` if others can change it. */
export function readIfExists(file: string): string | undefined {
  return readBytesIfExists(file)?.toString('utf8');
}

/** The file's bytes, as {@link readIfExists}. */
export function readBytesIfExists(file: string): Buffer | undefined {
  return ifExists(file, () => readAndClose(openOwn(file), MAX_BYTES));
}

/** The sorted names of the records in a folder; none if it is missing. Throws Failure `usage` if it cannot be read. */
export function namesIn(folder: string): string[] {
  const names = ifExists(folder, () => fs.readdirSync(folder)) ?? [];
  return names.filter((name) => !name.startsWith(HIDDEN)).sort();
}

/** The size of a file in bytes; 0 if it is missing. Throws Failure `usage` if it cannot be read. */
export function sizeOf(file: string): number {
  return ifExists(file, () => fs.statSync(file).size) ?? 0;
}

function ifExists<Value>(target: string, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown instanceof Failure ? thrown : cannotRead(target, thrown);
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

/** Runs work that changes a file. Throws Failure `usage` if the disk fails. */
export function orCannotWrite<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : cannotWrite(file, thrown);
  }
}

function cannotRead(target: string, thrown: unknown): Failure {
  const hint = 'Check who may read there, and that the disk is sound.';
  return usage(`${target} cannot be read (${systemErrorCode(thrown)}).`, hint);
}

/**
 * The accounts that have a journal.
 * @param root `directories.state`
 * @throws Failure `usage` if that cannot be read
 */
export function accountsWithJournal(root: string): string[] {
  return namesIn(path.join(root, 'journal'));
}

/** A value as a line of JSON. It begins with a line feed too, so that it is whole even if the line before it was cut off. */
export function encodeLine(value: object): string {
  return `\n${JSON.stringify(value)}\n`;
}

/** The value of a line; undefined for one that is empty or was cut off. */
export function valueInLine(line: string): object | undefined {
  // every second line is empty, and to be told so by an error of the parser takes far longer
  if (line === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The values of all lines but those that were cut off. */
export function valuesIn(content: string): object[] {
  return content.split('\n').flatMap((line) => valueInLine(line) ?? []);
}

const CHUNK = 65_536;
const LINE_FEED = 10;

/** A part of a file, in bytes. It begins where a line does. */
interface Part {
  readonly from: number;
  /** Absent: to the end. */
  readonly to?: number;
}

/**
 * Yields the lines of a file, last first; none if there is no file. What is after the last line feed counts as a line, even if it is empty.
 * It reads on only when the caller asks for more, because the newest lines are at the end and the file may be long. Throws Failure `usage`
 * if the file cannot be read.
 * @param texts lines that contain not all of these may be left out: a long file is searched far faster than it is split
 */
export function* linesBackwards(
  file: string,
  part: Part = { from: 0 },
  texts: readonly string[] = [],
): Generator<string> {
  try {
    yield* linesFromEnd(file, part, texts);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return;
    throw thrown instanceof Failure ? thrown : cannotRead(file, thrown);
  }
}

function* linesFromEnd(file: string, { from, to }: Part, texts: readonly string[]): Generator<string> {
  const { descriptor, found } = openOwn(file);
  try {
    // one chunk for the whole file: the memory of many would be collected again and again
    const chunk = Buffer.alloc(CHUNK);
    // the bytes after the chunk that belong to its last line
    let rest = Buffer.alloc(0);
    for (let end = to ?? found.size; end > from; end -= CHUNK) {
      const start = Math.max(from, end - CHUNK);
      // fewer bytes if the file was truncated in the meantime
      const bytes = chunk.subarray(0, fs.readSync(descriptor, chunk, 0, end - start, start));
      const firstFeed = bytes.indexOf(LINE_FEED);
      const lastFeed = bytes.lastIndexOf(LINE_FEED);
      const lastLine = Buffer.concat([bytes.subarray(lastFeed + 1), rest]);
      rest = lastLine;
      if (lastFeed === -1) continue;
      yield lastLine.toString('utf8');
      const lines = bytes.subarray(firstFeed, lastFeed);
      if (lines.length > 0 && texts.every((text) => lines.includes(text)))
        yield* bytes
          .toString('utf8', firstFeed + 1, lastFeed)
          .split('\n')
          .reverse();
      rest = Buffer.from(bytes.subarray(0, firstFeed));
    }
    yield rest.toString('utf8');
  } finally {
    fs.closeSync(descriptor);
  }
}

/** A whole line of a file, and where it begins and the next one does, in bytes. */
interface PlacedLine {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

/**
 * Yields the lines of a file that end with a line feed, from an offset on; none if there is no file. It reads on only when the caller asks
 * for more. Throws Failure `usage` if the file cannot be read.
 * @param atOnce how much is read at once, in bytes
 */
export function* linesForwards(file: string, from: number, atOnce = CHUNK): Generator<PlacedLine> {
  try {
    yield* linesFromStart(file, from, atOnce);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return;
    throw thrown instanceof Failure ? thrown : cannotRead(file, thrown);
  }
}

function* linesFromStart(file: string, from: number, atOnce: number): Generator<PlacedLine> {
  const { descriptor } = openOwn(file);
  try {
    const chunk = Buffer.alloc(atOnce);
    // the beginning of a line that goes on in the next chunk
    let rest = Buffer.alloc(0);
    let offset = from;
    for (let position = from; ; ) {
      const read = fs.readSync(descriptor, chunk, 0, atOnce, position);
      if (read === 0) return;
      position += read;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      let start = 0;
      for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, start)) {
        const end = offset + feed + 1 - start;
        yield { text: bytes.toString('utf8', start, feed), offset, end };
        [start, offset] = [feed + 1, end];
      }
      rest = bytes.subarray(start);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
