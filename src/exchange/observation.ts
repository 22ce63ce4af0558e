import type { Order, OrderReference, OrderType } from '../domain/order.js';

/** What an answer shows in passing, whatever it was asked for. */
export type Observation =
  | { readonly kind: 'coins'; readonly coins: readonly string[] }
  | { readonly kind: 'orders'; readonly orders: readonly Order[] }
  | {
      readonly kind: 'placed';
      readonly market: string;
      readonly type: OrderType;
      readonly clientId: string | null;
      readonly ids: readonly string[];
    }
  | { readonly kind: 'cancelled'; readonly order: OrderReference };
