import type { Bill } from '../../../src/domain/funds.js';
import type { Order, Side } from '../../../src/domain/order.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import { uncounted } from '../../../src/exchange/lists/growing-pages.js';
import { eachOrderPage } from '../../../src/exchange/lists/order-pages.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import type { KeptHistory } from '../../../src/trading/pnl/kept-history.js';
import { readHistory } from '../../../src/trading/pnl/read-history.js';
import { reconcile } from '../../../src/trading/pnl/reconciliation.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';
import { FakeExchange } from '../../support/fake-exchange.js';
import { MemoryCache } from '../support/memory-cache.js';
import { tradingOf } from '../support/trading.js';

export const DAY_MS = 86_400_000;
const START = Date.UTC(2025, 0, 1);
/** How long the exchange lists bills and orders. */
const LISTED_MS = 90 * DAY_MS;

/** How an exchange books the fee of a trade, an eighth of what comes in: not at all, in a bill of its own, or inside that of the trade. */
export type FeeBooking = 'none' | 'apart' | 'inside';

const FEE_SHARE = 1 / 8;
const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** An account that buys and sells whole btc and eth at an exchange that lists what happened in 90 days. */
export class ForgetfulAccount {
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

  /** @param folder for its journal (default: one that is removed after the test) */
  constructor(
    readonly booking: FeeBooking = 'none',
    readonly folder?: string,
  ) {}

  deposit(coin: string, amount: number): void {
    this.#book(coin, amount, 'Airdrop');
  }

  trade(side: Side, market: string, price: number): Order {
    this.now += DAY_MS;
    const [base = '', quote = ''] = market.split('_');
    const sign = side === 'buy' ? 1 : -1;
    const [feeCoin, received] = side === 'buy' ? [base, 1] : [quote, price];
    const fee = this.booking === 'none' ? 0 : received * FEE_SHARE;
    const inside = (coin: string) => (this.booking === 'inside' && coin === feeCoin ? fee : 0);
    this.#book(base, sign - inside(base), 'Trade');
    this.#book(quote, -sign * price - inside(quote), 'Trade');
    if (this.booking === 'apart') this.#book(feeCoin, -fee, 'Fee');
    const order: Order = {
      ...{ id: String(this.orders.length + 1), clientId: null, market, side, type: 'limit', price: String(price) },
      ...{ amount: '1', filled: '1', filledValue: String(price), fee: String(fee), feeCoin, feeDiscount: false },
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
      /** The coins whose bills do not add up. */
      unexplained: reconcile(matched, ALWAYS, Number.POSITIVE_INFINITY).coins.flatMap(({ coin, unexplained }) =>
        unexplained.sign === 0 ? [] : coin,
      ),
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
    return {
      ...tradingOf('http://127.0.0.1:9', this.folder === undefined ? {} : { state: this.folder }),
      client: this.#exchange,
      ...kept,
    } as TradingContext;
  }
}
