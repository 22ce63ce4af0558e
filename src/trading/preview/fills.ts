import { Decimal } from '../../domain/decimal.js';
import type { Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/words.js';

/** What of an order would fill at once, by the book as it stands. */
export interface Fills {
  /** In the base coin. */
  readonly amount: Decimal;
  /** In the quote coin. */
  readonly value: Decimal;
  /** The book was seen only so far, and whoever stands behind may fill more. */
  readonly atLeast: boolean;
}

/** An average need not lie on a tick. */
const AVERAGE_DECIMALS = 10;

/**
 * Walks the other side of the book, best first, as far as the price reaches.
 * @param levels the asks for a buy, the bids for a sell
 */
export function fillsAtOnce(levels: readonly Level[], side: Side, price: Decimal, amount: Decimal): Fills {
  let [left, value] = [amount, Decimal.zero];
  let reached = 0;
  for (const level of levels) {
    const levelPrice = Decimal.of(level.price);
    if (left.sign <= 0 || (side === 'buy' ? price.compare(levelPrice) < 0 : price.compare(levelPrice) > 0)) break;
    const offered = Decimal.of(level.amount);
    const taken = offered.compare(left) < 0 ? offered : left;
    left = left.minus(taken);
    value = value.plus(taken.times(levelPrice));
    reached += 1;
  }
  return { amount: amount.minus(left), value, atLeast: left.sign > 0 && reached > 0 && reached === levels.length };
}

/** The price of what fills, rounded against who pays it: up for a buy, down for a sell. Null where nothing fills. */
export function averagePrice({ amount, value }: Fills, side: Side): Decimal | null {
  if (amount.sign <= 0) return null;
  return value.dividedBy(amount, AVERAGE_DECIMALS, side === 'buy' ? 'up' : 'down').trimmed();
}
