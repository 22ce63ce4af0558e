import type { OrderReference, Side } from '../../domain/order.js';
import { isSimulated } from '../accounts/accounts.js';
import type { SandboxMarket } from '../markets/market.js';
import { RequestRefused } from '../refusals.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { ServiceStore } from '../store/store.js';
import { type Table, under } from '../store/table.js';
import { type AccountOrder, orderKey, orderOf, type StoredOrder } from './order.js';

/** A list of the orders of an account and market. `traded` has those that traded at least in part. */
export type OrderListKind = Side | 'open' | 'traded' | 'all';

/** Stores orders, and lists and finds those of customers. Only open orders are in memory. */
export class OrderRepository {
  /** Open orders, of simulated traders too, by id. */
  readonly #openTable: Table<AccountOrder | StoredOrder>;
  /** Orders of customers that have ended, by account, market and id. */
  readonly #closed: Table<AccountOrder | StoredOrder>;
  /** The ids of the newest orders with a client id, by account, market and client id. */
  readonly #clientIds: Table<bigint>;
  /** The ids of customers' orders, in the order in which they were added to a list. */
  readonly #listed: NumberedLists<bigint>;
  readonly #markets: ReadonlyMap<string, SandboxMarket>;

  /** Open orders of customers by id. */
  readonly open = new Map<bigint, AccountOrder>();
  /** Open orders that have a row: most taker orders end at once and never get one. */
  readonly #openRows = new Set<bigint>();

  constructor(store: ServiceStore, markets: ReadonlyMap<string, SandboxMarket>) {
    this.#openTable = store.table('open');
    this.#closed = store.table('closed');
    this.#clientIds = store.table('clientIds');
    this.#listed = store.lists('listed');
    this.#markets = markets;
  }

  /** Lists a new order; {@link save} follows. If its client id was used before, it now means this one. */
  add(order: AccountOrder): void {
    if (isSimulated(order.account)) return;
    for (const list of [order.side, 'all'] as const) this.#list(order, list);
    if (order.clientId !== null) this.#clientIds.put(listName(order, order.clientId), order.id);
  }

  /** Stores an order after a change. A simulated trader's order is deleted when it ends. */
  save(order: AccountOrder): void {
    const { id } = order;
    const isCustomers = !isSimulated(order.account);
    if (order.open) {
      this.#openTable.put(String(id), order);
      this.#openRows.add(id);
      if (isCustomers) this.open.set(id, order);
      return;
    }
    if (this.#openRows.delete(id)) this.#openTable.delete(String(id));
    this.open.delete(id);
    if (isCustomers) this.#closed.put(orderKey(order.account, order.market.name, order.id), order);
  }

  /** Lists a customer's order as traded, at its first trade. */
  listTraded(order: AccountOrder): void {
    if (!isSimulated(order.account)) this.#list(order, 'traded');
  }

  /** The stored open orders, sorted by id. */
  *restore(): Generator<AccountOrder> {
    for (const [, stored] of this.#openTable.entries(under())) {
      const order = this.#orderOf(stored);
      this.#openRows.add(order.id);
      if (!isSimulated(order.account)) this.open.set(order.id, order);
      yield order;
    }
  }

  /** Throws {@link RequestRefused} if the account has no such order in the market. */
  find(account: string, market: string, ref: OrderReference): AccountOrder {
    const id = 'id' in ref ? readId(ref.id) : this.#clientIds.get(`${account}/${market}/${ref.clientId}`);
    const order = id === undefined ? undefined : this.#orderWith(account, market, id);
    if (order === undefined) throw new RequestRefused('orderNotFound');
    return order;
  }

  /** The open orders of an account in a market, oldest first. */
  openOf(account: string, market: string): AccountOrder[] {
    return [...this.open.values()].filter((order) => order.account === account && order.market.name === market);
  }

  /** A page of a list, newest first; pages count from 1. `traded` is sorted by the time of the first trade. */
  page(account: string, market: string, list: OrderListKind, page: number, size: number): AccountOrder[] {
    if (list === 'open') {
      return this.openOf(account, market)
        .reverse()
        .slice((page - 1) * size, page * size);
    }
    return this.#listed.newest(`${account}/${market}/${list}`, page, size).map((id) => {
      const order = this.#orderWith(account, market, id);
      if (order === undefined) throw new Error(`the listed order ${orderKey(account, market, id)} is missing`);
      return order;
    });
  }

  #list(order: AccountOrder, list: Exclude<OrderListKind, 'open'>): void {
    this.#listed.append(listName(order, list), order.id);
  }

  #orderWith(account: string, market: string, id: bigint): AccountOrder | undefined {
    const open = this.open.get(id);
    if (open !== undefined) return open.account === account && open.market.name === market ? open : undefined;
    const stored = this.#closed.get(orderKey(account, market, id));
    return stored === undefined ? undefined : this.#orderOf(stored);
  }

  #orderOf(stored: AccountOrder | StoredOrder): AccountOrder {
    return orderOf(stored, (name) => this.#markets.get(name));
  }
}

function readId(text: string): bigint | undefined {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

function listName({ account, market }: AccountOrder, list: string): string {
  return `${account}/${market.name}/${list}`;
}
