import { describe, expect, it } from 'vitest';
import type { Bill } from '../../../src/domain/funds.js';
import type { Order, Side } from '../../../src/domain/order.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import { uncounted } from '../../../src/exchange/growing-pages.js';
import { eachOrderPage } from '../../../src/exchange/order-pages.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import type { KeptHistory } from '../../../src/trading/pnl/kept-history.js';
import { readHistory } from '../../../src/trading/pnl/read-history.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';
import { FakeExchange } from '../../support/fake-exchange.js';
import { MemoryCache } from '../support/memory-cache.js';
import { tradingOf } from '../support/trading.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2025, 0, 1);
/** How long the exchange lists bills and orders. */
const LISTED_MS = 90 * DAY_MS;

/** An account that buys and sells whole btc and eth, without fees, at an exchange that lists what happened in 90 days. */
class Account {
  now = START;
  readonly bills: Bill[] = [];
  readonly orders: Order[] = [];
  readonly asked: string[] = [];
  /** The markets that the exchange has. */
  markets = ['btc_usdt', 'eth_usdt'];
  /** Ids of bills that are not listed yet. */
  readonly late = new Set<string>();
  readonly #balances = new Map<string, number>();
  #kept: KeptHistory | undefined;
  readonly #orderFiles = new MemoryCache();

  deposit(coin: string, amount: number): void {
    this.#book(coin, amount, 'Airdrop');
  }

  trade(side: Side, market: string, price: number): Order {
    this.now += DAY_MS;
    const [base = '', quote = ''] = market.split('_');
    const sign = side === 'buy' ? 1 : -1;
    this.#book(base, sign, 'Trade');
    this.#book(quote, -sign * price, 'Trade');
    const order: Order = {
      ...{ id: String(this.orders.length + 1), clientId: null, market, side, type: 'limit', price: String(price) },
      ...{ amount: '1', filled: '1', filledValue: String(price), fee: '0', feeCoin: null, feeDiscount: false },
      ...{ time: this.now, state: 'filled', status: 2 },
    };
    this.orders.push(order);
    return order;
  }

  /** The ids of the orders and bills that a reading has, as the books use them. */
  async read(options: { readonly markets?: readonly string[]; readonly coins?: ReadonlySet<string> } = {}) {
    this.asked.length = 0;
    const { matched } = await readHistory({
      trading: this.#trading,
      client: this.#exchange,
      onProgress: () => {},
      ...options,
    });
    return {
      orders: [...new Set(matched.fills.map(({ order }) => order))].sort(),
      bills: matched.bills.length,
      asked: [...new Set(this.asked)].sort(),
    };
  }

  #book(coin: string, amount: number, type: string): void {
    const balance = (this.#balances.get(coin) ?? 0) + amount;
    this.#balances.set(coin, balance);
    const id = String(this.bills.length + 1);
    const texts = {
      change: String(amount),
      balance: String(balance),
      total: String(balance),
      remark: null,
      timeRaw: null,
    };
    this.bills.push({ id, time: this.now, coin, type, ...texts });
  }

  #listed<Row extends { readonly time: number }>(rows: readonly Row[]): Row[] {
    return rows.filter(({ time }) => time > this.now - LISTED_MS).reverse();
  }

  get #exchange(): Exchange {
    const markets = this.markets.map((market) => {
      const [base = '', quote = ''] = market.split('_');
      return { market, base, quote, priceScale: 2, amountScale: 4, minAmount: '0.0001', minNotional: '1' };
    });
    const exchange = new FakeExchange({ markets: markets as never }, [], () => this.now);
    const source = {
      orderPage: async (market: string, side: Side, page: number) => {
        this.asked.push(market);
        const own = this.orders.filter((order) => order.market === market && order.side === side);
        return this.#listed(own).slice((page - 1) * 10, page * 10);
      },
    };
    const bills = () => this.#listed(this.bills).filter(({ id }) => !this.late.has(id));
    return Object.assign(exchange, {
      orderPages: (market: string, side: Side, isEnough: (orders: readonly Order[]) => boolean) =>
        eachOrderPage(source, market, side, isEnough),
      bills: async function* ({ from }: { readonly from?: () => number }) {
        yield bills().filter(({ time }) => time >= (from?.() ?? 0));
        return uncounted(false);
      },
    }) as unknown as Exchange;
  }

  get #trading(): TradingContext {
    const keptHistory = {
      read: () => this.#kept,
      write: async (history: KeptHistory) => {
        this.#kept = history;
      },
    };
    const kept = { keptHistory, knownSides: knownSides(this.#orderFiles, 'test') };
    return { ...tradingOf('http://127.0.0.1:9'), client: this.#exchange, ...kept } as TradingContext;
  }
}

describe('an exchange that lists bills and orders of 90 days', () => {
  it('takes no earlier year away when a bill of today comes late', async () => {
    const account = new Account();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 100);
    account.trade('sell', 'btc_usdt', 1_090);
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], bills: 5 });
    account.now += 300 * DAY_MS;
    account.trade('buy', 'btc_usdt', 500);
    account.late.add('7');
    expect(await account.read()).toMatchObject({ orders: expect.arrayContaining(['1', '2']), bills: 6 });
    account.late.clear();
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3'], bills: 7 });
  });

  it('takes nothing away from an account that was idle for longer', async () => {
    const account = new Account();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 100);
    await account.read();
    account.now += 300 * DAY_MS;
    expect(await account.read()).toMatchObject({ orders: ['1'], bills: 3 });
    account.trade('sell', 'btc_usdt', 200);
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], bills: 5 });
  });
});

describe('an exchange that has closed a market', () => {
  it('takes no trade away that was read before', async () => {
    const account = new Account();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'eth_usdt', 100);
    account.now += DAY_MS;
    await account.read();
    account.markets = ['btc_usdt'];
    account.trade('buy', 'btc_usdt', 500);
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], asked: ['btc_usdt'] });
  });
});

describe('the orders of a market without bills', () => {
  const account = new Account();
  account.deposit('usdt', 10_000);
  account.trade('buy', 'btc_usdt', 100);
  account.now += 300 * DAY_MS;
  account.trade('sell', 'btc_usdt', 150);

  it('are asked for if the market was named', async () => {
    const { asked } = await account.read({ markets: ['eth_usdt'] });
    expect(asked).toContain('eth_usdt');
  });

  it('are asked for if the account has its coins', async () => {
    const other = new Account();
    other.deposit('usdt', 1);
    expect((await other.read()).asked).toEqual([]);
    expect((await other.read({ coins: new Set(['eth', 'usdt']) })).asked).toEqual(['eth_usdt']);
  });

  it('are asked for once if the account had coins before its first bill', async () => {
    const other = new Account();
    other.deposit('usdt', 10_000);
    other.now += 300 * DAY_MS;
    other.trade('buy', 'btc_usdt', 100);
    expect((await other.read()).asked).toEqual(['btc_usdt', 'eth_usdt']);
    other.now += DAY_MS;
    expect((await other.read()).asked).not.toContain('eth_usdt');
  });
});
