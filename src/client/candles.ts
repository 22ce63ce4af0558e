import { CANDLE_MS } from '../protocol/candles.js';
import type { CandleType } from '../protocol/operations/market-data.js';
import type { ExchangeClient } from './exchange-client.js';

/** "At most 1000 per response." */
const MOST_ROWS = 1000;

export interface Candle {
  /** Opening time in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

export interface CandleRange {
  readonly market: string;
  readonly type: CandleType;
  /** The first candle that is wanted opens at or after this; the latest `size` candles when undefined. */
  readonly since: number | undefined;
  /** The last candle that is wanted opens at or before this. */
  readonly until: number;
  readonly size: number | undefined;
}

export interface Candles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** The first candles of the range could not be had: they opened before this time. */
  readonly missingBefore: number | null;
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

async function pages(client: ExchangeClient, { market, type, until }: CandleRange, start: number): Promise<Candles> {
  const candles: Candle[] = [];
  for (let next = start; ; ) {
    const page = await readPage(client, market, type, next);
    const first = page[0];
    if (first === undefined) return { candles, missingBefore: null };
    const isFull = page.length >= MOST_ROWS;
    // a full page that starts late has pushed out what lies before it
    if (isFull && first.time - next > CANDLE_MS[type])
      return { candles: [...candles, ...page], missingBefore: first.time };
    candles.push(...page);
    const last = page.at(-1) ?? first;
    if (!isFull || last.time >= until || last.time < next) return { candles, missingBefore: null };
    next = last.time + 1;
  }
}

/** The candles that open at or after `since`: the exchange's own `since` is exclusive. */
async function readPage(client: ExchangeClient, market: string, type: CandleType, since: number): Promise<Candle[]> {
  const { data } = await client.read('kline', {
    market,
    type,
    since: String(Math.max(since - 1, 0)),
    size: String(MOST_ROWS),
  });
  return data
    .map(([time, open, high, low, close, volume]) => ({ time, open, high, low, close, volume }))
    .filter(({ time }) => time >= since)
    .sort((left, right) => left.time - right.time);
}

/** From a given start the first `size` are meant, otherwise the latest. */
function cut(candles: readonly Candle[], { since, size }: CandleRange): readonly Candle[] {
  if (size === undefined) return candles;
  return since === undefined ? candles.slice(-size) : candles.slice(0, size);
}
