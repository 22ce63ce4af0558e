import { CANDLE_MS, type Candle, type CandleType } from '../domain/candle.js';
import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';

/** "At most 1000 per response." */
const MOST_ROWS = 1000;

interface CandleRange {
  readonly market: string;
  readonly type: CandleType;
  /** The first candle that is wanted opens at or after this; the latest `size` candles when undefined. */
  readonly since: number | undefined;
  /** The last candle that is wanted opens at or before this. */
  readonly until: number;
  readonly size: number | undefined;
}

interface Candles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** Why a part of the range could not be had: a Failure `partial`. */
  readonly failure: Failure | null;
}

/**
 * Reads a range of candles. The interface has no end parameter and gives at most the latest 1000 rows after `since`, so
 * a longer range can be had only from a deployment that serves the first rows: there the pages follow each other, and
 * elsewhere the missing part is told.
 */
export async function readCandles(client: ExchangeClient, range: CandleRange): Promise<Candles> {
  const start = range.since ?? startOf(range);
  const found = await pages(client, range, start);
  const inRange = found.candles.filter(({ time }) => time >= start && time <= range.until);
  return { ...found, candles: cut(inRange, range) };
}

/** The opening time of the first of the latest `size` candles. */
function startOf({ type, until, size = MOST_ROWS }: CandleRange): number {
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
    const isFull = page.length >= MOST_ROWS;
    // a full page that starts late has pushed out what lies before it
    if (isFull && first.time - next > CANDLE_MS[range.type]) return { candles, failure: pushedOut(first) };
    if (!isFull || last.time < next || isEnough(candles.length, last, range)) return { candles, failure: null };
    next = last.time + 1;
  }
}

/** From a given start the first `size` are meant, so that no more pages are needed than they take. */
function isEnough(count: number, last: Candle, { since, until, size }: CandleRange): boolean {
  return last.time >= until || (since !== undefined && size !== undefined && count >= size);
}

/** A page; the reason as a Failure `partial` where it cannot be had and earlier ones were. */
async function nextPage(
  client: ExchangeClient,
  { market, type }: CandleRange,
  from: number,
  isLater: boolean,
): Promise<readonly Candle[] | Failure> {
  try {
    return await client.candlePage({ market, type, from, size: MOST_ROWS });
  } catch (error) {
    if (!isLater || !(error instanceof Failure)) throw error;
    const hint = 'Later candles are missing here; --timeout gives more time.';
    return new Failure('partial', `Not every candle could be had: ${error.message}`, { hint });
  }
}

function pushedOut({ time }: Candle): Failure {
  const start = new Date(time).toISOString();
  const hint = 'A larger --type reaches further back.';
  return new Failure('partial', `The exchange gives only its latest candles: those before ${start} are missing here.`, {
    hint,
  });
}

/** From a given start the first `size` are meant, otherwise the latest. */
function cut(candles: readonly Candle[], { since, size }: CandleRange): readonly Candle[] {
  if (size === undefined) return candles;
  return since === undefined ? candles.slice(-size) : candles.slice(0, size);
}
