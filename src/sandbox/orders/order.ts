import type { AccountType, OrderState, OrderType, Side } from '../../domain/order.js';
import type { BookOrder } from '../engine/book.js';
import { coinText, type SandboxMarket } from '../markets/market.js';

/** An order as the exchange keeps it, in ticks and lots. */
export interface AccountOrder extends BookOrder {
  readonly account: string;
  readonly accountType: AccountType;
  /** The ledger account that pays and receives. */
  readonly wallet: string;
  /** Whether what comes in repays the wallet's debt. */
  readonly repay: boolean;
  readonly market: SandboxMarket;
  readonly type: OrderType;
  /** Lots. */
  readonly amount: bigint;
  readonly clientId: string | null;
  /** ms since the Unix epoch. */
  readonly time: number;
  /** The traded value, in units of the quote coin. */
  value: bigint;
  /** In units of the coin the order receives. */
  fee: bigint;
  open: boolean;
  /** A customer's order: undefined before its first trade. */
  lastTrade?: LastTrade | undefined;
}

/** In ticks and lots; `time` is ms since the Unix epoch. */
interface LastTrade {
  readonly id: bigint;
  readonly price: bigint;
  readonly amount: bigint;
  readonly time: number;
}

/** @internal for its test */
export function stateOf({ open, remaining }: AccountOrder): OrderRecord['state'] {
  if (open) return 'open';
  return remaining === 0n ? 'filled' : 'cancelled';
}

/** An order as its owner sees it: decimal text. */
export interface OrderRecord {
  readonly id: string;
  readonly clientId: string | null;
  readonly accountType: AccountType;
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  /** In the quote coin. */
  readonly filledValue: string;
  /** In the coin the order receives: the base coin of a buy, the quote coin of a sell. Observed by clients, not documented. */
  readonly fee: string;
  readonly time: number;
  /** Null before its first trade. */
  readonly lastTrade: {
    readonly id: string;
    readonly price: string;
    readonly amount: string;
    readonly time: number;
  } | null;
  /** A cancelled order may have traded in part. */
  readonly state: Exclude<OrderState, 'other'>;
}

export function recordOf(order: AccountOrder): OrderRecord {
  const { market, side } = order;
  return {
    id: String(order.id),
    clientId: order.clientId,
    accountType: order.accountType,
    market: market.name,
    side,
    type: order.type,
    price: market.price(order.price),
    amount: market.amount(order.amount),
    filled: market.amount(order.amount - order.remaining),
    filledValue: coinText(market.quote, order.value),
    fee: coinText(side === 'buy' ? market.base : market.quote, order.fee),
    time: order.time,
    lastTrade: order.lastTrade === undefined ? null : shownTrade(market, order.lastTrade),
    state: stateOf(order),
  };
}

function shownTrade(market: SandboxMarket, { id, price, amount, time }: LastTrade) {
  return { id: String(id), price: market.price(price), amount: market.amount(amount), time };
}

type Holding = Pick<AccountOrder, 'market' | 'side' | 'price' | 'remaining'>;

/** What an open order holds: the value of its remainder at its own price, or the remainder itself. */
export function heldFunds(order: Holding): { coin: string; units: bigint } {
  const { market, side, price, remaining } = order;
  if (side === 'buy') return { coin: market.quote, units: market.value(price, remaining) };
  return { coin: market.base, units: market.units(remaining) };
}

/** The key of an order's row. */
export function orderKey(account: string, market: string, id: bigint): string {
  return `${account}/${market}/${id}`;
}

/** An order as it is read from the store, where its market is a name. */
export type StoredOrder = Omit<AccountOrder, 'market'> & { readonly market: string };

/** An order that was read, with its market. Throws RangeError for a market that there is not. */
export function orderOf(
  stored: AccountOrder | StoredOrder,
  marketOf: (name: string) => SandboxMarket | undefined,
): AccountOrder {
  if (typeof stored.market !== 'string') return stored as AccountOrder;
  const market = marketOf(stored.market);
  if (market === undefined) throw new RangeError(`a stored order of an unknown market: ${stored.market}`);
  return Object.assign(stored, { market });
}
