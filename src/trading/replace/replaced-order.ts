import { Decimal } from '../../domain/decimal.js';
import type { OrderTerms } from '../journal/intent.js';

/** Whether the replacement would come to the very order that is there, which would only lose its place in the queue. */
export function changesNothing(
  wanted: OrderTerms,
  { price, total_amount: amount }: { readonly price: string; readonly total_amount: string },
): boolean {
  const isSame = (left: string, right: string) => Decimal.of(left).compare(Decimal.of(right)) === 0;
  return isSame(wanted.price, price) && isSame(wanted.amount, amount);
}

/** What can be spent once the cancelled remainder is free again: quote coin for a buy, base coin for a sell. */
export function freed(
  { side }: Pick<OrderTerms, 'side'>,
  order: { readonly price: string; readonly total_amount: string; readonly trade_amount: string },
): Decimal {
  const left = Decimal.of(order.total_amount).minus(Decimal.of(order.trade_amount));
  return side === 'buy' ? left.times(Decimal.of(order.price)) : left;
}
