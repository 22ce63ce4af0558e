import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import { openRegular } from '../../platform/bounded-file.js';
import { openPrivate } from '../../platform/private-files.js';
import type { StoredRow } from './store.js';

/** Raised when the file's layout changes. The rows have their own format. */
const LAYOUT = 1;

const HEADER = `{"pitSandbox":${LAYOUT}}`;

/** Whether a text begins as an exported exchange of some version of pit. */
export function isState(text: string): boolean {
  return /^\{"pitSandbox":\d+\}\n/.test(text);
}

/** Thrown for a file that is not a complete exported exchange. */
export class BadState extends Error {
  override readonly name = 'BadState';
}

/** JSON has no bigints and no maps. */
function tagged(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) };
  return value instanceof Map ? { $map: [...value] } : value;
}

function untagged(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$bigint' in value) return BigInt(value.$bigint as string);
  return '$map' in value ? new Map(value.$map as [unknown, unknown][]) : value;
}

/** Characters that are gathered before they are written, and bytes that are read at once. */
const BLOCK = 1_000_000;

/**
 * Writes all rows of an exchange to one file: a header, one JSON row per line, and a last line with their number and the
 * SHA-256 of everything before it, which shows whether the file is complete. Only its owner can read it, because it holds keys.
 */
export function writeState(file: string, rows: Iterable<StoredRow>): number {
  const descriptor = openPrivate(file, 'w');
  try {
    return writeLines(descriptor, rows);
  } finally {
    closeSync(descriptor);
  }
}

function writeLines(descriptor: number, rows: Iterable<StoredRow>): number {
  const hash = createHash('sha256');
  let [text, count] = [`${HEADER}\n`, 0];
  const flush = () => {
    hash.update(text);
    writeFileSync(descriptor, text);
    text = '';
  };
  for (const row of rows) {
    text += `${JSON.stringify(row, tagged)}\n`;
    count += 1;
    if (text.length > BLOCK) flush();
  }
  flush();
  writeFileSync(descriptor, `${JSON.stringify({ rows: count, sha256: hash.digest('hex') })}\n`);
  return count;
}

/** An exported exchange that is complete and unchanged. Its rows are read again each time they are asked for. */
export interface StateFile {
  readonly count: number;
  readonly rows: () => Iterable<StoredRow>;
  close(): void;
}

/** In bytes: far more than a sandbox of a year. */
export const LARGEST_STATE = 4 * 2 ** 30;
const LAST_LINE = /^\{"rows":(\d{1,12}),"sha256":"([0-9a-f]{64})"\}$/;
const LONGEST_LAST_LINE = 200;

/**
 * Opens an exported exchange in a regular file and checks it piece by piece. Throws {@link BadState}, also if a single byte was
 * changed, and UnboundedFile for what is not a regular file.
 */
export function openState(file: string): StateFile {
  const descriptor = openRegular(file);
  try {
    return checkedState(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function checkedState(descriptor: number): StateFile {
  const { size } = fstatSync(descriptor);
  if (!bytesAt(descriptor, 0, 100).toString('utf8').startsWith(`${HEADER}\n`)) {
    throw new BadState(`it does not begin with ${HEADER}, so it is not an exported sandbox, or has another layout`);
  }
  if (size > LARGEST_STATE) throw new BadState(`it is larger than ${LARGEST_STATE / 2 ** 30} GiB`);
  const tail = bytesAt(descriptor, Math.max(0, size - LONGEST_LAST_LINE), size);
  const last = tail.subarray(tail.lastIndexOf('\n', tail.length - 2) + 1);
  const end = size - last.length;
  const [, count = '', sha256] = LAST_LINE.exec(last.toString('utf8').trimEnd()) ?? [];
  if (sha256 === undefined) throw new BadState('it is incomplete or was changed');
  const seen = digest(descriptor, end);
  // the header is a line, but not a row
  if (seen.sha256 !== sha256 || seen.lines !== Number(count) + 1) throw new BadState('it is incomplete or was changed');
  return { count: Number(count), rows: () => rowsIn(descriptor, end), close: () => closeSync(descriptor) };
}

function digest(descriptor: number, end: number): { sha256: string; lines: number } {
  const hash = createHash('sha256');
  let lines = 0;
  for (const block of blocks(descriptor, end)) {
    hash.update(block);
    for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) lines += 1;
  }
  return { sha256: hash.digest('hex'), lines };
}

const NEWLINE = 10;

function* rowsIn(descriptor: number, end: number): Generator<StoredRow> {
  let rest = Buffer.alloc(0);
  let isHeader = true;
  for (const block of blocks(descriptor, end)) {
    const bytes = Buffer.concat([rest, block]);
    const cut = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(cut);
    for (const line of bytes.toString('utf8', 0, cut).split('\n').slice(0, -1)) {
      if (!isHeader) yield JSON.parse(line, untagged) as StoredRow;
      isHeader = false;
    }
  }
}

function* blocks(descriptor: number, end: number): Generator<Buffer> {
  for (let start = 0; start < end; start += BLOCK) {
    const block = bytesAt(descriptor, start, Math.min(start + BLOCK, end));
    if (block.length === 0) return;
    yield block;
  }
}

function bytesAt(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, start + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
