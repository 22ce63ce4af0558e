import { createHash } from 'node:crypto';
import { closeSync, statSync, writeFileSync } from 'node:fs';
import { readBounded } from '../../platform/files/bounded-file.js';
import { openPrivate } from '../../platform/files/private-files.js';
import { FORMAT, type StoredRow } from './format.js';

const HEADER = `{"pitSandbox":${FORMAT}}\n`;

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

/** Characters that are gathered before they are written. */
const BLOCK = 1_000_000;

/**
 * Writes all rows of an exchange to one file: a header, one JSON row per line, and a last line with their number and the
 * SHA-256 of everything before it, which shows whether the file is complete. Only its owner can read it, because it holds keys.
 */
export function writeState(file: string, rows: Iterable<StoredRow>): number {
  const descriptor = openPrivate(file, 'w');
  try {
    const hash = createHash('sha256');
    let [text, count] = [HEADER, 0];
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
  } finally {
    closeSync(descriptor);
  }
}

/** In bytes: weeks of a sandbox that never rests. All of it is in memory while it is read. */
export const LARGEST_STATE = 2 ** 30;
const LAST_LINE = /^\{"rows":(\d{1,12}),"sha256":"([0-9a-f]{64})"\}$/;

/** An exported exchange that is complete and unchanged. */
export interface StateFile {
  readonly count: number;
  readonly rows: Iterable<StoredRow>;
}

/** Reads an exported exchange. Throws {@link BadState}, also if a single byte was changed, and UnboundedFile for what is no regular file. */
export function readState(file: string): StateFile {
  if (statSync(file).size > LARGEST_STATE) throw new BadState(`it is larger than ${LARGEST_STATE / 2 ** 30} GiB`);
  const bytes = readBounded(file, LARGEST_STATE);
  if (bytes.toString('utf8', 0, HEADER.length) !== HEADER)
    throw new BadState(
      `it does not begin with ${HEADER.trim()}, so it is not an exported sandbox, or another version of pit wrote it`,
    );
  const end = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  const [, count = '', sha256] = LAST_LINE.exec(bytes.toString('utf8', end).trimEnd()) ?? [];
  if (createHash('sha256').update(bytes.subarray(0, end)).digest('hex') !== sha256)
    throw new BadState('it is incomplete or was changed');
  return { count: Number(count), rows: rowsIn(bytes.subarray(HEADER.length, end)) };
}

function* rowsIn(bytes: Buffer): Generator<StoredRow> {
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start);
    yield JSON.parse(bytes.toString('utf8', start, end), untagged) as StoredRow;
  }
}
