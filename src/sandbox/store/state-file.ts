import { createHash } from 'node:crypto';
import { closeSync, fchmodSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import type { Row } from './table.js';

/** Raised when the file's layout changes. The rows have their own format. */
const LAYOUT = 1;

const HEADER = `{"pitSandbox":${LAYOUT}}`;

/** Thrown for a file that is not a complete exported exchange. */
export class BadState extends Error {
  override readonly name = 'BadState';
}

type StoredRow = readonly [path: string, row: Row];

/** Characters that are gathered before they are written. */
const BLOCK = 1_000_000;

/**
 * Writes all rows of an exchange to one file: a header, one JSON row per line, and a last line with their number and the
 * SHA-256 of everything before it. The file appears when it is complete, readable by its owner only, because it holds keys.
 */
export function writeState(file: string, rows: Iterable<StoredRow>): number {
  const draft = `${file}.${process.pid}`;
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    const count = writeLines(descriptor, rows);
    renameSync(draft, file);
    return count;
  } finally {
    closeSync(descriptor);
  }
}

function writeLines(descriptor: number, rows: Iterable<StoredRow>): number {
  const hash = createHash('sha256');
  let [text, count] = [`${HEADER}\n`, 0];
  const flush = () => {
    hash.update(text);
    writeSync(descriptor, text);
    text = '';
  };
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`;
    count += 1;
    if (text.length > BLOCK) flush();
  }
  flush();
  writeSync(descriptor, `${JSON.stringify({ rows: count, sha256: hash.digest('hex') })}\n`);
  return count;
}

/** The rows of an exported exchange. Throws {@link BadState}, also if a single byte was changed. */
export function readState(file: string): StoredRow[] {
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, 100).toString('utf8').startsWith(`${HEADER}\n`)) {
    throw new BadState(`it does not begin with ${HEADER}, so it is not an exported sandbox, or has another layout`);
  }
  const end = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(1, -1);
  const sha256 = createHash('sha256').update(bytes.subarray(0, end)).digest('hex');
  const last = bytes.subarray(end).toString('utf8').trim();
  if (last !== JSON.stringify({ rows: lines.length, sha256 })) throw new BadState('it is incomplete or was changed');
  return lines.map((line) => JSON.parse(line) as StoredRow);
}
