import { bestOf } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Level } from '../../domain/market-data.js';
import { isTooSmall } from '../orders/terms.js';

/** Levels of the book that a slice is made of: the most that the interface returns. */
export const LEVELS = 50;

/** A part of what is sold, as one order that fills at once. */
export interface Slice {
  readonly price: Decimal;
  readonly amount: Decimal;
}

/** What limits a slice. */
export interface SliceLimits {
  /** The lowest price to sell at; null without a price band. */
  readonly floor: Decimal | null;
  /** The largest notional of one order, in the quote coin; null if there is no limit. */
  readonly maxNotional: Decimal | null;
}

/** The lowest price within the price band below a reference price, on a tick; null without a band. */
export function floorOf({ priceScale }: Market, reference: Decimal, band: Decimal | null): Decimal | null {
  if (band === null) return null;
  return reference.times(Decimal.of('1').minus(band)).rescaled(priceScale, 'up');
}

/**
 * The next part of an amount to sell: as much as the bids take at the floor or better, at the lowest price that this needs. Null if
 * they take nothing, or less than the market's minimum.
 */
export function nextSlice(
  market: Market,
  bids: readonly Level[],
  left: Decimal,
  { floor, maxNotional }: SliceLimits,
): Slice | null {
  const best = bestOf(bids);
  if (best === null) return null;
  // guards count a sell at the best bid, where it fills
  const most = maxNotional?.dividedBy(best, market.amountScale, 'down');
  const wanted = most !== undefined && most.compare(left) < 0 ? most : left;
  let amount = Decimal.zero;
  let price = best;
  for (const level of bids) {
    const levelPrice = Decimal.of(level.price);
    if (amount.compare(wanted) >= 0 || (floor !== null && levelPrice.compare(floor) < 0)) break;
    amount = amount.plus(Decimal.of(level.amount));
    // an order from before the market had fewer decimals may have more
    price = levelPrice.rescaled(Math.min(levelPrice.scale, market.priceScale), 'down');
  }
  const taken = (amount.compare(wanted) < 0 ? amount : wanted).rescaled(market.amountScale, 'down');
  return taken.sign <= 0 || isTooSmall(market, price, taken) ? null : { price, amount: taken };
}

/** Whether what is left is less than an order may sell. */
export function isDust(market: Market, amount: Decimal, bid: Decimal | null): boolean {
  if (amount.sign <= 0 || amount.compare(Decimal.of(market.minAmount)) < 0) return true;
  return bid !== null && isTooSmall(market, bid, amount);
}
