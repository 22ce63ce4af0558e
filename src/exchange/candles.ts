import { CANDLE_MS, type Candle, type CandleType } from '../domain/candle.js';
import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';

/** "At most 1000 per response." */
const MAX_ROWS = 1000;

interface CandleRange {
  readonly market: string;
  readonly type: CandleType;
  /** Opening time of the first candle, inclusive; undefined for the latest `size` candles. */
  readonly since: number | undefined;
  /** Opening time of the last candle, inclusive. */
  readonly until: number;
  readonly size: number | undefined;
}

interface Candles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** Why a part of the range is missing: a Failure `partial`. */
  readonly failure: Failure | null;
}

/**
 * Reads a range of candles. The interface has no end parameter and returns at most the latest 1000 rows after `since`. So a
 * longer range needs a deployment that returns the first rows instead, which can be paged; otherwise `failure` says what is
 * missing.
 */
export async function readCandles(client: ExchangeClient, range: CandleRange): Promise<Candles> {
  const start = range.since ?? startOf(range);
  const found = await pages(client, range, start);
  const inRange = found.candles.filter(({ time }) => time >= start && time <= range.until);
  return { ...found, candles: cut(inRange, range) };
}

/** The opening time of the first of the latest `size` candles. */
function startOf({ type, until, size = MAX_ROWS }: CandleRange): number {
  return until - size * CANDLE_MS[type];
}

async function pages(client: ExchangeClient, range: CandleRange, start: number): Promise<Candles> {
  const candles: Candle[] = [];
  for (let next = start; ; ) {
    const page = await nextPage(client, range, next, candles.length > 0);
    if (page instanceof Failure) return { candles, failure: page };
    const [first, last] = [page[0], page.at(-1)];
    if (first === undefined || last === undefined) return { candles, failure: null };
    candles.push(...page);
    const isFull = page.length >= MAX_ROWS;
    // a full page that starts late lacks the candles before it
    if (isFull && first.time - next > CANDLE_MS[range.type]) return { candles, failure: pushedOut(first) };
    if (!isFull || last.time < next || isEnough(candles.length, last, range)) return { candles, failure: null };
    next = last.time + 1;
  }
}

/** With a start, the first `size` candles are wanted, so no more pages are needed. */
function isEnough(count: number, last: Candle, { since, until, size }: CandleRange): boolean {
  return last.time >= until || (since !== undefined && size !== undefined && count >= size);
}

/** A page, or a Failure `partial` if it cannot be read and earlier ones were. */
async function nextPage(
  client: ExchangeClient,
  { market, type }: CandleRange,
  from: number,
  isLater: boolean,
): Promise<readonly Candle[] | Failure> {
  try {
    return await client.candlePage({ market, type, from, size: MAX_ROWS });
  } catch (error) {
    if (!isLater || !(error instanceof Failure)) throw error;
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
