import fs from 'node:fs';
import type { Context } from '../../cli/context.js';
import { grouped } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import { formatOf, type Row, SeriesFile } from './series-file.js';

/** The file that a download writes, whatever its format. */
interface OutputFile {
  /** What arrives at the disk at once; for Parquet a file beside the wanted one, until the download is complete. */
  readonly rows: SeriesFile;
  /** Ends the download. `isComplete`: whether the file has everything that was wanted. */
  close(isComplete: boolean): Promise<void>;
}

/** What the name of a file ends with whose rows become a Parquet file when they are complete. */
const PART = '.part';

/** What a download did. */
export interface Downloaded {
  readonly added: number;
  readonly failure: Failure | null;
}

/**
 * Opens the file of a download for the work, and closes it after it. It is complete if the work has no failure, or `partial`.
 * Throws Failure `usage` if the file cannot be written or holds something else, and what the work throws.
 */
export async function withOutput<Result extends Downloaded>(
  name: string,
  fields: readonly string[],
  work: (file: SeriesFile) => Promise<Result>,
): Promise<Result & { readonly first: Row | undefined; readonly last: Row | undefined }> {
  const { rows, close } = await openOutput(name, fields);
  let isComplete = false;
  try {
    const result = await work(rows);
    isComplete = result.failure === null || result.failure.kind === 'partial';
    return { ...result, first: rows.first, last: rows.last };
  } finally {
    await close(isComplete);
  }
}

/**
 * Reports what a download has added when a signal ends the program. Returns a function that cancels this.
 * @param added returns the number of rows, and hides the progress
 * @param isEndless whether only a signal ends it, so that a Parquet file is not written
 */
export function noteInterrupt(
  { host, output }: Context,
  { name }: SeriesFile,
  what: 'candles' | 'trades',
  added: () => number,
  isEndless = false,
): () => void {
  return host.onInterrupt(() => {
    const count = grouped(String(added()));
    output.note(`${name} has ${count} more ${what}; the same command goes on from there.`);
    if (isEndless && name.endsWith(PART))
      output.note(`Without --follow, it writes ${name.slice(0, -PART.length)} and ends.`);
  });
}

/** The failure of a download that has added rows before a read failed. */
export function stopped({ kind, message, hints }: Failure): Failure {
  return new Failure(kind, `The download stopped: ${message}`, {
    hint: ['The same command goes on where it stopped.', ...hints],
  });
}

/**
 * Opens the file of a download, to go on after its last row. A Parquet file cannot grow, so its rows are kept in a file
 * beside it (`.part`) as long as some are missing. Throws Failure `usage` if it cannot be written or holds something else.
 */
async function openOutput(name: string, fields: readonly string[]): Promise<OutputFile> {
  const format = formatOf(name);
  if (format !== 'parquet') {
    const rows = SeriesFile.open(name, format, fields);
    return { rows, close: async () => rows.close() };
  }
  const { readParquet, writeParquet } = await import('./parquet.js');
  const part = name + PART;
  const isBegun = fs.existsSync(part);
  const rows = SeriesFile.open(part, 'ndjson', fields);
  if (!isBegun && fs.existsSync(name)) {
    try {
      await readParquet(name, fields, rows);
    } catch (error) {
      rows.close();
      fs.rmSync(part);
      throw error;
    }
  }
  return {
    rows,
    close: async (isComplete) => {
      if (isComplete) writeParquet(rows, fields, name);
      rows.close();
      if (isComplete) fs.rmSync(part);
    },
  };
}

/** `1,000 candles added to minutes.csv, which has … to …`. */
export function summaryOf(
  { name, from, to }: { readonly name: string; readonly from: string | null; readonly to: string | null },
  added: number,
  what: 'candle' | 'trade',
): string {
  const extent = from === null ? '' : ` It has ${what}s from ${from} to ${to}.`;
  if (added === 0) return `Nothing new for ${name}.${extent}`;
  return `${grouped(String(added))} ${what}${added === 1 ? '' : 's'} added to ${name}.${extent}`;
}
