import {
  aggregate,
  type Candle,
  type CandleType,
  candleLength,
  candleStart,
  joinCandles,
  LEVELS,
  type Level,
  levelOf,
  opening,
  tradeCandle,
  withoutGaps,
} from './candles.js';
import type { Codec, Table } from './store-table.js';

/** What happened before trading began: a market's candles from `start` to before `end`. */
export interface History {
  readonly start: number;
  readonly end: number;
  /** The candles of a level that begin in [from, to), oldest first. */
  candles(level: Level, from: number, to: number): Candle[];
}

export const candleCodec: Codec<Candle> = {
  encode: ({ time, open, high, low, close, volume }) => [time, ...[open, high, low, close, volume].map(String)],
  decode: (row) => {
    const [time, open, high, low, close, volume] = row as [number, string, string, string, string, string];
    return {
      time,
      open: BigInt(open),
      high: BigInt(high),
      low: BigInt(low),
      close: BigInt(close),
      volume: BigInt(volume),
    };
  },
};

/** Where a candle is kept, and what is in it so far. */
interface Slot {
  readonly key: string;
  readonly candle: Candle | undefined;
}

/** The candles of one market: its history, and what its trades made of the time since. */
export class CandleSeries {
  private readonly current = new Map<Level, Slot>();
  private lastPrice: bigint | undefined;

  constructor(
    private readonly market: string,
    private readonly history: History,
    private readonly table: Table<Candle>,
  ) {}

  /** Takes in a trade: `time` in ms and never before the trade before it. */
  record(time: number, price: bigint, volume: bigint): void {
    const trade = tradeCandle(candleStart('1min', time), price, volume);
    this.lastPrice ??= trade.time === this.history.end ? undefined : this.closeBefore(trade.time);
    for (const level of LEVELS) {
      const start = candleStart(level, time);
      const { key, candle: before } = this.slot(level, start);
      const candle = before === undefined ? opening(start, trade, this.lastPrice) : joinCandles(before, trade);
      this.current.set(level, { key, candle });
      this.table.put(key, candle);
    }
    this.lastPrice = price;
  }

  /** Rows without gaps up to `now`, oldest first: the latest `size` of those that do not begin before `since`, or the first. */
  read(type: CandleType, now: number, size: number, since = 0, which: 'first' | 'latest' = 'latest'): Candle[] {
    const length = candleLength(type);
    const span = (size - 1) * length;
    const first = candleStart(type, this.history.start);
    const wanted = Math.max(first, candleStart(type, Math.max(since, 0) + length - 1));
    const end = candleStart(type, now);
    const last = which === 'first' ? Math.min(end, wanted + span) : end;
    const from = Math.max(wanted, last - span);
    if (from > last) return [];
    const stored = this.stored(levelOf(type), from, last + length);
    const close = stored[0]?.time === from ? undefined : this.closeBefore(from);
    return withoutGaps(aggregate(stored, type, close), type, from, last, close ?? 0n);
  }

  /** The last price before `time`; undefined before the history. */
  private closeBefore(time: number): bigint | undefined {
    const { start, end } = { start: this.key('1min', 0), end: this.key('1min', time) };
    for (const candle of this.table.range({ start, end, reverse: true })) return candle.close;
    return this.history.candles('1min', this.history.start, time).at(-1)?.close;
  }

  private stored(level: Level, from: number, to: number): Candle[] {
    const { history } = this;
    const old = from < history.end ? history.candles(level, from, to) : [];
    const live = [...this.table.range({ start: this.key(level, from), end: this.key(level, to) })];
    return aggregate([...old, ...live], level);
  }

  private slot(level: Level, start: number): Slot {
    const current = this.current.get(level);
    if (current?.candle?.time === start) return current;
    const key = this.key(level, start);
    return { key, candle: this.table.get(key) };
  }

  private key(level: Level, time: number): string {
    return `${this.market}/${level}/${String(time).padStart(15, '0')}`;
  }
}
