import type { Side } from '../../../src/domain/order.js';
import { type AccountBill, BillBook } from '../../../src/sandbox/accounts/bills.js';
import { Ledger } from '../../../src/sandbox/accounts/ledger.js';
import { OrderBook, type PriceLevel } from '../../../src/sandbox/engine/book.js';
import { Changes } from '../../../src/sandbox/exchange/changes.js';
import { Clock } from '../../../src/sandbox/exchange/clock.js';
import { MarginService } from '../../../src/sandbox/margin/margin-service.js';
import { type MarketCandle, MarketCandles } from '../../../src/sandbox/markets/candles.js';
import { MARKETS } from '../../../src/sandbox/markets/market.js';
import { type MarketTrade, MarketTrades } from '../../../src/sandbox/markets/market-trades.js';
import type { AccountOrder } from '../../../src/sandbox/orders/order.js';
import { OrderRepository } from '../../../src/sandbox/orders/order-repository.js';
import {
  type CancelTimer,
  type NewOrder,
  OrderService,
  type TradedMarket,
} from '../../../src/sandbox/orders/order-service.js';
import { FIRST, Sequences } from '../../../src/sandbox/orders/sequences.js';
import { Scheduler } from '../../../src/sandbox/scheduler.js';
import { StoreInMemory } from './memory.js';

/** The smallest amount of usdt and of btc, in units of the ledger. */
export const STEP = 10n ** 28n;

/** An order service over btc_usdt with a few accounts, without simulated traders and without a disk. A tick × a lot is one {@link STEP} of usdt. */
export class OrderFixture {
  readonly #store = new StoreInMemory();
  readonly ledger = new Ledger();
  readonly trades = this.#store.lists<MarketTrade>('trades');
  /** Last prices in ticks, by which loans are valued. */
  readonly prices = new Map<string, bigint>();
  readonly margin: MarginService;
  readonly changes = new Changes();
  readonly orderService: OrderService;
  readonly venue: TradedMarket;

  constructor(
    readonly accounts: readonly string[],
    steps = 1_000_000n,
    lots = 1_000n,
  ) {
    const market = MARKETS.get('btc_usdt');
    if (market === undefined) throw new Error('no btc_usdt');
    const sequences = new Sequences({ ...FIRST });
    const bills = new BillBook(this.#store, this.ledger, sequences);
    const orders = new OrderRepository(this.#store, MARKETS);
    const clock = new Clock(
      () => 0,
      undefined,
      () => undefined,
    );
    const lastPrice = (name: string) => this.prices.get(name) ?? 0n;
    this.margin = new MarginService(this.ledger, bills, MARKETS, lastPrice, clock, this.#store);
    const nothing = { start: 0, end: 0, candles: () => [] };
    const series = new MarketCandles('btc_usdt', nothing, this.#store.table<MarketCandle>('candles'));
    this.venue = {
      market,
      book: new OrderBook<AccountOrder>(),
      trades: new MarketTrades('btc_usdt', this.trades, series),
    };
    this.orderService = new OrderService({
      orders,
      venues: new Map([['btc_usdt', this.venue]]),
      ledger: this.ledger,
      bills,
      sequences,
      margin: this.margin,
      timers: new Scheduler<CancelTimer>([]),
      changes: this.changes,
      clock,
      store: this.#store,
    });
    for (const account of accounts) {
      this.credit(account, 'usdt', steps);
      this.ledger.credit(account, 'btc', market.units(lots));
    }
  }

  place(
    account: string,
    side: Side,
    type: NewOrder['type'],
    price: number,
    amount: number,
    terms: Pick<NewOrder, 'accountType' | 'borrow' | 'repay'> = {},
  ): AccountOrder {
    const newOrder = { account, side, type, price: BigInt(price), amount: BigInt(amount), ...terms };
    return this.orderService.submit(this.venue, newOrder, 1_700_000_000_000);
  }

  /** Drops the rows as if a disk had taken them: a long campaign would fill the memory with them. */
  forgetRows(): void {
    this.#store.writeRows();
  }

  cancel(order: AccountOrder): void {
    this.orderService.remove(this.venue, order);
  }

  /** The levels as text, asks above bids, the best next to the line: `101  30 = ann 10, ben 20`. */
  book(): string {
    const draw = ({ price, amount, orders }: PriceLevel<AccountOrder>) =>
      `${price}  ${amount} = ${[...orders.values()].map((order) => `${order.account} ${order.remaining}`).join(', ')}`;
    const asks = [...this.venue.book.levels('sell')].map(draw).reverse();
    const bids = [...this.venue.book.levels('buy')].map(draw);
    return [...asks, '----', ...bids].join('\n');
  }

  /** Brings coins in from outside, in steps. */
  credit(account: string, coin: string, steps: bigint): void {
    this.ledger.credit(account, coin, steps * STEP);
  }

  /** In steps. */
  available(account: string, coin: string): bigint {
    return this.ledger.available(account, coin) / STEP;
  }

  /** In steps. */
  frozen(account: string, coin: string): bigint {
    return this.ledger.frozen(account, coin) / STEP;
  }

  /** What a wallet owes, in steps. */
  debt(wallet: string, coin: string): bigint {
    return this.margin.debt(wallet, coin) / STEP;
  }

  /** Available+frozen of each account, in steps of usdt and btc. */
  balances(...accounts: string[]): string {
    const coin = (account: string, name: string) =>
      `${this.available(account, name)}+${this.frozen(account, name)} ${name}`;
    return accounts.map((account) => `${account}: ${coin(account, 'usdt')}, ${coin(account, 'btc')}`).join('\n');
  }

  /** The bills of wallets, one wallet after the other, oldest first. */
  bills(...wallets: string[]): AccountBill[] {
    const statements = this.#store.lists<AccountBill>('bills');
    return wallets.flatMap((wallet) => statements.between(wallet, 1, statements.length(wallet)));
  }
}
