import type { Order } from '../../domain/order.js';

/** What is known of an order that was to be cancelled; null where nothing is. */
export interface Facts {
  readonly id: string | null;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
}

export const NO_FACTS: Facts = { id: null, price: null, amount: null, filled: null, filledValue: null };

export function factsOf(order: Order | undefined): Facts {
  if (order === undefined) return NO_FACTS;
  const { id, price, amount, filled, filledValue } = order;
  return { id, price, amount, filled, filledValue };
}
