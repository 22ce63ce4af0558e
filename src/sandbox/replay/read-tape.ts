import fs from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compareIds, isOvertaken } from '../../domain/market-data.js';
import { Failure, systemErrorCode, usage } from '../../errors.js';
import { openRegular, UnboundedFile } from '../../platform/files/bounded-file.js';
import type { CandlePath } from './candle-path.js';
import type { FileCandle } from './candle-prices.js';
import { type ColumnOrder, foreignColumns } from './foreign-columns.js';
import { type AmountScale, plainTime, TapeDocuments } from './tape-documents.js';
import { badLine, beginningOf, type CandleEvent, type ConfigEvent, type TapeEvent } from './tape-event.js';

const MINUTE = 60_000;
/** In bytes; a book of 5,000 levels a side has fewer. */
const LONGEST_LINE = 2 ** 20;
/** How much of a file is read at a time, in bytes. */
const BLOCK = 256 * 1_024;
const LINE_FEED = 0x0a;
const PARQUET = Buffer.from('PAR1');
const GZIP = Buffer.from([0x1f, 0x8b]);
/** Rows of a Parquet file that are in memory at once. */
const GROUP_ROWS = 10_000;

const PLAIN_FORMS =
  'Rows are time,open,high,low,close,volume; the export of twelve columns; or time,trade id,side,price,amount. A header may name them in another order.';
const TAPE_FORMS = 'A tape is what pit stream --out, pit kline --out or pit trades --out write.';

export interface ReadingTerms {
  /** In milliseconds since the Unix epoch. What was before is shown as the past; the book is the last one before it. */
  readonly from?: number | undefined;
  /** In milliseconds since the Unix epoch, exclusive. */
  readonly to?: number | undefined;
  /** The market of files that name none. */
  readonly market?: string | undefined;
  /** Within candles; absent: random, with the seed of every replay. */
  readonly path?: CandlePath | undefined;
  /** Absent: the volume of a candle is spread over its prices in units of its last decimal. */
  readonly amountScale?: AmountScale | undefined;
}

/**
 * The events of one or several files in order of time: tapes of `pit stream --out`, what `pit kline --out` and `pit trades --out` wrote,
 * and with a market rows that name none. Files may overlap: a trade or a candle that two of them have comes once. Memory stays flat, whatever the
 * length. What a killed recorder left of a last line is left out, as a gap without a channel.
 *
 * Throws Failure `usage` with file and line at the first fault, when it is reached: to apply nothing of a bad file, read all of it first.
 */
export async function* readTape(files: readonly string[], terms: ReadingTerms = {}): AsyncGenerator<TapeEvent> {
  for await (const block of readTapeInBlocks(files, terms)) yield* block;
}

/** The same, as many at once as were read together: a tape has too many events to wait for each. */
export async function* readTapeInBlocks(
  files: readonly string[],
  terms: ReadingTerms = {},
): AsyncGenerator<readonly TapeEvent[]> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = terms;
  const books = new Map<string, TapeEvent>();
  const isRepeated = repeats();
  let hasBegun = from === Number.NEGATIVE_INFINITY;
  const select = (event: TapeEvent, selected: TapeEvent[]) => {
    if (isRepeated(event)) return;
    if (!hasBegun && event.time >= from) {
      hasBegun = true;
      for (const book of books.values()) selected.push({ ...book, time: from });
    }
    if (hasBegun) selected.push(event);
    else if (event.kind === 'depth') books.set(event.market, event);
    else if (event.kind === 'config') selected.push({ ...event, time: from });
    else if (event.kind === 'trade') selected.push({ ...event, time: from, isPast: true });
    else if (event.kind === 'past') selected.push({ ...event, time: from });
  };
  for await (const block of merged(files, terms)) {
    const end = block.findIndex(({ time }) => time >= to);
    yield* upToFault(end === -1 ? block : block.slice(0, end), select);
    if (end !== -1) return;
  }
  if (!hasBegun) yield [...books.values()].map((book) => ({ ...book, time: from }));
}

/** What a step makes of each of some things. What it made before a fault comes before the fault. Never empty. */
function* upToFault<Thing>(
  things: readonly Thing[],
  step: (thing: Thing, made: TapeEvent[]) => void,
): Generator<readonly TapeEvent[]> {
  const made: TapeEvent[] = [];
  let fault: { readonly thrown: unknown } | undefined;
  try {
    for (const thing of things) step(thing, made);
  } catch (thrown) {
    fault = { thrown };
  }
  if (made.length > 0) yield made;
  if (fault !== undefined) throw fault.thrown;
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
  const survey = (event: TapeEvent) => {
    check(event);
    if (event.kind === 'gap') gaps.push(event);
    else if (event.kind === 'config') markets.set(event.market, markets.get(event.market) ?? event);
    else {
      if (!markets.has(event.market)) markets.set(event.market, undefined);
      from ??= event.time;
      to = Math.max(to ?? 0, event.kind === 'candle' ? event.until : event.time);
      events += 1;
    }
  };
  for await (const block of readTapeInBlocks(files, terms)) for (const event of block) survey(event);
  return { from, to, events, gaps, markets };
}

/**
 * Tells whether an event came before: a trade or a candle of another file, or rules that are known. Throws Failure `usage` if a market has
 * other rules than before, and for a candle that is different in another file.
 */
function repeats(): (event: TapeEvent) => boolean {
  const trades = new Map<string, { readonly id: string; readonly date: number }>();
  const rules = new Map<string, ConfigEvent>();
  const candles = new Map<string, CandleEvent>();
  return (event) => {
    if (event.kind === 'candle') {
      const key = `${event.market} ${event.length}`;
      const known = candles.get(key);
      // most parts follow one of the same candle
      if (known !== undefined && known.whole !== undefined && known.whole === event.whole) return false;
      const begin = beginningOf(event);
      if (known === undefined || begin > beginningOf(known)) candles.set(key, event);
      else if (known.file !== event.file && event.goesOn !== true) {
        if (begin === beginningOf(known)) requireSameCandle(known, event);
        return true;
      }
      return false;
    }
    if (event.kind === 'trade' && event.id !== null) {
      const last = trades.get(event.market);
      // an exchange that has started over gives lower ids
      const isOlder = last !== undefined && compareIds(event.id, last.id) <= 0;
      if (isOlder && (event.date <= last.date || isOvertaken(last.date, event.date))) return true;
      trades.set(event.market, { id: event.id, date: event.date });
    } else if (event.kind === 'config') {
      const known = rules.get(event.market);
      if (known !== undefined) {
        requireSame(known, event);
        return true;
      }
      rules.set(event.market, event);
    }
    return false;
  };
}

function requireSameCandle(known: CandleEvent, event: CandleEvent): void {
  const [one, other] = [known.whole, event.whole];
  if (one === undefined || other === undefined) return;
  const fields = ['open', 'high', 'low', 'close', 'volume'] as const;
  const different = fields.find((field) => !one[field].equals(other[field]));
  if (different === undefined) return;
  throw badLine(
    event,
    `has another ${different} of the candle of ${event.market} at ${new Date(other.time).toISOString()} than ${known.file}: ${other[different]}, not ${one[different]}`,
    'One of the files is wrong: leave it out.',
  );
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

type Blocks = AsyncGenerator<readonly TapeEvent[]>;

/** A file whose next event is known. */
interface Source {
  readonly blocks: Blocks;
  block: readonly TapeEvent[];
  /** The index of the next event. */
  at: number;
}

function nextTime({ block, at }: Source): number {
  return block[at]?.time ?? Number.POSITIVE_INFINITY;
}

/** The events of all files in order of time; those of one moment in the order of the files. A file is open from its first event on. */
async function* merged(files: readonly string[], terms: ReadingTerms): Blocks {
  const waiting: { readonly file: string; readonly time: number }[] = [];
  // a file that is named twice is read once
  for (const file of new Set(files)) waiting.push({ file, time: await firstTimeOf(file, terms) });
  waiting.sort((left, right) => left.time - right.time);
  const open: Source[] = [];
  /** The newest candles of the files that are over. */
  const before = new Map<string, FileCandle>();
  try {
    for (;;) {
      const [source, other] = open;
      const [first] = waiting;
      if (first !== undefined && (source === undefined || first.time <= nextTime(source))) {
        waiting.shift();
        await insert(open, { blocks: eventsIn(first.file, terms, before), block: [], at: 0 });
        continue;
      }
      if (source === undefined) return;
      const until = Math.min(other === undefined ? Number.POSITIVE_INFINITY : nextTime(other), first?.time ?? Infinity);
      yield takeUntil(source, until);
      open.shift();
      await insert(open, source);
    }
  } finally {
    for (const { blocks } of open) await blocks.return(undefined);
  }
}

/** Takes the next event, and those of its block that come before a time. */
function takeUntil(source: Source, time: number): readonly TapeEvent[] {
  const { block, at } = source;
  const end = block.findIndex((event, index) => index > at && event.time >= time);
  source.at = end === -1 ? block.length : end;
  return at === 0 && end === -1 ? block : block.slice(at, source.at);
}

/** Puts a file among those that are open, in the order of their next events, unless it is over. */
async function insert(open: Source[], source: Source): Promise<void> {
  if (source.at === source.block.length) {
    const { value, done } = await source.blocks.next();
    if (done === true) return;
    [source.block, source.at] = [value, 0];
  }
  const index = open.findIndex((other) => nextTime(other) > nextTime(source));
  open.splice(index === -1 ? open.length : index, 0, source);
}

/** When the first event of a file happens. Throws Failure `usage` if it has none. */
async function firstTimeOf(file: string, terms: ReadingTerms): Promise<number> {
  for await (const [event] of eventsIn(file, terms)) if (event !== undefined) return event.time;
  throw usage(`${file} has no rows.`, terms.market === undefined ? TAPE_FORMS : PLAIN_FORMS);
}

/**
 * The events of a file, those that were read together at once.
 * @param before the newest candles of files that are over; those of this file are among them when it is
 */
async function* eventsIn(
  file: string,
  { market, from = 0, path, amountScale }: ReadingTerms,
  before = new Map<string, FileCandle>(),
): Blocks {
  const head = headOf(file);
  const documents = new TapeDocuments(file, from, path, amountScale, new Map(before));
  if (head.equals(PARQUET)) {
    for await (const rows of parquetRows(file))
      yield* upToFault(rows, ([row, fields], events) => events.push(...documents.readRow(row, fields)));
  } else {
    const isCompressed = head.subarray(0, GZIP.length).equals(GZIP);
    let form: LineForm | undefined;
    for await (const lines of linesOf(file, isCompressed)) {
      form ??= await formIn(lines, market, file, isCompressed);
      if (form === undefined) continue;
      const { first, read } = form;
      yield* upToFault(lines, (line, events) => {
        if (line.number >= first && (line.text.trim() !== '' || !line.isWhole)) read(documents, line, events);
      });
    }
  }
  const rest = [...documents.end()];
  if (rest.length > 0) yield rest;
  for (const [channel, candle] of documents.candles) before.set(channel, candle);
}

/** How the lines of a file are read. */
interface LineForm {
  /** The number of the first line that is not a header. */
  readonly first: number;
  readonly read: (documents: TapeDocuments, line: Line, events: TapeEvent[]) => void;
}

/** How the lines of a file are read, by its first one; undefined if none of these says. Throws Failure `usage` for no known form. */
async function formIn(
  lines: readonly Line[],
  market: string | undefined,
  file: string,
  isCompressed: boolean,
): Promise<LineForm | undefined> {
  const line = lines.find(({ text, isWhole }) => text.trim() !== '' || !isWhole);
  if (line === undefined) return undefined;
  const { number, text, isWhole } = line;
  // all that there is was cut off
  if (!isWhole && (text.trim() === '' || (text.startsWith('{') && !isJson(text)))) return undefined;
  const form = formOf(text, market, { file, line: number });
  if (form === 'json') {
    const eventsOf = (documents: TapeDocuments, one: Line) =>
      one.isWhole || isJson(one.text) ? documents.read(one.number, one.text) : documents.cutOff(one.number);
    return { first: number, read: (documents, one, events) => events.push(...eventsOf(documents, one)) };
  }
  if (form === 'csv') {
    const columns = text.split(',');
    const eventsOf = (documents: TapeDocuments, one: Line) =>
      one.isWhole
        ? documents.readRow(one.number, rowOf(one.text, columns, { file, line: one.number }))
        : documents.cutOff(one.number);
    return { first: number + 1, read: (documents, one, events) => events.push(...eventsOf(documents, one)) };
  }
  const order = isHeader(text) ? foreignColumns(file, plainColumns(text)) : (columns: readonly string[]) => columns;
  const length = await shortestStep(file, isCompressed, order);
  return {
    first: isHeader(text) ? number + 1 : number,
    read: (documents, one, events) =>
      events.push(...documents.readPlainRow(one.number, order(plainColumns(one.text)), market ?? '', length)),
  };
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
  if (/^\d{9,16}[.,]/.test(text) || (isHeader(text) && text.includes(',')))
    throw usage(
      `${place.file} does not say which market it is of.`,
      'Name it: pit rehearse FILE --market btc_usdt, or pit sandbox replay btc_usdt FILE.',
    );
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
async function shortestStep(file: string, isCompressed: boolean, order: ColumnOrder): Promise<number> {
  let [least, last] = [Number.POSITIVE_INFINITY, Number.NaN];
  for await (const lines of linesOf(file, isCompressed))
    for (const { text } of lines) {
      const time = plainTime(order(plainColumns(text))[0] ?? '') ?? Number.NaN;
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

/** So many lines without text may be there beside those with text: packed, a million of them is a thousand bytes. */
const MOST_BLANK = 1_000;

/** The lines of a file, those that were read together at once. */
async function* linesOf(file: string, isCompressed: boolean): AsyncGenerator<readonly Line[]> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  let blank = 0;
  let hasMore = false;
  try {
    for await (const block of bytesOf(file, isCompressed)) {
      const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
      const lines: Line[] = [];
      let begin = 0;
      // a line at a time: the text of a whole block would be large, which makes V8 slow
      for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, begin)) {
        number += 1;
        const text = trimmed(bytes.toString('utf8', begin, end), number);
        if (text.trim() === '') blank += 1;
        if (blank > MOST_BLANK + number / 2) throw badLine({ file, line: number }, 'is one of too many without text');
        lines.push({ number, text, isWhole: true });
        begin = end + 1;
      }
      rest = bytes.subarray(begin);
      if (lines.length > 0) yield lines;
      if (rest.length > LONGEST_LINE) throw badLine({ file, line: number + 1 }, `is longer than ${LONGEST_LINE} bytes`);
    }
  } catch (error) {
    if (!isCutOff(error)) throw unreadable(error, file, number);
    // there is a line that is not whole, even if what could be unpacked ends with one that is
    hasMore = true;
  }
  if (rest.length === 0 && !hasMore) return;
  yield [{ number: number + 1, text: trimmed(rest.toString(), number + 1), isWhole: false }];
}

function trimmed(line: string, number: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return number === 1 && text.startsWith('\u{feff}') ? text.slice(1) : text;
}

async function* bytesOf(file: string, isCompressed: boolean): AsyncGenerator<Buffer> {
  const stream = fs.createReadStream('', { fd: openRegular(file), highWaterMark: BLOCK });
  const read = isCompressed ? pipeline(stream, createGunzip({ chunkSize: BLOCK }), () => undefined) : stream;
  try {
    for await (const bytes of read) yield bytes as Buffer;
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
async function* parquetRows(file: string): AsyncGenerator<readonly (readonly [number, Record<string, unknown>])[]> {
  let read = 0;
  try {
    const buffer = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(buffer);
    const count = Number(metadata.num_rows);
    while (read < count) {
      const rows = { rowStart: read, rowEnd: Math.min(count, read + GROUP_ROWS) };
      const found = await parquetReadObjects({ file: buffer, metadata, ...rows });
      yield found.map((fields, index) => [rows.rowStart + index + 1, fields] as const);
      read = rows.rowEnd;
    }
  } catch {
    throw badLine({ file, line: read + 1 }, 'cannot be read: the Parquet file is damaged', TAPE_FORMS);
  }
}
