import { Decimal } from '../../domain/decimal.js';
import type { Depth, Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/words.js';
import type { Available } from './outlook.js';

/** An order that is open, and will be cancelled before the one that is looked ahead to is sent. */
export interface Leaving {
  readonly side: Side;
  readonly price: Decimal;
  /** What is open of it, in the base coin. */
  readonly amount: Decimal;
  /** What it holds, and of which coin. */
  readonly held: { readonly coin: string; readonly amount: Decimal };
}

type Book = Pick<Depth, 'bids' | 'asks'>;

/** A book as it will be without the order. One that filled on before the book was read is taken off with what it had. */
export function withoutLeaving({ bids, asks }: Book, leaving: Leaving | undefined): Book {
  if (leaving === undefined) return { bids, asks };
  return leaving.side === 'buy' ? { bids: without(bids, leaving), asks } : { bids, asks: without(asks, leaving) };
}

function without(levels: readonly Level[], { price, amount }: Leaving): Level[] {
  return levels.flatMap((level) => {
    if (Decimal.of(level.price).compare(price) !== 0) return [level];
    const left = Decimal.of(level.amount).minus(amount);
    return left.sign > 0 ? [{ ...level, amount: left.trimmed().toString() }] : [];
  });
}

/** What will be available when the order holds nothing any more. */
export function withLeaving(available: Available, leaving: Leaving | undefined): Available {
  if (leaving === undefined) return available;
  const { coin, amount } = leaving.held;
  return new Map([...available, [coin, (available.get(coin) ?? Decimal.zero).plus(amount)]]);
}
