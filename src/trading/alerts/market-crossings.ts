import type { BestPrices } from '../../domain/book.js';
import type { Ohlcv } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { compareIds, isOvertaken, type Ticker, type Trade } from '../../domain/market-data.js';
import { type ClosingPrice, Crossing, type Threshold } from './crossing.js';
import { alertField } from './fields.js';
import { type Trail, TrailCrossing } from './trail.js';

/** A level that was crossed. */
export interface Crossed {
  readonly condition: Threshold | ClosingPrice | Trail;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly value: Decimal;
}

/** The prices of a time in which pit did not see the market. */
type PriceCandle = Pick<Ohlcv, 'time' | 'high' | 'low' | 'close'>;

/** Whether the number of a threshold is that of each trade. */
export function isOfTrades({ field }: Threshold): boolean {
  return alertField(field).shownBy === 'trades';
}

/**
 * The levels that the numbers of a market cross. The last price is that of each trade, in the order of their ids: a ticker would
 * skip what lies between two of them. The other numbers are those of the ticker.
 */
export class MarketCrossings {
  readonly #crossings: readonly Crossing[];
  readonly #trails: readonly TrailCrossing[];
  /** Those of a number that each trade shows. */
  readonly #ofTrades: readonly Crossing[];
  #tickers = 0n;
  #tickerTime = Number.NEGATIVE_INFINITY;
  #lastTrade: Trade | undefined;
  #hasBegun = false;
  /** The newest trade that candles have covered. */
  #coveredTo: string | undefined;

  /** @param reportsPresent whether a level that a number is already beyond at the start counts as crossed */
  constructor(thresholds: readonly Threshold[], trails: readonly Trail[], reportsPresent: boolean) {
    this.#crossings = thresholds.map((threshold) => new Crossing(threshold, reportsPresent));
    this.#trails = trails.map((trail) => new TrailCrossing(trail));
    this.#ofTrades = this.#crossings.filter(({ threshold }) => isOfTrades(threshold));
  }

  /** The newest trade that was taken; undefined before the first. */
  get lastTrade(): Trade | undefined {
    return this.#lastTrade;
  }

  /** Whether best prices, and trades at these prices after the newest, change nothing. */
  isUnmovedBy({ bid, ask }: BestPrices, traded: () => readonly Decimal[]): boolean {
    for (const crossing of this.#crossings) {
      if (isOfTrades(crossing.threshold)) continue;
      const { bestPrice } = alertField(crossing.threshold.field);
      // the other numbers are only in the ticker
      const value = bestPrice === undefined ? null : { bid, ask }[bestPrice];
      if (value === null || !crossing.isUnmovedBy(value)) return false;
    }
    const ofTrades = [...this.#ofTrades, ...this.#trails];
    return ofTrades.length === 0 || traded().every((price) => ofTrades.every((one) => one.isUnmovedBy(price)));
  }

  takeTicker(ticker: Ticker & { readonly time: number }): Crossed[] {
    const { time } = ticker;
    // the channel may begin with one from before the start
    if (isOvertaken(time, this.#tickerTime)) return [];
    this.#tickerTime = time;
    this.#tickers += 1n;
    return this.#crossings.flatMap((crossing) => {
      const { threshold } = crossing;
      const value = isOfTrades(threshold) ? null : alertField(threshold.field).valueIn(ticker);
      if (value === null) return [];
      return crossing.take({ position: this.#tickers, time, value }) ? [{ condition: threshold, time, value }] : [];
    });
  }

  /** Takes trades that were not taken yet. Of the first ones, only the newest is of the present. */
  takeTrades(trades: readonly Trade[]): Crossed[] {
    const covered = this.#coveredTo;
    const ordered = trades
      .filter(({ id }) => covered === undefined || compareIds(id, covered) > 0)
      .toSorted((left, right) => compareIds(left.id, right.id));
    const taken = this.#hasBegun ? ordered : ordered.slice(-1);
    this.#hasBegun = true;
    const newest = ordered.at(-1);
    if (newest !== undefined && (this.#lastTrade === undefined || compareIds(newest.id, this.#lastTrade.id) > 0))
      this.#lastTrade = newest;
    return taken.flatMap(({ id, time, price }) => {
      const observation = { position: BigInt(id), time, value: Decimal.of(price) };
      return [
        ...this.#ofTrades
          .filter((crossing) => crossing.take(observation))
          .map(({ threshold }) => ({ condition: threshold, time, value: observation.value })),
        ...this.#trails.flatMap((crossing) => {
          const reached = crossing.take(observation);
          return reached === undefined ? [] : [{ condition: crossing.trail, ...reached }];
        }),
      ];
    });
  }

  /**
   * Takes candles, oldest first, for a time whose trades are missing.
   * @param newest the newest trade that is known to lie in them: it and those before are not taken any more
   */
  takeCandles(candles: readonly PriceCandle[], newest: string | undefined): Crossed[] {
    this.#coveredTo = newest ?? this.#coveredTo;
    return candles.flatMap((candle) => [
      ...this.#ofTrades.flatMap((crossing) => {
        const value = crossing.takeCandle(candle);
        return value === undefined ? [] : [{ condition: crossing.threshold, time: candle.time, value }];
      }),
      ...this.#trails.flatMap((crossing) => {
        const value = crossing.takeCandle(candle);
        return value === undefined ? [] : [{ condition: crossing.trail, time: candle.time, value }];
      }),
    ]);
  }
}
