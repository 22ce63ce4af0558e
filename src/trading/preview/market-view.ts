import { type BestPrices, bestPrices, midOf } from '../../domain/book.js';
import { Decimal, formatPercent } from '../../domain/decimal.js';
import type { Depth, Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';

/** The book of a market, best first on both sides. */
export interface BookView extends Pick<Depth, 'bids' | 'asks'> {
  /** The last trade's price, read only if the book is empty. */
  readonly last: Decimal | null;
}

/** A book with nothing but the best prices. */
export function viewOf({ bid, ask }: BestPrices): BookView {
  const level = (price: Decimal | null) => (price === null ? [] : [{ price: price.toString(), amount: '1' }]);
  return { bids: level(bid), asks: level(ask), last: null };
}

/** A price to compare others with. */
export interface Reference {
  readonly price: Decimal;
  readonly name: 'mid' | 'the best bid' | 'the best ask' | 'the last price';
}

/**
 * The middle of the book; if a side is empty, the best price of the other; if both are, the last price. In a crossed book, the
 * best price that an order of this side meets. Null without any.
 */
export function referenceOf(view: BookView, side: Side): Reference | null {
  const best = bestPrices(view);
  const mid = midOf(best);
  if (mid !== null) return { price: mid, name: 'mid' };
  const { bid, ask } = best;
  if (bid !== null && (ask === null || side === 'sell')) return { price: bid, name: 'the best bid' };
  if (ask !== null) return { price: ask, name: 'the best ask' };
  return view.last === null || view.last.sign <= 0 ? null : { price: view.last, name: 'the last price' };
}

/** Enough decimals to show a distance of a few ticks. */
const DISTANCE_DECIMALS = 4;

/** How far a price lies above the reference, in percent; negative below it. */
export function distanceFrom(price: Decimal, reference: Reference): Decimal {
  return percentFrom(price, reference.price, DISTANCE_DECIMALS);
}

/** `0.25% above`, `1.20% below`, or `at`. */
export function distanceText(distance: Decimal): string {
  if (distance.sign === 0) return 'at';
  return distance.sign < 0 ? `${formatPercent(distance.negated())} below` : `${formatPercent(distance)} above`;
}

/** How far a price lies above another, in percent with `scale` decimals, rounded away from zero; negative below it. */
export function percentFrom(price: Decimal, from: Decimal, scale: number): Decimal {
  return price.minus(from).times(Decimal.of('100')).dividedBy(from, scale, 'up');
}

/** Whether an order at this price matches the best price of the other side. */
export function crosses(side: Side, price: Decimal, best: Decimal): boolean {
  return side === 'buy' ? price.compare(best) >= 0 : price.compare(best) <= 0;
}

/** What part of an order would fill at once. */
export interface Fills {
  /** In the base coin. */
  readonly amount: Decimal;
  /** In the quote coin. */
  readonly value: Decimal;
  /** Whether the order takes every level that was read, so that deeper levels may fill more. */
  readonly atLeast: boolean;
}

/**
 * Walks the other side of the book, best first, as far as the price reaches.
 * @param levels the asks for a buy, the bids for a sell
 */
export function fillsAtOnce(levels: readonly Level[], side: Side, price: Decimal, amount: Decimal): Fills {
  let left = amount;
  let value = Decimal.zero;
  let reached = 0;
  for (const level of levels) {
    const levelPrice = Decimal.of(level.price);
    if (left.sign <= 0 || !crosses(side, price, levelPrice)) break;
    const offered = Decimal.of(level.amount);
    const taken = offered.compare(left) < 0 ? offered : left;
    left = left.minus(taken);
    value = value.plus(taken.times(levelPrice));
    reached += 1;
  }
  return { amount: amount.minus(left), value, atLeast: left.sign > 0 && reached > 0 && reached === levels.length };
}

/** More decimals than a tick has, because an average need not lie on a tick. */
const AVERAGE_DECIMALS = 10;

/** The average price of the fills, rounded against the user: up for a buy, down for a sell. Null if nothing fills. */
export function averagePrice({ amount, value }: Pick<Fills, 'amount' | 'value'>, side: Side): Decimal | null {
  if (amount.sign <= 0) return null;
  return value.dividedBy(amount, AVERAGE_DECIMALS, side === 'buy' ? 'up' : 'down').trimmed();
}
