import type { Order, OrderState, Side } from '../../../src/domain/order.js';
import { Failure, type FailureKind } from '../../../src/errors.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import { FACTS } from '../../../src/exchange/facts.js';
import { eachOrderPage } from '../../../src/exchange/lists/order-pages.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import { type OpenOrdersOptions, readOpenOfSide } from '../../../src/trading/history/open-orders.js';
import { type OrderHistoryOptions, orderHistory } from '../../../src/trading/history/order-history.js';
import { MemoryCache } from '../support/memory-cache.js';

export const SIDE = { market: 'btc_usdt', side: 'buy' } as const;
/** A request lives a minute, and clocks and lists may be five seconds apart: twice. */
export const SETTLED_MS = 70_000;
export const START = 1_700_000_000_000;

/** An account whose orders are listed ten a page, newest first. */
export class Account {
  now = START;
  orders: Order[] = [];
  /** `page 1`, `order 17`, since it was last emptied. */
  requests: string[] = [];
  /** The pages and orders that cannot be read. */
  broken = new Set<string>();
  brokenAs: FailureKind = 'unreachable';
  /** Ids that the list does not show yet. */
  readonly hidden = new Set<string>();
  readonly kept = new MemoryCache();
  readonly notes: string[] = [];

  place(count: number, state: OrderState = 'open', stepMs = 1_000): Order[] {
    const first = this.orders.length;
    for (let index = 1; index <= count; index += 1) {
      this.now += stepMs;
      this.orders.push(orderOf(first + index, state, this.now));
    }
    return this.orders.slice(first);
  }

  become(id: string, state: OrderState): void {
    this.orders = this.orders.map((order) => (order.id === id ? { ...order, state } : order));
  }

  pass(ms: number): void {
    this.now += ms;
  }

  get open(): string[] {
    return this.orders.filter(({ state }) => state === 'open').map(({ id }) => id);
  }

  get listedOpen(): string[] {
    return this.open.filter((id) => !this.hidden.has(id));
  }

  /** Shows the orders that were placed so long ago. */
  revealAfter(ms: number): void {
    for (const { id, time } of this.orders) if (time <= this.now - ms) this.hidden.delete(id);
  }

  async read(options: OpenOrdersOptions = {}) {
    this.requests = [];
    const found = await readOpenOfSide(this.#context, SIDE, options);
    return { ...found, ids: found.open.map(({ id }) => id).sort(byNumber), requests: this.requests };
  }

  /** The orders of its history, until one is older than `to`. */
  async history(to = Number.NEGATIVE_INFINITY, options: OrderHistoryOptions = {}) {
    this.requests = [];
    const isEnough = (orders: readonly Order[]) => (orders.at(-1)?.time ?? 0) < to;
    const orders: Order[] = [];
    let hasOlder = true;
    for await (const page of orderHistory(this.#context, SIDE, { isEnough, ...options })) {
      orders.push(...page.fresh);
      ({ hasOlder } = page);
    }
    return { orders, ids: orders.map(({ id }) => id), hasOlder, requests: this.requests };
  }

  /** As another process, which has kept nothing. */
  get forgetful(): this {
    this.kept.files.clear();
    return this;
  }

  get #context() {
    const request = (what: string) => {
      this.requests.push(what);
      if (this.broken.has(what)) throw new Failure(this.brokenAs, `${what}: connection reset`);
    };
    const source = {
      orderPage: async (_: string, __: Side, page: number) => {
        request(`page ${page}`);
        const listed = this.orders.filter(({ id }) => !this.hidden.has(id)).reverse();
        return listed.slice((page - 1) * 10, page * 10);
      },
    };
    const client = {
      facts: FACTS,
      now: () => this.now,
      orderPages: (market: string, side: Side, isEnough: (orders: readonly Order[]) => boolean) =>
        eachOrderPage(source, market, side, isEnough),
      findOrder: async (_: string, { id }: { id: string }) => {
        request(`order ${id}`);
        return this.orders.find((order) => order.id === id);
      },
    };
    return {
      client: client as unknown as Exchange,
      host: { now: () => this.now, monotonic: () => this.now } as never,
      requestLifetimeMs: 60_000,
      knownSides: knownSides(this.kept, 'test'),
      reportProgress: (note: string) => this.notes.push(note),
    };
  }
}

export function orderOf(number: number, state: OrderState, time: number): Order {
  const id = String(number);
  const [filled, filledValue] = state === 'filled' ? ['0.01', '300'] : ['0', '0'];
  const rest = { fee: '0', feeCoin: null, feeDiscount: false, status: 0 };
  const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', price: '30000', amount: '0.01' } as const;
  return { id, clientId: null, ...terms, filled, filledValue, ...rest, time, state };
}

function byNumber(one: string, other: string): number {
  return Number(one) - Number(other);
}

/** An account with 5 open orders that are older than all of `closed` others, read once. */
export async function oldAccount(closed: number): Promise<Account> {
  const account = new Account();
  account.place(5);
  account.place(closed, 'filled');
  account.pass(3_600_000);
  await account.read();
  return account;
}
