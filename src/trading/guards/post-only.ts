import type { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/words.js';
import { bestOf } from '../market-view.js';
import { type Breach, broken, isSeen, type Seen, unchecked } from './breach.js';

/** Holds the prices of PostOnly orders against the other side of the book: at its best price they would fill at once. */
export function checkPostOnly(side: Side, prices: readonly Decimal[], seen: Seen): Breach | null {
  if (!isSeen(seen)) return unchecked('post-only', seen);
  const best = bestOf(side === 'buy' ? seen.asks : seen.bids);
  const crossing = best === null ? undefined : prices.find((price) => crosses(side, price, best));
  if (crossing === undefined) return null;
  const name = side === 'buy' ? 'ask' : 'bid';
  return broken('post-only', `at ${crossing} it would fill at once: the best ${name} is ${best}`);
}

/** Whether an order of this price meets somebody who asks or bids the other. */
export function crosses(side: Side, price: Decimal, best: Decimal): boolean {
  return side === 'buy' ? price.compare(best) >= 0 : price.compare(best) <= 0;
}
