import type { OrderRecord } from '../../exchange/operations/trading.js';

/** What is known of an order that was to be cancelled; null where nothing is. */
export interface Facts {
  readonly id: string | null;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
}

export const NO_FACTS: Facts = { id: null, price: null, amount: null, filled: null, filledValue: null };

export function factsOf(order: OrderRecord | undefined): Facts {
  if (order === undefined) return NO_FACTS;
  const { id, price, total_amount: amount, trade_amount: filled, trade_money: filledValue } = order;
  return { id, price, amount, filled, filledValue };
}
