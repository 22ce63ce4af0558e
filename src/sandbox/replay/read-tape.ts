import fs from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compareIds, isOvertaken } from '../../domain/market-data.js';
import { Failure, systemErrorCode, usage } from '../../errors.js';
import { openRegular, UnboundedFile } from '../../platform/bounded-file.js';
import { plainTime, TapeDocuments } from './tape-documents.js';
import { badLine, type ConfigEvent, type TapeEvent } from './tape-event.js';

const MINUTE = 60_000;
/** In characters; a book of 5,000 levels a side has fewer. */
const LONGEST_LINE = 2 ** 20;
/** How much of a file is read at a time, in bytes. */
const BLOCK = 256 * 1_024;
const PARQUET = Buffer.from('PAR1');
const GZIP = Buffer.from([0x1f, 0x8b]);
/** Rows of a Parquet file that are in memory at once. */
const GROUP_ROWS = 10_000;

const PLAIN_FORMS =
  'Rows are time,open,high,low,close,volume; the export of twelve columns; or time,trade id,side,price,amount.';
const TAPE_FORMS = 'A tape is what pit stream --out, pit kline --out or pit trades --out write.';

export interface ReadingTerms {
  /** In milliseconds since the Unix epoch. What was before is shown as the past; the book is the last one before it. */
  readonly from?: number | undefined;
  /** In milliseconds since the Unix epoch, exclusive. */
  readonly to?: number | undefined;
  /** The market of files that name none. */
  readonly market?: string | undefined;
}

/**
 * The events of one or several files in order of time: tapes of `pit stream --out`, what `pit kline --out` and `pit trades --out` wrote,
 * and with a market rows that name none. Files may overlap: a trade that two of them have comes once. Memory stays flat, whatever the
 * length. What a killed recorder left of a last line is left out, as a gap without a channel.
 *
 * Throws Failure `usage` with file and line at the first fault, when it is reached: to apply nothing of a bad file, read all of it first.
 */
export async function* readTape(files: readonly string[], terms: ReadingTerms = {}): AsyncGenerator<TapeEvent> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = terms;
  const books = new Map<string, TapeEvent>();
  let hasBegun = from === Number.NEGATIVE_INFINITY;
  for await (const event of withoutRepeats(merged(files, terms))) {
    if (event.time >= to) return;
    if (!hasBegun && event.time >= from) {
      hasBegun = true;
      for (const book of books.values()) yield { ...book, time: from };
    }
    if (hasBegun) yield event;
    else if (event.kind === 'depth') books.set(event.market, event);
    else if (event.kind === 'config') yield { ...event, time: from };
    else if (event.kind === 'trade') yield { ...event, time: from, isPast: true };
    else if (event.kind === 'past') yield { ...event, time: from };
  }
  if (!hasBegun) for (const book of books.values()) yield { ...book, time: from };
}

/** What a whole tape has. */
export interface TapeSurvey {
  /** Of the first and the last event, in milliseconds since the Unix epoch. Undefined for a tape without any. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** How many events move a market. */
  readonly events: number;
  readonly gaps: readonly Extract<TapeEvent, { kind: 'gap' }>[];
  /** By market; undefined if the tape does not have its rules. */
  readonly markets: ReadonlyMap<string, ConfigEvent | undefined>;
}

/** Reads all of a tape. Throws Failure `usage` with file and line at the first fault. @param check is called with each event */
export async function surveyTape(
  files: readonly string[],
  terms: ReadingTerms = {},
  check: (event: TapeEvent) => void = () => undefined,
): Promise<TapeSurvey> {
  let [from, to, events]: [number | undefined, number | undefined, number] = [undefined, undefined, 0];
  const gaps: Extract<TapeEvent, { kind: 'gap' }>[] = [];
  const markets = new Map<string, ConfigEvent | undefined>();
  for await (const event of readTape(files, terms)) {
    check(event);
    if (event.kind === 'gap') gaps.push(event);
    else if (event.kind === 'config') markets.set(event.market, markets.get(event.market) ?? event);
    else {
      if (!markets.has(event.market)) markets.set(event.market, undefined);
      from ??= event.time;
      to = Math.max(to ?? 0, event.kind === 'candle' ? event.until : event.time);
      events += 1;
    }
  }
  return { from, to, events, gaps, markets };
}

/** Leaves out trades that came before, and rules that are known. Throws Failure `usage` if a market has other rules than before. */
async function* withoutRepeats(events: AsyncIterable<TapeEvent>): AsyncGenerator<TapeEvent> {
  const trades = new Map<string, { readonly id: string; readonly date: number }>();
  const rules = new Map<string, ConfigEvent>();
  for await (const event of events) {
    if (event.kind === 'trade' && event.id !== null) {
      const last = trades.get(event.market);
      // an exchange that has started over gives lower ids
      const isOlder = last !== undefined && compareIds(event.id, last.id) <= 0;
      if (isOlder && (event.date <= last.date || isOvertaken(last.date, event.date))) continue;
      trades.set(event.market, { id: event.id, date: event.date });
    } else if (event.kind === 'config') {
      const known = rules.get(event.market);
      if (known !== undefined) {
        requireSame(known, event);
        continue;
      }
      rules.set(event.market, event);
    }
    yield event;
  }
}

function requireSame(known: ConfigEvent, event: ConfigEvent): void {
  const fields = ['priceScale', 'amountScale', 'minAmount', 'minNotional'] as const;
  const other = fields.find((field) => known.rules[field] !== event.rules[field]);
  if (other === undefined) return;
  throw badLine(
    event,
    `has another ${other} of ${event.market} than ${known.file}: ${event.rules[other]}, not ${known.rules[other]}`,
    'Replay recordings of before and after the change one by one.',
  );
}

/** A file whose next event is known. */
interface Source {
  readonly events: AsyncGenerator<TapeEvent>;
  next: TapeEvent;
}

/** The events of all files in order of time; those of one moment in the order of the files. A file is open from its first event on. */
async function* merged(files: readonly string[], terms: ReadingTerms): AsyncGenerator<TapeEvent> {
  const waiting: { readonly file: string; readonly time: number }[] = [];
  for (const file of files) waiting.push({ file, time: await beginningOf(file, terms) });
  waiting.sort((left, right) => left.time - right.time);
  const open: Source[] = [];
  try {
    for (;;) {
      const newest = open[0]?.next.time ?? Number.POSITIVE_INFINITY;
      const [first] = waiting;
      if (first !== undefined && first.time <= newest) {
        waiting.shift();
        await insert(open, eventsIn(first.file, terms));
        continue;
      }
      const [source] = open;
      if (source === undefined) return;
      yield source.next;
      if (open.length === 1) {
        const { value, done } = await source.events.next();
        if (done) open.shift();
        else source.next = value;
      } else {
        open.shift();
        await insert(open, source.events);
      }
    }
  } finally {
    for (const { events } of open) await events.return(undefined);
  }
}

/** Puts a file among those that are open, in the order of their next events. */
async function insert(open: Source[], events: AsyncGenerator<TapeEvent>): Promise<void> {
  const { value, done } = await events.next();
  if (done) return;
  const index = open.findIndex(({ next }) => next.time > value.time);
  open.splice(index === -1 ? open.length : index, 0, { events, next: value });
}

/** When the first event of a file happens; infinity if it has none. */
async function beginningOf(file: string, terms: ReadingTerms): Promise<number> {
  for await (const { time } of eventsIn(file, terms)) return time;
  throw usage(`${file} has no rows.`, terms.market === undefined ? TAPE_FORMS : PLAIN_FORMS);
}

async function* eventsIn(file: string, { market, from = 0 }: ReadingTerms): AsyncGenerator<TapeEvent> {
  const head = headOf(file);
  const documents = new TapeDocuments(file, from);
  if (head.equals(PARQUET)) {
    for await (const [row, fields] of parquetRows(file)) yield* documents.readRow(row, fields);
  } else {
    const lines = linesOf(file, head.subarray(0, GZIP.length).equals(GZIP));
    let columns: readonly string[] | undefined;
    let form: 'json' | 'csv' | 'plain' | undefined;
    let length = MINUTE;
    for await (const { number, text, isWhole } of lines) {
      if (text.trim() === '' && isWhole) continue;
      // all that there is was cut off
      if (form === undefined && !isWhole && (text.trim() === '' || (text.startsWith('{') && !isJson(text)))) break;
      if (form === undefined) {
        form = formOf(text, market, { file, line: number });
        if (form === 'plain') length = await shortestStep(file, head);
        if (form === 'csv') columns = text.split(',');
        if (form === 'csv' || (form === 'plain' && isHeader(text))) continue;
      }
      if (!isWhole && form !== 'plain' && !(form === 'json' && isJson(text))) yield* documents.cutOff(number);
      else if (form === 'json') yield* documents.read(number, text);
      else if (form === 'csv') yield* documents.readRow(number, rowOf(text, columns ?? [], { file, line: number }));
      else yield* documents.readPlainRow(number, plainColumns(text), market ?? '', length);
    }
  }
  yield* documents.end();
}

/** What the lines of a file are, by its first one. Throws Failure `usage` for lines of no known form. */
function formOf(
  text: string,
  market: string | undefined,
  place: { file: string; line: number },
): 'json' | 'csv' | 'plain' {
  if (text.startsWith('{')) return 'json';
  if (/^market,(type|id),time,/.test(text)) return 'csv';
  if (market !== undefined) return 'plain';
  if (/^\d{12,16},/.test(text))
    throw usage(`${place.file} does not say which market it is of.`, 'Name the market before the file.');
  throw badLine(place, 'is no document of a tape', TAPE_FORMS);
}

function isHeader(text: string): boolean {
  return /^\s*"?[A-Za-z_]/.test(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function rowOf(
  text: string,
  columns: readonly string[],
  place: { file: string; line: number },
): Record<string, string> {
  const values = text.split(',');
  if (values.length !== columns.length) throw badLine(place, `does not have the fields ${columns.join(', ')}`);
  return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']));
}

function plainColumns(text: string): string[] {
  return text.split(',').map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
}

/** The shortest distance between two rows is the length of a candle; longer ones are gaps. In milliseconds. */
async function shortestStep(file: string, head: Buffer): Promise<number> {
  let [least, last] = [Number.POSITIVE_INFINITY, Number.NaN];
  for await (const { text } of linesOf(file, head.subarray(0, GZIP.length).equals(GZIP))) {
    const time = plainTime(plainColumns(text)[0] ?? '') ?? Number.NaN;
    if (time - last > 0) least = Math.min(least, time - last);
    last = time;
  }
  return Number.isFinite(least) ? least : MINUTE;
}

interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Whether it has an end: what a killed program wrote last has none. */
  readonly isWhole: boolean;
}

async function* linesOf(file: string, isCompressed: boolean): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  try {
    for await (const text of textOf(file, isCompressed)) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        number += 1;
        yield { number, text: trimmed(line, number), isWhole: true };
      }
      if (rest.length > LONGEST_LINE)
        throw badLine({ file, line: number + 1 }, `is longer than ${LONGEST_LINE} characters`);
    }
  } catch (error) {
    if (!isCutOff(error)) throw unreadable(error, file, number);
    // there is a line that is not whole, even if what could be unpacked ends with one that is
    rest += ' ';
  }
  if (rest !== '') yield { number: number + 1, text: trimmed(rest, number + 1), isWhole: false };
}

function trimmed(line: string, number: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return number === 1 && text.startsWith('\u{feff}') ? text.slice(1) : text;
}

async function* textOf(file: string, isCompressed: boolean): AsyncGenerator<string> {
  const stream = fs.createReadStream('', { fd: openRegular(file), highWaterMark: BLOCK });
  const decoder = new TextDecoder();
  const bytes = isCompressed ? pipeline(stream, createGunzip(), () => undefined) : stream;
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk as Buffer, { stream: true });
  } finally {
    stream.destroy();
  }
}

/** Whether compressed data end in the middle, as a killed recorder leaves them. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}

/** @param lines how many could be read before */
function unreadable(error: unknown, file: string, lines: number): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error;
  if (!String(error.code).startsWith('Z_')) return cannotRead(error, file);
  const where = lines === 0 ? '' : ` after line ${lines}`;
  return usage(`${file} cannot be unpacked${where}: ${error.message}.`, 'The compressed file is damaged.');
}

function cannotRead(error: unknown, file: string): Failure {
  const reason = error instanceof UnboundedFile ? error.message : systemErrorCode(error);
  return usage(`Cannot read ${file}: ${reason}.`, TAPE_FORMS);
}

function headOf(file: string): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openRegular(file);
    const head = Buffer.alloc(PARQUET.length);
    return head.subarray(0, fs.readSync(descriptor, head, 0, head.length, 0));
  } catch (error) {
    throw cannotRead(error, file);
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** The rows of a Parquet file, counted from 1. */
async function* parquetRows(file: string): AsyncGenerator<[number, Record<string, unknown>]> {
  let row = 0;
  try {
    const buffer = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(buffer);
    const count = Number(metadata.num_rows);
    for (let start = 0; start < count; start += GROUP_ROWS) {
      const group = { file: buffer, metadata, rowStart: start, rowEnd: Math.min(count, start + GROUP_ROWS) };
      for (const fields of await parquetReadObjects(group)) {
        row += 1;
        yield [row, fields];
      }
    }
  } catch {
    throw badLine({ file, line: row + 1 }, 'cannot be read: the Parquet file is damaged', TAPE_FORMS);
  }
}
