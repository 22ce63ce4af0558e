import { Decimal } from '../../../../src/domain/decimal.js';
import { SandboxExchange } from '../../../../src/sandbox/exchange/exchange.js';
import { type Running, type ServeOptions, serve } from '../../../../src/sandbox/lifecycle/serve.js';
import { type AccountOrder, recordOf } from '../../../../src/sandbox/orders/order.js';
import type { LoggedOrder, MarketPoint } from '../../../support/algo-verdict.js';

/** An order of the log, with the client id that names its algo order. */
export interface LoggedChild extends Omit<LoggedOrder, 'cancelledBy' | 'isDuplicate'> {
  readonly market: string;
  readonly clientId: string;
  readonly type: string;
  /** What has filled, in the base coin. */
  readonly filled: string;
}

interface Noted {
  readonly order: AccountOrder;
  readonly placed: number;
  closed: number | null;
  filled: string;
  fee: string;
  readonly fills: { readonly time: number; readonly amount: string; readonly baseFee: string }[];
}

/**
 * What the exchange itself has done: every price that a client could have seen, and every change of an order of the account, by its own
 * clock. It is read in the exchange's process, so that no fault of the network can touch it.
 */
export class ExchangeLog {
  readonly #exchange: SandboxExchange;
  readonly #orders = new Map<bigint, Noted>();
  readonly #paths = new Map<string, MarketPoint[]>();
  readonly #newestTrade = new Map<string, string>();
  readonly #changedOrders = new Set<AccountOrder>();
  readonly #changedMarkets = new Set<string>();
  #isDue = false;

  private constructor(exchange: SandboxExchange) {
    this.#exchange = exchange;
    for (const market of exchange.markets.keys()) {
      const newest = exchange.market.trades(market).at(-1);
      this.#newestTrade.set(market, newest?.id ?? '0');
      this.#takeMarket(market, exchange.clock.now(), newest?.price ?? null);
    }
    exchange.changes.listen((topic, order) => this.#note(topic, order));
  }

  /** Runs a sandbox in this process, with its log. */
  static async serve(options: ServeOptions): Promise<{ readonly running: Running; readonly log: ExchangeLog }> {
    const { open } = SandboxExchange;
    let log: ExchangeLog | undefined;
    SandboxExchange.open = async (given) => {
      const exchange = await open.call(SandboxExchange, given);
      log = new ExchangeLog(exchange);
      return exchange;
    };
    try {
      const running = await serve(options);
      if (log === undefined) throw new Error('the exchange was not opened');
      return { running, log };
    } finally {
      SandboxExchange.open = open;
    }
  }

  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  now(): number {
    return this.#exchange.clock.now();
  }

  /** The market as it is. */
  current(market: string): MarketPoint {
    const point = this.#paths.get(market)?.at(-1);
    if (point === undefined) throw new Error(`no prices of ${market}`);
    return point;
  }

  /** The prices from a time on, beginning with those that it found. */
  path(market: string, from: number): readonly MarketPoint[] {
    const points = this.#paths.get(market) ?? [];
    const first = points.findLastIndex(({ time }) => time <= from);
    return points.slice(Math.max(0, first));
  }

  /** The orders with a client id, oldest first. */
  children(): LoggedChild[] {
    const noted = [...this.#orders.values()].filter(({ order }) => order.clientId !== null);
    return noted
      .sort((one, other) => (one.order.id < other.order.id ? -1 : 1))
      .map(({ order, placed, closed, fills, filled }) => {
        const { id, market, clientId, side, type, price, amount } = recordOf(order);
        return { id, market, clientId: clientId ?? '', side, type, price, amount, placed, closed, fills, filled };
      });
  }

  #note(topic: string, order: AccountOrder | undefined): void {
    const [kind, name = ''] = topic.split(' ');
    if (order !== undefined) this.#changedOrders.add(order);
    else if (kind === 'book' || kind === 'trades') this.#changedMarkets.add(name);
    else return;
    if (this.#isDue) return;
    this.#isDue = true;
    // when the change is complete: nobody sees a state between
    queueMicrotask(() => this.#take());
  }

  #take(): void {
    this.#isDue = false;
    const time = this.#exchange.clock.now();
    for (const order of this.#changedOrders) this.#takeOrder(order, time);
    for (const market of this.#changedMarkets) this.#takeMarket(market, time);
    this.#changedOrders.clear();
    this.#changedMarkets.clear();
  }

  #takeOrder(order: AccountOrder, time: number): void {
    const shown = recordOf(order);
    const noted = this.#orders.get(order.id) ?? { order, placed: time, closed: null, filled: '0', fee: '0', fills: [] };
    this.#orders.set(order.id, noted);
    const amount = minus(shown.filled, noted.filled);
    if (Decimal.of(amount).sign > 0) {
      const baseFee = order.side === 'buy' ? minus(shown.fee, noted.fee) : '0';
      noted.fills.push({ time, amount, baseFee });
    }
    [noted.filled, noted.fee] = [shown.filled, shown.fee];
    if (!order.open) noted.closed ??= time;
  }

  /** @param first the price of the newest trade before the log began */
  #takeMarket(market: string, time: number, first: string | null = null): void {
    const path = this.#paths.get(market) ?? [];
    this.#paths.set(market, path);
    const { bids, asks } = this.#exchange.market.depth(market, { size: 1 });
    const [bid, ask] = [bids[0]?.[0] ?? null, asks[0]?.[0] ?? null];
    const trades = this.#exchange.market.trades(market, this.#newestTrade.get(market));
    const newest = trades.at(-1);
    if (newest !== undefined) this.#newestTrade.set(market, newest.id);
    const before = path.at(-1);
    const prices = trades.length === 0 ? [before?.last ?? first] : trades.map(({ price }) => price);
    for (const last of prices) {
      const known = path.at(-1);
      if (known?.bid === bid && known.ask === ask && known.last === last) continue;
      path.push({ time, bid, ask, last });
    }
  }
}

function minus(one: string, other: string): string {
  return Decimal.of(one).minus(Decimal.of(other)).toString();
}
