import { CANDLE_MS, type Candle, type CandleType, type Ohlcv } from '../../domain/candle.js';
import type { Moment } from '../../domain/moment.js';
import { Failure } from '../../errors.js';
import type { RequestOf } from '../operations/index.js';

/** "At most 1000 per response." */
const MAX_ROWS = 1000;

/** Where the pages of candles come from. */
export interface CandleSource {
  candlePage(request: RequestOf<'kline'>): Promise<{ readonly rows: readonly Ohlcv[]; readonly asOf: number | null }>;
  marketNow(): number;
}

/** Candles of one answer, oldest first. */
export interface CandlePage {
  readonly candles: readonly Candle[];
  /** Whether the answer had no room for more. */
  readonly isFull: boolean;
  /** The earliest moment that they can be of, in milliseconds since the Unix epoch; null if the answer shows none. */
  readonly asOf: number | null;
}

export interface CandleSeries {
  readonly market: string;
  readonly type: CandleType;
}

export interface CandleRange extends CandleSeries {
  /** Opening time of the first candle, inclusive; undefined for the latest `size` candles. */
  readonly since?: Moment | undefined;
  /** Candles open before this time; undefined for all up to the newest. */
  readonly until?: Moment | undefined;
  readonly size?: number | undefined;
}

export interface Candles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** Why a part of the range is missing: a Failure `partial`. */
  readonly failure: Failure | null;
}

/** The first page of a range, and where the range begins. */
export interface FirstPage extends CandlePage {
  readonly start: number;
}

/**
 * Reads a range of candles. The interface has no end parameter and returns at most the latest 1000 rows after `since`. So a
 * longer range needs a deployment that returns the first rows instead, which can be paged; otherwise `failure` says what is
 * missing.
 */
export async function readCandles(source: CandleSource, range: CandleRange): Promise<Candles> {
  const { since, until = () => Number.POSITIVE_INFINITY, size = MAX_ROWS } = range;
  if (since === undefined && range.until === undefined && size <= MAX_ROWS) return readNewest(source, range, size);
  const latest = (now: number) => Math.min(until(now), now) - size * CANDLE_MS[range.type];
  const first = await readFirstPage(source, range, since ?? latest);
  const last = until(source.marketNow());
  const found = await readOn(source, range, first, last);
  const inRange = found.candles.filter(({ time }) => time >= first.start && time < last);
  return { ...found, candles: cut(inRange, range) };
}

/** Reads the newest candles that there are: a quiet market has none for minutes without a trade. */
async function readNewest(source: CandleSource, { market, type }: CandleSeries, size: number): Promise<Candles> {
  const { rows, asOf } = await source.candlePage({ market, type, size });
  return { candles: markClosed(rows, type, asOf).slice(-size), failure: null };
}

/**
 * Reads the first page of a range that may begin at an age. Only the answer shows what time it is on the exchange: if this
 * machine's clock is fast, the page begins too late and is read again.
 */
export async function readFirstPage(
  source: CandleSource,
  { market, type }: CandleSeries,
  since: Moment,
): Promise<FirstPage> {
  const read = (from: number) => readCandlePage(source, { market, type }, from);
  const from = since(source.marketNow());
  const page = await read(from);
  const start = since(source.marketNow());
  return { ...(start < from ? await read(start) : page), start };
}

async function readOn(source: CandleSource, range: CandleRange, first: FirstPage, until: number): Promise<Candles> {
  const candles: Candle[] = [];
  let page = first.candles;
  for (let next = first.start; ; ) {
    const oldest = page[0];
    const newest = page.at(-1);
    if (oldest === undefined || newest === undefined) return { candles, failure: null };
    candles.push(...page);
    const isFull = page.length >= MAX_ROWS;
    // a full page that starts late lacks the candles before it
    if (isFull && oldest.time - next > CANDLE_MS[range.type]) return { candles, failure: pushedOut(oldest) };
    const isEnough = newest.time >= until || hasSize(candles.length, range);
    if (!isFull || newest.time < next || isEnough) return { candles, failure: null };
    next = newest.time + 1;
    const later = await nextPage(source, range, next);
    if (later instanceof Failure) return { candles, failure: later };
    page = later;
  }
}

/** With a start, the first `size` candles are wanted, so no more pages are needed. */
function hasSize(count: number, { since, size }: CandleRange): boolean {
  return since !== undefined && size !== undefined && count >= size;
}

/** The candles from a time on, in milliseconds since the Unix epoch. Throws Failure as a read. */
export async function readCandlePage(
  source: CandleSource,
  { market, type }: CandleSeries,
  from: number,
): Promise<CandlePage> {
  const { rows, asOf } = await source.candlePage({ market, type, from, size: MAX_ROWS });
  return { candles: markClosed(rows, type, asOf), isFull: rows.length >= MAX_ROWS, asOf };
}

/**
 * Which candles of one answer, oldest first, are over: those before another one, and the last if it had ended when the exchange
 * answered.
 * @param asOf the earliest moment that the answer can be of, in milliseconds since the Unix epoch; null if it shows none
 */
export function markClosed(candles: readonly Ohlcv[], type: CandleType, asOf: number | null): Candle[] {
  const [last] = candles.slice(-1);
  return candles.map((candle) => {
    const isEnded = asOf !== null && candle.time + CANDLE_MS[type] <= asOf;
    return { ...candle, closed: isEnded || (last !== undefined && candle.time < last.time) };
  });
}

/** A page after others, or a Failure `partial` if it cannot be read. */
async function nextPage(
  source: CandleSource,
  series: CandleSeries,
  from: number,
): Promise<readonly Candle[] | Failure> {
  try {
    return (await readCandlePage(source, series, from)).candles;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const hint = 'Later candles are missing; --timeout gives more time.';
    return new Failure('partial', `Some candles could not be read: ${error.message}`, { hint });
  }
}

function pushedOut({ time }: Candle): Failure {
  const start = new Date(time).toISOString();
  const hint = 'A larger --type reaches further back.';
  return new Failure('partial', `The exchange returns only its latest candles: those before ${start} are missing.`, {
    hint,
  });
}

/** With a start, the first `size` candles are wanted, otherwise the latest. */
function cut(candles: readonly Candle[], { since, size }: CandleRange): readonly Candle[] {
  if (size === undefined) return candles;
  return since === undefined ? candles.slice(-size) : candles.slice(0, size);
}
