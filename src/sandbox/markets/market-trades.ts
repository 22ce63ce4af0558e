import type { Side } from '../../domain/order.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { MarketCandles } from './candles.js';

/** A public trade in ticks and lots, with the taker's side. */
export interface MarketTrade {
  readonly id: bigint;
  readonly time: number;
  readonly side: Side;
  readonly price: bigint;
  readonly amount: bigint;
}

/** The most trades shown at once, as the interface states. */
const SHOWN = 50;

/** The trades of one market: the latest in memory, all of them on disk, and their candles. */
export class MarketTrades {
  readonly #market: string;
  readonly #trades: NumberedLists<MarketTrade>;

  readonly #latest: MarketTrade[];

  constructor(
    market: string,
    trades: NumberedLists<MarketTrade>,
    readonly candles: MarketCandles,
  ) {
    this.#market = market;
    this.#trades = trades;

    this.#latest = trades.newest(market, 1, SHOWN).reverse();
  }

  get last(): MarketTrade | undefined {
    return this.#latest.at(-1);
  }

  /** @param isInCandles false for a trade that the candles have already */
  record(trade: MarketTrade, isInCandles = true): void {
    this.#latest.push(trade);
    if (this.#latest.length > SHOWN) this.#latest.shift();
    this.#trades.append(this.#market, trade);
    if (isInCandles) this.candles.record(trade.time, trade.price, trade.amount);
  }

  /** At most 50 trades, oldest first: those that follow an id, or the latest. */
  after(id?: bigint): readonly MarketTrade[] {
    if (id === undefined) return [...this.#latest];
    const oldest = this.#latest[0];
    if (oldest === undefined || id >= oldest.id) {
      const known = this.#latest.findLastIndex((trade) => trade.id <= id);
      return this.#latest.slice(known + 1);
    }
    const first = this.#trades.firstNot(this.#market, (trade) => trade.id <= id);
    return this.#trades.between(this.#market, first, first + SHOWN - 1);
  }
}
