import { Decimal, grouped } from './decimal.js';
import type { Depth, Level } from './market-data.js';

/** The best prices of a book; null if that side is empty. */
export interface BestPrices {
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
}

/** The best price of one side; null if it is empty. A price of zero counts as none. */
export function bestOf(levels: readonly Level[]): Decimal | null {
  const [best] = levels;
  const price = best === undefined ? Decimal.zero : Decimal.of(best.price);
  return price.sign > 0 ? price : null;
}

/** The best price of each side; null for an empty one. */
export function bestPrices({ bids, asks }: Pick<Depth, 'bids' | 'asks'>): BestPrices {
  return { bid: bestOf(bids), ask: bestOf(asks) };
}

/** Whether the best bid is at the best ask or above it, which exchanges send for a moment. Such a book has no middle. */
export function isCrossed({ bid, ask }: BestPrices): boolean {
  return bid !== null && ask !== null && bid.compare(ask) >= 0;
}

/** The middle of the book; null if a side is empty or the book is crossed. */
export function midOf(best: BestPrices): Decimal | null {
  const { bid, ask } = best;
  return bid === null || ask === null || isCrossed(best) ? null : bid.plus(ask).times(Decimal.of('0.5'));
}

/** `The book is crossed: the best bid 105 is above the best ask 100`, as the begin of a sentence; undefined if it is not. */
export function crossedText(best: BestPrices): string | undefined {
  const { bid, ask } = best;
  if (bid === null || ask === null || !isCrossed(best)) return undefined;
  const [shownBid, shownAsk] = [bid, ask].map((price) => grouped(price.toString()));
  return bid.equals(ask)
    ? `The book is locked: the best bid and the best ask are both ${shownBid}`
    : `The book is crossed: the best bid ${shownBid} is above the best ask ${shownAsk}`;
}
