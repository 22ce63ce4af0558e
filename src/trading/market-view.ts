import { Decimal } from '../domain/decimal.js';
import type { Depth } from '../domain/market-data.js';

/** The book of a market, best first on both sides. */
export interface MarketView extends Pick<Depth, 'bids' | 'asks'> {
  /** The last trade's price, where the book alone says nothing. */
  readonly last: Decimal | null;
}

/** A price to hold others against. */
export interface Reference {
  readonly price: Decimal;
  readonly name: 'mid' | 'the best bid' | 'the best ask' | 'the last price';
}

const HALF = Decimal.of('0.5');
const HUNDRED = Decimal.of('100');
const DISTANCE_SCALE = 4;

/** The best price of one side; null where nobody is there. A price that is none is nobody's. */
export function bestOf(levels: MarketView['bids']): Decimal | null {
  const [best] = levels;
  const price = best === undefined ? Decimal.zero : Decimal.of(best.price);
  return price.sign > 0 ? price : null;
}

/**
 * The middle of the book; where a side is empty, the other one's best price; where both are, the last trade's price, or
 * null where there is none.
 */
export function referenceOf({ bids, asks, last }: MarketView): Reference | null {
  const [bid, ask] = [bestOf(bids), bestOf(asks)];
  if (bid !== null && ask !== null) return { price: bid.plus(ask).times(HALF), name: 'mid' };
  if (bid !== null) return { price: bid, name: 'the best bid' };
  if (ask !== null) return { price: ask, name: 'the best ask' };
  return last === null || last.sign <= 0 ? null : { price: last, name: 'the last price' };
}

/** How far a price lies above the reference, in percent; negative below it. So fine that a few ticks show. */
export function distanceFrom(price: Decimal, reference: Reference): Decimal {
  return percentFrom(price, reference.price, DISTANCE_SCALE);
}

/** `0.25% above`, `1.2% below`, or `at`. */
export function distanceWords(distance: Decimal): string {
  const percent = distance.trimmed();
  if (percent.sign === 0) return 'at';
  return percent.sign < 0 ? `${percent.negated()}% below` : `${percent}% above`;
}

/** How far a price lies above another, in percent with `scale` decimals, away from zero; negative below it. */
export function percentFrom(price: Decimal, from: Decimal, scale: number): Decimal {
  return price.minus(from).times(HUNDRED).dividedBy(from, scale, 'up');
}
