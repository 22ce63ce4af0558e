import fs from 'node:fs';
import { grouped } from '../../domain/decimal.js';
import { Failure, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { isStdout, openOutputStream, outputPlace } from '../named-files/output.js';
import type { Context } from '../session/command.js';
import {
  formatOf,
  otherFile,
  type RowCheck,
  type Series,
  SeriesFile,
  type SeriesRow,
  StreamedSeries,
  UnusableFile,
} from './series-file.js';

/** What the user named to download into. */
export interface DownloadTarget {
  readonly name: string;
  /** Whether a file is replaced that is not such a download, or is damaged. */
  readonly isForced: boolean;
}

/** The rows of a download. */
interface RowRules {
  readonly fields: readonly string[];
  /** Checks each row that a file already has. */
  readonly check: RowCheck;
}

/** The file that a download writes, whatever its format. */
interface OutputFile {
  /** What arrives at the disk at once; for Parquet a file beside the wanted one, until the download is complete. */
  readonly rows: Series;
  /** Ends the download. `isComplete`: whether the file has everything that was wanted. */
  close(isComplete: boolean): Promise<void>;
}

/** The ending of the file whose rows become a Parquet file when they are complete. */
const PART = '.part';

/** What a download did. */
export interface Downloaded {
  readonly added: number;
  readonly failure: Failure | null;
}

/**
 * Opens the file of a download for the work, and closes it after it. It is complete if the work has no failure, or `partial`.
 * Throws Failure `usage` if the file cannot be written or is not such a download, and what the work throws.
 */
export async function withOutput<Result extends Downloaded>(
  context: Context,
  target: DownloadTarget,
  rules: RowRules,
  work: (file: Series) => Promise<Result>,
): Promise<Result & { readonly first: SeriesRow | undefined; readonly last: SeriesRow | undefined }> {
  const { rows, close } = await openOutput(context, target, rules);
  let isComplete = false;
  try {
    const result = await work(rows);
    isComplete = result.failure === null || result.failure.kind === 'partial';
    return { ...result, first: rows.first, last: rows.last };
  } finally {
    await close(isComplete);
  }
}

/** The answer of a download. If stdout has its rows, the answer is printed as a note, and its failure thrown. */
export function answerOrNote<Data>({ output }: Context, name: string, answer: Answer<Data>): Answer<Data> | undefined {
  if (!isStdout(name)) return answer;
  output.note(answer.show(output.errorScreen));
  if (answer.failure !== undefined) throw answer.failure;
  return undefined;
}

/**
 * Reports what a download has added when a signal ends the program. Returns a function that cancels this.
 * @param added returns the number of rows, and hides the progress
 * @param isEndless whether only a signal ends it, so that a Parquet file is not written
 */
export function noteInterrupt(
  { host, output }: Context,
  { name, isResumable }: Series,
  what: 'candles' | 'trades',
  added: () => number,
  isEndless = false,
): () => void {
  return host.onInterrupt(() => {
    const count = grouped(String(added()));
    if (!isResumable) return output.note(`${count} ${what} were written to ${name}.`);
    output.note(`${name} has ${count} more ${what}; the same command continues from there.`);
    if (isEndless && name.endsWith(PART))
      output.note(`Without --follow, it writes ${name.slice(0, -PART.length)} and ends.`);
  });
}

/** The failure of a download that has added rows before a read failed. */
export function stopped({ kind, message, hints }: Failure, { isResumable }: Series): Failure {
  return new Failure(kind, `The download stopped: ${message}`, {
    hint: [...(isResumable ? ['Run the same command again to continue.'] : []), ...hints],
  });
}

/**
 * Opens the file of a download, to go on after its last row. A Parquet file cannot grow, so its rows are kept in a file
 * beside it (`.part`) as long as some are missing. Throws Failure `usage` if it cannot be written or is not such a download.
 */
async function openOutput(context: Context, target: DownloadTarget, rules: RowRules): Promise<OutputFile> {
  const { name, isForced } = target;
  const place = outputPlace(name);
  if (place.kind !== 'file') {
    const format = streamFormatOf(context, name);
    const stream = await openOutputStream(context, name, place);
    const rows = new StreamedSeries(name, stream, format, rules.fields);
    return { rows, close: (isComplete) => (isComplete ? stream.end() : Promise.resolve(stream.destroy())) };
  }
  const format = formatOf(name);
  if (format !== 'parquet') {
    const rows = openSeries(context, { name, isForced, file: place.file }, format, rules);
    return { rows, close: async () => rows.close() };
  }
  const { hasColumns, readParquet, writeParquet } = await import('./parquet.js');
  const isOurs = place.size > 0 && (await hasColumns(name, rules.fields));
  if (place.size > 0 && !isOurs && !isForced) throw otherFile(name, rules.fields);
  const part = name + PART;
  const partPlace = outputPlace(part);
  if (partPlace.kind !== 'file') throw usage(`${part} is not a regular file.`, 'Remove it, or give another name.');
  const isBegun = fs.existsSync(part);
  const rows = openSeries(context, { name: part, isForced, file: partPlace.file }, 'ndjson', rules);
  if (!isBegun && isOurs) {
    try {
      await readParquet(name, rules, rows);
    } catch (error) {
      rows.close();
      fs.rmSync(part, { force: true });
      throw error;
    }
  }
  return {
    rows,
    close: async (isComplete) => {
      if (isComplete && (rows.first !== undefined || place.size > 0)) writeParquet(rows, rules.fields, place.file);
      rows.close();
      if (isComplete) fs.rmSync(part, { force: true });
    },
  };
}

function openSeries(
  { host }: Context,
  { name, isForced, file }: DownloadTarget & { readonly file: string },
  format: 'csv' | 'ndjson',
  { fields, check }: RowRules,
): SeriesFile {
  const open = () => {
    try {
      return SeriesFile.open(name, format, fields, check);
    } catch (error) {
      if (!isForced || !(error instanceof UnusableFile)) throw error;
      check.begin();
      return SeriesFile.replacing(name, file, format, fields);
    }
  };
  const rows = open();
  host.onExit(() => rows.discard());
  return rows;
}

/** The format of rows on stdout, in a pipe or in a device, whose name may have no ending. */
function streamFormatOf({ globals }: Context, name: string): 'csv' | 'ndjson' {
  if (isStdout(name)) return globals.format === 'json' ? 'ndjson' : 'csv';
  const format = /\.\w+$/.test(name) ? formatOf(name) : 'csv';
  if (format !== 'parquet') return format;
  throw usage(`${name} is not a regular file, as a Parquet file has to be.`, 'Give a .csv or .ndjson file.');
}

/** `1,000 candles added to minutes.csv, which has … to …`. */
export function summaryOf(
  { name, from, to }: { readonly name: string; readonly from: string | null; readonly to: string | null },
  added: number,
  what: 'candle' | 'trade',
): string {
  const extent = from === null ? '' : ` It has ${what}s from ${from} to ${to}.`;
  const shown = isStdout(name) ? 'stdout' : name;
  if (added === 0) return `Nothing new for ${shown}.${extent}`;
  return `${grouped(String(added))} ${what}${added === 1 ? '' : 's'} added to ${shown}.${extent}`;
}
