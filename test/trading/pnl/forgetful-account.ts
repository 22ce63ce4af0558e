import type { AccountInfo } from '../../../src/domain/account.js';
import type { Bill } from '../../../src/domain/funds.js';
import type { Order, Side } from '../../../src/domain/order.js';
import type { Exchange, Pages } from '../../../src/exchange/exchange.js';
import { uncounted } from '../../../src/exchange/lists/growing-pages.js';
import { eachOrderPage } from '../../../src/exchange/lists/order-pages.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import { readOrderHistory } from '../../../src/trading/history/order-history.js';
import type { Journal } from '../../../src/trading/journal/journal.js';
import { keptStore } from '../../../src/trading/pnl/kept-history.js';
import { AccountReader, type HistoryOptions } from '../../../src/trading/pnl/read-history.js';
import { reconcile } from '../../../src/trading/pnl/reconciliation.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
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

/** An account with these amounts available. */
export function accountWith(balances: Readonly<Record<string, number | string>>): AccountInfo {
  const permissions = { asset: true, lever: true, entrust: true, money: true };
  const coins = Object.entries(balances).map(([coin, amount]) => ({ coin, available: String(amount), frozen: '0' }));
  return { permissions, coins } as unknown as AccountInfo;
}

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
  /** Whether the balances lack what late bills have changed. */
  areBalancesLate = false;
  /** Open orders that were asked for by their ids. */
  readonly askedById: string[] = [];
  /** The coins whose deposits and withdrawals were asked for. */
  readonly transfersOf: string[] = [];
  /** What happens once, when bills are asked for after orders. */
  afterOrders = async (): Promise<void> => {};
  /** What happens once, when deposits and withdrawals are asked for: the orders were read by then. */
  beforeTransfers = async (): Promise<void> => {};
  readonly #balances = new Map<string, number>();
  /** What pit has kept of it. */
  readonly kept = new MemoryCache();
  /** Of pit. */
  version = '1.0.0';
  /** How long ago this machine's clock began, in ms. */
  elapsedMs = 0;
  /** The zone that the profile names for the exchange's dates. */
  zone = '+00:00';

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
    const state = { filled: '1', filledValue: String(price), fee: String(fee), state: 'filled', status: 2 } as const;
    return this.#placed(side, market, price, { ...state, feeCoin });
  }

  #placed(side: Side, market: string, price: number, changes: Partial<Order>): Order {
    const order = {
      ...{ id: String(this.orders.length + 1), clientId: null, market, side, type: 'limit', price: String(price) },
      ...{ amount: '1', feeCoin: null, feeDiscount: false, time: this.now, ...changes },
    } as Order;
    this.orders.push(order);
    return order;
  }

  /** Places an order of a margin account: it freezes nothing, and what it fills changes no balance here and makes no bill. */
  placeOnMargin(side: Side, market: string, price: number): void {
    const state = { ...{ filled: '0', filledValue: '0', fee: '0' }, state: 'open', status: 0 } as const;
    this.#placed(side, market, price, state);
  }

  /** The newest order fills. */
  fillNewest(): void {
    const order = this.orders.pop();
    if (order === undefined) return;
    this.orders.push({ ...order, filled: order.amount, filledValue: order.price, state: 'filled', status: 2 });
  }

  /** The ids of the orders and bills that a reading has, as the books use them. */
  async read(options: Pick<HistoryOptions, 'account' | 'isWhole' | 'markets'> = {}) {
    this.asked.length = 0;
    this.askedById.length = 0;
    this.transfersOf.length = 0;
    const { matched } = await this.reader(options).history();
    return {
      orders: [...new Set(matched.fills.map(({ order }) => order))].sort(),
      bills: matched.bills.length,
      asked: [...new Set(this.asked)].sort(),
      askedById: [...this.askedById].sort(),
      /** The coins whose bills do not add up. */
      unexplained: reconcile(matched, ALWAYS, Number.POSITIVE_INFINITY).coins.flatMap(({ coin, unexplained }) =>
        unexplained.sign === 0 ? [] : coin,
      ),
    };
  }

  reader(options: Pick<HistoryOptions, 'account' | 'isWhole' | 'markets'> = {}): AccountReader {
    const account = this.info;
    return new AccountReader({
      ...{ trading: this.trading, client: this.#exchange, onProgress: () => {}, account, ...options },
    });
  }

  /** Reads the orders of a market, as commands that list them do. */
  async listOrders(market: string): Promise<void> {
    for (const side of ['buy', 'sell'] as const) await readOrderHistory(this.trading, { market, side });
  }

  /** What the exchange says of it. */
  get info(): AccountInfo {
    const balances = new Map(this.#balances);
    if (this.areBalancesLate)
      for (const { id, coin, change } of this.bills)
        if (this.late.has(id)) balances.set(coin, (balances.get(coin) ?? 0) - Number(change));
    return accountWith(Object.fromEntries(balances));
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
    const exchange = new ScriptedExchange({ markets: markets as never });
    exchange.now = () => this.now;
    const source = {
      orderPage: async (market: string, side: Side, page: number) => {
        this.asked.push(market);
        const own = this.orders.filter((order) => order.market === market && order.side === side);
        return this.#listed(own).slice((page - 1) * 10, page * 10);
      },
    };
    return Object.assign(exchange, {
      zone: { name: this.zone, contradictingOffset: undefined },
      findOrder: async (_market: string, { id }: { readonly id: string }) => {
        this.askedById.push(id);
        return this.orders.find((order) => order.id === id);
      },
      deposits: (coin: string) => {
        this.transfersOf.push(coin);
        const { beforeTransfers } = this;
        this.beforeTransfers = async () => {};
        return onePage([], beforeTransfers);
      },
      orderPages: (market: string, side: Side, isEnough: (orders: readonly Order[]) => boolean) =>
        eachOrderPage(source, market, side, isEnough),
      bills: ({ from = () => 0 }: { readonly from?: () => number }) => this.#billPages(from()),
    }) as unknown as Exchange;
  }

  async *#billPages(from: number): Pages<Bill> {
    if (this.asked.length > 0) {
      const { afterOrders } = this;
      this.afterOrders = async () => {};
      await afterOrders();
    }
    yield this.#listed(this.bills).filter(({ id, time }) => !this.late.has(id) && time >= from);
    return uncounted(false);
  }

  /** Its journal. */
  get journal(): Journal {
    return this.trading.journal;
  }

  get trading(): TradingContext {
    const keptHistory = keptStore(this.kept, 'test', this.version);
    const kept = { keptHistory, knownSides: knownSides(this.kept, 'test') };
    return {
      ...tradingOf(new ScriptedExchange(), {
        ...{ elapsedMs: this.elapsedMs, ...(this.folder === undefined ? {} : { state: this.folder }) },
      }),
      client: this.#exchange,
      ...kept,
    } as TradingContext;
  }
}

async function* onePage<Row>(rows: readonly Row[], before = async () => {}): Pages<Row> {
  await before();
  yield rows;
  return uncounted(false);
}
