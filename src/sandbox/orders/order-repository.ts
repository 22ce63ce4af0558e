import { isSimulated } from '../accounts/accounts.js';
import type { Side } from '../engine/book.js';
import { Refusal } from '../refusals.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { Codec, Table } from '../store/table.js';
import { keyOf, type Order, orderKey } from './order.js';

/** How a request names an order. */
export type OrderRef = { readonly id: string } | { readonly clientId: string };

/** Which orders of an account and market are listed; `traded` are those of which something has traded. */
export type OrderList = Side | 'open' | 'traded' | 'all';

export const keyCodec: Codec<string> = { encode: (key) => key, decode: String };

export const idCodec: Codec<bigint> = { encode: String, decode: (row) => BigInt(row as string) };

interface OrderTables {
  /** Every order of a customer, and the open ones of participants, by account, market and id. */
  readonly orders: Table<Order>;
  /** The keys of all open orders, by id. */
  readonly open: Table<string>;
  /** The keys of the orders that client ids mean. */
  readonly clientIds: Table<string>;
  /** The ids of customers' orders in the order in which they came onto a list. */
  readonly listed: NumberedLists<bigint>;
}

/** Keeps orders, lists those of customers, and finds them again. Only the open orders of customers are in memory. */
export class OrderRepository {
  /** Open orders of customers by id. */
  readonly open = new Map<bigint, Order>();
  /** The orders, participants' included, that have a row among the open ones. */
  private readonly openRows = new Set<Order>();

  constructor(private readonly tables: OrderTables) {}

  /** Lists a new order; {@link keep} follows. A client id that was used before means this one from now on. */
  enter(order: Order): void {
    if (isSimulated(order.account)) return;
    for (const list of [order.side, 'all'] as const) this.list(order, list);
    if (order.clientId !== null) this.tables.clientIds.put(listName(order, order.clientId), keyOf(order));
  }

  /** Keeps what has become of an order; a participant's is forgotten with its end. */
  keep(order: Order): void {
    const key = keyOf(order);
    const customer = !isSimulated(order.account);
    if (order.open || customer) this.tables.orders.put(key, order);
    else this.tables.orders.delete(key);
    // most orders of takers end at once and never have a row among the open ones
    if (order.open && !this.openRows.has(order)) this.addOpen(order, key);
    else if (!order.open && this.openRows.has(order)) this.dropOpen(order);
  }

  private addOpen(order: Order, key: string): void {
    this.tables.open.put(String(order.id), key);
    this.openRows.add(order);
    if (!isSimulated(order.account)) this.open.set(order.id, order);
  }

  private dropOpen(order: Order): void {
    this.tables.open.delete(String(order.id));
    this.openRows.delete(order);
    this.open.delete(order.id);
  }

  /** Lists a customer's order as traded, at its first trade. */
  listTraded(order: Order): void {
    if (!isSimulated(order.account)) this.list(order, 'traded');
  }

  /** The open orders as they were stored, in the order of their ids. */
  *restore(): Generator<Order> {
    for (const key of [...this.tables.open.range({ start: '', end: '\u{7f}' })]) {
      const order = this.tables.orders.get(key);
      if (order === undefined) throw new Error(`the stored order ${key} is missing`);
      this.openRows.add(order);
      if (!isSimulated(order.account)) this.open.set(order.id, order);
      yield order;
    }
  }

  /** Throws {@link Refusal} when the account has no such order in the market. */
  find(account: string, market: string, ref: OrderRef): Order {
    const key = 'id' in ref ? keyOfId(account, market, ref.id) : this.keyOfClientId(account, market, ref.clientId);
    const order = key === undefined ? undefined : this.tables.orders.get(key);
    if (order === undefined) throw new Refusal('orderNotFound');
    return order;
  }

  /** The open orders of an account in a market, oldest first. */
  openOf(account: string, market: string): Order[] {
    return [...this.open.values()].filter((order) => order.account === account && order.market.market === market);
  }

  /** A page of a list, newest first; pages count from 1. The newest of `traded` is the one whose first trade was last. */
  page(account: string, market: string, list: OrderList, page: number, size: number): Order[] {
    if (list === 'open') {
      return this.openOf(account, market)
        .reverse()
        .slice((page - 1) * size, page * size);
    }
    const ids = this.tables.listed.newest(`${account}/${market}/${list}`, page, size);
    return ids.map((id) => this.at(orderKey(account, market, id)));
  }

  private list(order: Order, list: Exclude<OrderList, 'open'>): void {
    this.tables.listed.append(listName(order, list), order.id);
  }

  private at(key: string): Order {
    const order = this.tables.orders.get(key);
    if (order === undefined) throw new Error(`the listed order ${key} is missing`);
    return order;
  }

  private keyOfClientId(account: string, market: string, clientId: string): string | undefined {
    return this.tables.clientIds.get(`${account}/${market}/${clientId}`);
  }
}

function keyOfId(account: string, market: string, id: string): string | undefined {
  return /^\d{1,19}$/.test(id) ? orderKey(account, market, BigInt(id)) : undefined;
}

function listName({ account, market }: Order, list: string): string {
  return `${account}/${market.market}/${list}`;
}
