import type { CandleType } from '../../domain/candle.js';
import { CANDLE_MS } from '../../domain/candle.js';
import type { Table } from '../store/table.js';

export type { CandleType };

/** The candle types that are stored. Every other type is an exact sum of one of them. */
export const STORED_CANDLE_TYPES = ['1min', '30min', '6hour', '1day'] as const;

export type StoredCandleType = (typeof STORED_CANDLE_TYPES)[number];

/** Prices in ticks, volume in lots; `time` is the ms at which it begins. */
export interface MarketCandle {
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

const LEVEL_OF: Readonly<Record<CandleType, StoredCandleType>> = {
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

/** In milliseconds. @internal for its test */
export function candleLength(type: CandleType): number {
  return CANDLE_MS[type];
}

/** The stored type that a type is made of. */
function levelOf(type: CandleType): StoredCandleType {
  return LEVEL_OF[type];
}

/**
 * When the candle that contains `time` begins. The interface does not say how candles align: here all align to UTC, weeks
 * begin on Monday, and three-day candles count from the Unix epoch.
 * @internal for its test
 */
export function candleStart(type: CandleType, time: number): number {
  const length = CANDLE_MS[type];
  const offset = type === '1week' ? MONDAY : 0;
  return Math.floor((time - offset) / length) * length + offset;
}

/** A candle with one trade. */
function tradeCandle(time: number, price: bigint, volume: bigint): MarketCandle {
  return { time, open: price, high: price, low: price, close: price, volume };
}

/** Two candles of the same span, the first before the second, as one. */
export function joinCandles(first: MarketCandle, second: MarketCandle): MarketCandle {
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
 * Sums candles, oldest first, into those of a longer type. Spans without trades are left out. A span whose first candle is
 * missing opens at the previous close (`close` for the first one), as the sum of rows without gaps would.
 */
export function aggregate(candles: Iterable<MarketCandle>, type: CandleType, close?: bigint): MarketCandle[] {
  const sums: MarketCandle[] = [];
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

/** The candle that begins at `time`, from the first candle within it and the previous close. */
function opening(time: number, first: MarketCandle, close: bigint | undefined): MarketCandle {
  if (close === undefined || first.time === time) return { ...first, time };
  return joinCandles(tradeCandle(time, close, 0n), first);
}

/** A row for every span from `from` to `to`, both included. Spans without trades repeat the last close, with no volume. */
function withoutGaps(
  candles: readonly MarketCandle[],
  type: CandleType,
  from: number,
  to: number,
  close: bigint,
): MarketCandle[] {
  const rows: MarketCandle[] = [];
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

/** A market's candles before trading began: from `start` to before `end`. */
export interface History {
  readonly start: number;
  readonly end: number;
  /** The candles of a level that begin in [from, to), oldest first. There is one for each minute. */
  candles(level: StoredCandleType, from: number, to: number): MarketCandle[];
}

/** The key of a candle, and the candle so far. */
interface Slot {
  readonly key: string;
  candle: MarketCandle | undefined;
}

/** The candles of one market: its history, and those of its trades since. */
export class MarketCandles {
  readonly #market: string;
  readonly #history: History;
  readonly #table: Table<MarketCandle>;

  readonly #current = new Map<StoredCandleType, Slot>();
  #lastPrice: bigint | undefined;
  #newest = 0;

  /** @param history its past; for a market without one, where it begins unless a recording has candles of before (ms) */
  constructor(market: string, history: History | number, table: Table<MarketCandle>) {
    this.#market = market;
    this.#history = typeof history === 'number' ? this.#recordedHistory(history) : history;
    this.#table = table;
  }

  /** Adds a trade. `time` is in ms and never before the previous trade's. */
  record(time: number, price: bigint, volume: bigint): void {
    this.#add(tradeCandle(candleStart('1min', time), price, volume));
  }

  /** Adds a candle that begins in the newest minute or after it to that minute and to the longer ones. */
  #add(newest: MarketCandle): void {
    this.#lastPrice ??= newest.time === this.#history.end ? undefined : this.#closeBefore(newest.time);
    for (const level of STORED_CANDLE_TYPES) {
      const start = candleStart(level, newest.time);
      const slot = this.#slot(level, start);
      const { candle: before } = slot;
      slot.candle = before === undefined ? opening(start, newest, this.#lastPrice) : joinCandles(before, newest);
      this.#table.put(slot.key, slot.candle);
    }
    this.#lastPrice = newest.close;
    this.#newest = Math.max(this.#newest, newest.time);
  }

  /**
   * Puts a recorded candle in the place of what the minute at which it begins has had, and sums the longer ones again. Trades that
   * follow are added to it.
   */
  replace(candle: MarketCandle): void {
    // the usual case: nothing is there to be replaced
    if (this.#newest > 0 && candle.time > this.#newest) {
      this.#add(candle);
      return;
    }
    this.#put('1min', candle);
    for (const [index, level] of STORED_CANDLE_TYPES.entries()) {
      const shorter = STORED_CANDLE_TYPES[index - 1];
      if (shorter === undefined) continue;
      const start = candleStart(level, candle.time);
      const range = { start: this.#key(shorter, start), end: this.#key(shorter, start + candleLength(level)) };
      const rows = Array.from(this.#table.entries(range), ([, row]) => row);
      const [sum] = aggregate(rows, level, this.#closeBefore(start));
      if (sum !== undefined) this.#put(level, sum);
    }
    if (candle.time >= this.#newest) this.#lastPrice = candle.close;
    this.#newest = Math.max(this.#newest, candle.time);
  }

  /** Rows without gaps up to `now`, oldest first: the latest (or the first) `size` of those that begin at `since` or later. */
  read(type: CandleType, now: number, size: number, since = 0, which: 'first' | 'latest' = 'latest'): MarketCandle[] {
    const length = candleLength(type);
    const span = (size - 1) * length;
    const first = candleStart(type, this.#history.start);
    const wanted = Math.max(first, candleStart(type, Math.max(since, 0) + length - 1));
    const end = candleStart(type, now);
    const last = which === 'first' ? Math.min(end, wanted + span) : end;
    const from = Math.max(wanted, last - span);
    if (from > last) return [];
    const stored = this.#stored(levelOf(type), from, last + length);
    const close = stored[0]?.time === from ? undefined : this.#closeBefore(from);
    return withoutGaps(aggregate(stored, type, close), type, from, last, close ?? 0n);
  }

  /** The past of a market that follows a recording: it begins with the first candle. */
  #recordedHistory(begin: number): History {
    const first = () => {
      const key = (time: number) => this.#key('1min', time);
      for (const [, { time }] of this.#table.entries({ start: key(0), end: key(begin) })) return time;
      return begin;
    };
    return {
      get start() {
        return first();
      },
      end: begin,
      candles: () => [],
    };
  }

  /** The last price before `time`; undefined if there was none. */
  #closeBefore(time: number): bigint | undefined {
    const { start, end } = { start: this.#key('1min', 0), end: this.#key('1min', time) };
    for (const [, candle] of this.#table.entries({ start, end, reverse: true })) return candle.close;
    // a history has every minute, so the last one before is enough
    const last = Math.min(time, this.#history.end) - MINUTE;
    return this.#history.candles('1min', Math.max(this.#history.start, last), time).at(-1)?.close;
  }

  #stored(level: StoredCandleType, from: number, to: number): MarketCandle[] {
    const history = this.#history;
    const old = from < history.end ? history.candles(level, from, to) : [];
    const range = { start: this.#key(level, from), end: this.#key(level, to) };
    const live = Array.from(this.#table.entries(range), ([, candle]) => candle);
    return aggregate([...old, ...live], level);
  }

  #put(level: StoredCandleType, candle: MarketCandle): void {
    const key = this.#key(level, candle.time);
    const current = this.#current.get(level);
    if (current?.key === key) this.#current.set(level, { key, candle });
    this.#table.put(key, candle);
  }

  /** The slot that begins at `start`, which is the current one from now on. */
  #slot(level: StoredCandleType, start: number): Slot {
    const current = this.#current.get(level);
    if (current?.candle?.time === start) return current;
    const key = this.#key(level, start);
    const slot = { key, candle: this.#table.get(key) };
    this.#current.set(level, slot);
    return slot;
  }

  #key(level: StoredCandleType, time: number): string {
    return `${this.#market}/${level}/${String(time).padStart(15, '0')}`;
  }
}
