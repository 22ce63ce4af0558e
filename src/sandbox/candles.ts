import type { CandleType } from '../domain/candle.js';
import { CANDLE_MS } from '../domain/candle.js';

export type { CandleType };

/** The candles that are stored; every other type is an exact aggregate of one of them. */
export const LEVELS = ['1min', '30min', '6hour', '1day'] as const;

export type Level = (typeof LEVELS)[number];

/** Prices in ticks, volume in lots, time in ms: the start of the candle. */
export interface Candle {
  readonly time: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
}

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LEVEL_OF: Readonly<Record<CandleType, Level>> = {
  '1min': '1min',
  '3min': '1min',
  '5min': '1min',
  '15min': '1min',
  '30min': '30min',
  '1hour': '30min',
  '2hour': '30min',
  '4hour': '30min',
  '6hour': '6hour',
  '12hour': '6hour',
  '1day': '1day',
  '3day': '1day',
  '1week': '1day',
};

/** The first Monday after the Unix epoch, which was a Thursday. */
const MONDAY = 4 * DAY;

export function candleLength(type: CandleType): number {
  return CANDLE_MS[type];
}

/** The stored candles that a type is made of. */
export function levelOf(type: CandleType): Level {
  return LEVEL_OF[type];
}

/**
 * When the candle of a type that holds `time` begins. The interface does not say how candles align: here all do to UTC,
 * weeks begin on Monday, and three-day candles count from the Unix epoch.
 */
export function candleStart(type: CandleType, time: number): number {
  const length = CANDLE_MS[type];
  const offset = type === '1week' ? MONDAY : 0;
  return Math.floor((time - offset) / length) * length + offset;
}

/** A candle with one trade. */
export function tradeCandle(time: number, price: bigint, volume: bigint): Candle {
  return { time, open: price, high: price, low: price, close: price, volume };
}

/** Two candles of the same span, the first before the second, as one. */
export function joinCandles(first: Candle, second: Candle): Candle {
  return {
    time: first.time,
    open: first.open,
    high: greatest(first.high, second.high),
    low: least(first.low, second.low),
    close: second.close,
    volume: first.volume + second.volume,
  };
}

/**
 * Sums candles, oldest first, into those of a longer type; spans in which nothing happened stay out. The result is what
 * the rows without gaps add up to: a span whose first candle is missing opens at the close before, `close` at first.
 */
export function aggregate(candles: Iterable<Candle>, type: CandleType, close?: bigint): Candle[] {
  const sums: Candle[] = [];
  let carried = close;
  for (const candle of candles) {
    const time = candleStart(type, candle.time);
    const last = sums.at(-1);
    if (last?.time === time) sums[sums.length - 1] = joinCandles(last, candle);
    else sums.push(opening(time, candle, carried));
    carried = candle.close;
  }
  return sums;
}

/** The candle that begins at `time`, from what happened first within it and the close before. */
export function opening(time: number, first: Candle, close: bigint | undefined): Candle {
  if (close === undefined || first.time === time) return { ...first, time };
  return joinCandles(tradeCandle(time, close, 0n), first);
}

/** A row for every span from `from` to `to`, both included: where nothing was traded the last close goes on, without volume. */
export function withoutGaps(
  candles: readonly Candle[],
  type: CandleType,
  from: number,
  to: number,
  close: bigint,
): Candle[] {
  const rows: Candle[] = [];
  let carried = close;
  let next = 0;
  for (let time = from; time <= to; time += candleLength(type)) {
    const candle = candles[next]?.time === time ? candles[next++] : undefined;
    rows.push(candle ?? tradeCandle(time, carried, 0n));
    carried = candle?.close ?? carried;
  }
  return rows;
}

function greatest(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
