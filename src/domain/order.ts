import { kindOf } from './kind.js';

export const SIDES = ['buy', 'sell'] as const;

export type Side = (typeof SIDES)[number];

export const ORDER_TYPES = ['limit', 'postOnly', 'ioc'] as const;

export type OrderType = (typeof ORDER_TYPES)[number];

export const ACCOUNT_TYPES = ['spot', 'isolated', 'cross'] as const;

export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** `cancelled` includes orders cancelled after a partial fill. `other`: the exchange reports an undocumented status. */
export type OrderState = 'open' | 'filled' | 'cancelled' | 'other';

/** Names one order, by the exchange's id or by the id its owner gave it. */
export type OrderReference = { readonly id: string } | { readonly clientId: string };

/** The terms of an order. Price and amount are final decimal texts. */
export interface OrderTerms {
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly account: AccountType;
  readonly price: string;
  readonly amount: string;
  readonly borrow: boolean;
  readonly repay: boolean;
}

/** The limit orders of one side that a batch request places. */
export interface BatchRequest {
  readonly market: string;
  readonly side: Side;
  readonly account: AccountType;
  /** Whether the spot account is named too, although it is the default. */
  readonly namesSpot?: boolean | undefined;
  readonly orders: readonly { readonly price: string; readonly amount: string }[];
}

/** An order as the exchange reports it. Amounts, prices and fees are decimal texts. */
export interface Order {
  readonly id: string;
  /** Set only if the lookup used it, because the exchange does not report it. */
  readonly clientId: string | null;
  readonly market: string;
  readonly side: Side;
  /** `other`: a type that the interface does not document. The side is then a guess. */
  readonly type: OrderType | 'other';
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  /** In the quote coin. */
  readonly filledValue: string;
  readonly fee: string | null;
  /** The coin the fee is paid in; null if unknown. */
  readonly feeCoin: string | null;
  /** Whether the fee was paid with the exchange's own coin. */
  readonly feeDiscount: boolean;
  /** When it was placed: milliseconds since the Unix epoch. */
  readonly time: number;
  readonly state: OrderState;
  /** The exchange's own code for the state. */
  readonly status: number;
}

/** Whether an order is of a market, however the name of that is written. */
export function isOfMarket(order: Pick<Order, 'market'>, market: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return order.market === market || plain(order.market) === plain(market);
}

/** Whether an order is of a side, as far as its type says. */
export function isOfSide(order: Pick<Order, 'side' | 'type'>, side: Side): boolean {
  return order.type === 'other' || order.side === side;
}

/** What the exchange reports of an order it has just cancelled; null for what it leaves out. */
export interface Cancellation {
  /** The exchange's own code for success, for messages. */
  readonly code: number;
  readonly message: string;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
}

/** The id by which an order is named. */
export function referenceText(order: OrderReference): string {
  return 'id' in order ? order.id : order.clientId;
}

/** Whether both name an order in the same way. An id and a client id may still name the same order. */
export function isSameReference(one: OrderReference, other: OrderReference): boolean {
  if ('id' in one) return 'id' in other && one.id === other.id;
  return 'clientId' in other && one.clientId === other.clientId;
}

/** The id that a client gives its order: "4-36 characters, digits or letters". */
export const CLIENT_ID = kindOf('[A-Za-z0-9]{4,36}', 'must be 4 to 36 letters or digits');
