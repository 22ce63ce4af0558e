import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { codeOf } from '../../config/private.js';
import { type Failure, usage } from '../../errors.js';
import { cannotRead } from './files.js';

/** The version of the records and archive lines that this code writes, as `v`. Those of 0.2.0 have none. */
export const VERSION = 2;

const SUM_LENGTH = 16;

/**
 * A value as a line of a journal file: a checksum and JSON. It begins and ends with a line feed of its own, so that a torn
 * or damaged neighbour on either side never makes it unreadable.
 */
export function lineOf(value: object): string {
  const text = JSON.stringify(value);
  return `\n${checksum(text)} ${text}\n`;
}

/**
 * The values of all complete lines; anything else is skipped.
 * @throws Failure `usage` if a newer version of pit wrote one: what it means is not guessed
 */
export function valuesIn(content: string): unknown[] {
  return content.split('\n').flatMap((line) => {
    const text = line.slice(SUM_LENGTH + 1);
    if (text === '' || line.slice(0, SUM_LENGTH) !== checksum(text)) return [];
    const value = JSON.parse(text) as { readonly v?: number };
    if ((value.v ?? 0) > VERSION) throw newerVersion();
    return [value];
  });
}

export function newerVersion(): Failure {
  return usage('A newer version of pit wrote the journal of this home.', 'Update pit. Nothing was sent.');
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUM_LENGTH);
}

const CHUNK = 65_536;
const LINE_FEED = 10;

/**
 * The lines of a file, last first; none if there is no file. Reads no more than is asked for: the newest lines of a journal
 * are at its end, and it may have many. Throws Failure `usage` if it cannot be read.
 */
export function* linesBackwards(file: string): Generator<string> {
  try {
    yield* linesFromEnd(file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw cannotRead(file, thrown);
  }
}

function* linesFromEnd(file: string): Generator<string> {
  const descriptor = fs.openSync(file, 'r');
  try {
    let [end, rest] = [fs.fstatSync(descriptor).size, Buffer.alloc(0)];
    while (end > 0) {
      const start = Math.max(0, end - CHUNK);
      const bytes = Buffer.concat([bytesOf(descriptor, start, end), rest]);
      // what comes before the first line feed may have begun earlier
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

/** Fewer if the file was truncated meanwhile. */
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
 * Whether a line's text contains everything in a filter. Checked before the line is parsed, which is far slower: a match may
 * be about something else, but a line without a match is never wanted.
 */
export function matchesAll(filter: LineFilter): (line: string) => boolean {
  const pairs = Object.entries(filter).map(([name, value]) => JSON.stringify({ [name]: value }).slice(1, -1));
  return (line) => pairs.every((pair) => line.includes(pair));
}

/** The same, for a value under a name that is not known yet; the known ones may grow meanwhile. */
export function hasUnknown(name: FilterField, known: ReadonlySet<string>): (line: string) => boolean {
  const pattern = new RegExp(`"${name}":"([^"]*)"`, 'g');
  return (line) => [...line.matchAll(pattern)].some(([, value = '']) => !known.has(value));
}
