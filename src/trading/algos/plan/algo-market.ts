import { bestOf } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import type { Level } from '../../../domain/market-data.js';

/** What an algo order sees of its market and its account when it decides. */
export interface AlgoMarket {
  /** The exchange's clock: milliseconds since the Unix epoch. */
  readonly now: number;
  /** How old data may be that trigger or price something, in milliseconds: a setting, {@link STALE_MS} by default. */
  readonly staleAfterMs: number;
  /** The newest book; null if none has come. */
  readonly book: AlgoBook | null;
  /**
   * The newest trade, with the age of the channel that shows it, not that of the trade; null if none has come. If a push has several trades, a
   * decision is made for each.
   */
  readonly last: { readonly price: Decimal; readonly tradeId: string | null; readonly ageMs: number } | null;
  /**
   * How long pit has known what a trail protects, by the machine's clock in milliseconds: since it took the algo order over or, with an
   * entry, since it saw its first fill. A trail follows nothing older. Null if there is nothing to protect yet.
   */
  readonly positionAgeMs: number | null;
  /** What the market has shown since the last `best` fact, as {@link seenAfter} keeps it; null at the start and after such a fact. */
  readonly seen: SeenPrices | null;
  /**
   * A time without data that is over. It is given twice, each time until nothing is to be done: from the first decision with fresh data on, and
   * once it is known what trades and candles show of it. Decisions before the first one have it too if they know the book that ends it, which is
   * taken after what came before it. Null otherwise.
   */
  readonly gap: MarketGap | null;
  /** The condition of the entry that holds now, as the user wrote it; null if those that are wanted do not hold. */
  readonly met: { readonly condition: string; readonly late: boolean } | null;
  /** The lowest price of a sell and the highest of a buy that the price band allows; null if it is off or unknown. */
  readonly band: { readonly low: Decimal; readonly high: Decimal } | null;
  /**
   * What is available of the coin that the exits spend, from a balance that was read after the last fill, cancellation and order of this algo
   * order; null if there is no such reading. What its own open orders hold is not in it.
   */
  readonly available: Decimal | null;
  /** The whole balance of that coin by the same reading, with what open orders hold, its own and others; null if there is none. */
  readonly balance: Decimal | null;
  /** When a balance of the account last changed, by the exchange's clock; null if unknown. */
  readonly fundsChanged: number | null;
  /** Until when the limiter lets nothing leave, by the exchange's clock; null if it does. */
  readonly limitedUntil: number | null;
}

/** A time without data, by the exchange's clock in milliseconds since the Unix epoch, with what is known of it. */
export interface MarketGap {
  readonly from: number;
  readonly to: number;
  /** What trades and candles show of it; null if they show nothing. */
  readonly high: Decimal | null;
  readonly low: Decimal | null;
  /** The best price of the trail when the gap ended: what the first book after it shows is not in it. Null if there was none. */
  readonly trailBest: Decimal | null;
  /** The part of it that neither trades nor candles show; null if they show all. */
  readonly unknown: { readonly from: number; readonly to: number } | null;
}

/** The highest and lowest of the prices that could trigger. */
export interface SeenPrices {
  readonly high: Decimal;
  readonly low: Decimal;
}

/** The best prices of a book, with and without the account's own orders; null for an empty side. */
export interface AlgoBook {
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
  readonly othersBid: Decimal | null;
  readonly othersAsk: Decimal | null;
  readonly ageMs: number;
}

/** The default of the setting: older data trigger and price nothing. */
export const STALE_MS = 5_000;

/**
 * The best price of one side without the account's own orders; null if nothing is left.
 * @param levels best first
 * @param own the account's open orders of that side, with what is left of each
 */
export function bestOfOthers(
  levels: readonly Level[],
  own: readonly { readonly price: Decimal; readonly remaining: Decimal }[],
): Decimal | null {
  const best = levels.find((level) => {
    const price = Decimal.of(level.price);
    const mine = Decimal.sum(own.filter((order) => order.price.equals(price)).map(({ remaining }) => remaining));
    return Decimal.of(level.amount).compare(mine) > 0;
  });
  return best === undefined ? null : bestOf([best]);
}
