import { Decimal } from '../../domain/decimal.js';
import type { OrderTerms } from '../journal/intent.js';

/** Whether the replacement would come to the very order that is there, which would only lose its place in the queue. */
export function changesNothing(
  wanted: OrderTerms,
  { price, amount }: { readonly price: string; readonly amount: string },
): boolean {
  const isSame = (left: string, right: string) => Decimal.of(left).compare(Decimal.of(right)) === 0;
  return isSame(wanted.price, price) && isSame(wanted.amount, amount);
}

/** What can be spent once the cancelled remainder is free again: quote coin for a buy, base coin for a sell. */
export function freed(
  { side }: Pick<OrderTerms, 'side'>,
  order: { readonly price: string; readonly amount: string; readonly filled: string },
): Decimal {
  const left = Decimal.of(order.amount).minus(Decimal.of(order.filled));
  return side === 'buy' ? left.times(Decimal.of(order.price)) : left;
}
