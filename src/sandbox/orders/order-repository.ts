import type { OrderReference, Side } from '../../domain/order.js';
import { isSimulated } from '../accounts/accounts.js';
import { Refusal } from '../refusals.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { Codec, Table } from '../store/table.js';
import { keyOf, type Order, orderKey } from './order.js';

/** A list of the orders of an account and market. `traded` has those that traded at least in part. */
export type OrderList = Side | 'open' | 'traded' | 'all';

export const keyCodec: Codec<string> = { encode: (key) => key, decode: String };

export const idCodec: Codec<bigint> = { encode: String, decode: (row) => BigInt(row as string) };

interface OrderTables {
  /** All orders of customers, and the open ones of simulated traders, by account, market and id. */
  readonly orders: Table<Order>;
  /** The keys of all open orders, by id. */
  readonly open: Table<string>;
  /** The keys of the newest orders with a client id. */
  readonly clientIds: Table<string>;
  /** The ids of customers' orders, in the order in which they were added to a list. */
  readonly listed: NumberedLists<bigint>;
}

/** Stores orders, and lists and finds those of customers. Only the open orders of customers are in memory. */
export class OrderRepository {
  /** Open orders of customers by id. */
  readonly open = new Map<bigint, Order>();
  /** The orders, of simulated traders too, that have a row in the table of open ones. */
  private readonly openRows = new Set<Order>();

  constructor(private readonly tables: OrderTables) {}

  /** Lists a new order; {@link save} follows. If its client id was used before, it now means this one. */
  add(order: Order): void {
    if (isSimulated(order.account)) return;
    for (const list of [order.side, 'all'] as const) this.list(order, list);
    if (order.clientId !== null) this.tables.clientIds.put(listName(order, order.clientId), keyOf(order));
  }

  /** Stores an order after a change. A simulated trader's order is deleted when it ends. */
  save(order: Order): void {
    const key = keyOf(order);
    const customer = !isSimulated(order.account);
    if (order.open || customer) this.tables.orders.put(key, order);
    else this.tables.orders.delete(key);
    // most taker orders end at once and never have a row in the table of open ones
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

  /** The stored open orders, sorted by id. */
  *restore(): Generator<Order> {
    for (const key of [...this.tables.open.range({ start: '', end: '\u{7f}' })]) {
      const order = this.tables.orders.get(key);
      if (order === undefined) throw new Error(`the stored order ${key} is missing`);
      this.openRows.add(order);
      if (!isSimulated(order.account)) this.open.set(order.id, order);
      yield order;
    }
  }

  /** Throws {@link Refusal} if the account has no such order in the market. */
  find(account: string, market: string, ref: OrderReference): Order {
    const key = 'id' in ref ? keyOfId(account, market, ref.id) : this.keyOfClientId(account, market, ref.clientId);
    const order = key === undefined ? undefined : this.tables.orders.get(key);
    if (order === undefined) throw new Refusal('orderNotFound');
    return order;
  }

  /** The open orders of an account in a market, oldest first. */
  openOf(account: string, market: string): Order[] {
    return [...this.open.values()].filter((order) => order.account === account && order.market.name === market);
  }

  /** A page of a list, newest first; pages count from 1. `traded` is sorted by the time of the first trade. */
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
  return `${account}/${market.name}/${list}`;
}
