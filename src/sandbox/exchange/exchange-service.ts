import type { AccountType, OrderReference, OrderType, Side } from '../../domain/order.js';
import { type Account, crossWallet, type Secrets } from '../accounts/accounts.js';
import type { FundsService } from '../funds/funds-service.js';
import { withdrawing } from '../funds/withdrawals.js';
import type { MarginService } from '../margin/margin-service.js';
import type { CandleType } from '../markets/candles.js';
import { COINS, type CoinRules } from '../markets/coins.js';
import { coinText, type MarketRules } from '../markets/market.js';
import { type OrderRecord, recordOf } from '../orders/order.js';
import type { OrderList } from '../orders/order-repository.js';
import type { TradedMarket } from '../orders/order-service.js';
import { Refusal } from '../refusals.js';
import { AdminService } from './admin-service.js';
import type { Changes } from './changes.js';
import type { Clock } from './clock.js';
import { type ExchangeOptions, ExchangeState } from './exchange-state.js';
import {
  type CandleQuery,
  type Depth,
  type DepthQuery,
  MarketData,
  type PublicTrade,
  type ShownCandle,
  type Ticker,
} from './market-data.js';

export interface OrderRequest {
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
  /** The wallet that pays and receives (default: spot). */
  readonly accountType?: AccountType | undefined;
  /** Margin: borrow the shortfall, within the leverage. */
  readonly borrow?: boolean | undefined;
  /** Margin: repay with the proceeds. */
  readonly repay?: boolean | undefined;
}

interface ExchangeStatus {
  readonly time: number;
  readonly markets: number;
  readonly accounts: number;
  /** Open orders of customers. */
  readonly orders: number;
  readonly trades: number;
}

/** "Orders are cancelled one minute after the call", by the exchange's clock. */
const CANCEL_DELAY = 60_000;

/** A market of the exchange with its public data. */
interface Listing {
  readonly venue: TradedMarket;
  readonly data: MarketData;
}

/** What callers need of an exchange, so that a test can stand in for it. */
export type Exchange = Pick<ExchangeService, keyof ExchangeService>;

/**
 * An exchange with markets, simulated traders and customers: the one service that the server and the administration call.
 *
 * Prices, amounts and ids are decimal text outside; ticks, lots and units inside. Times are ms since the Unix epoch. A method
 * that is given an unknown market throws {@link Refusal}.
 */
export class ExchangeService {
  /** The keys of the account that a sandbox starts with. */
  readonly firstAccount: Secrets;
  readonly coins: ReadonlyMap<string, CoinRules> = COINS;
  readonly markets: ReadonlyMap<string, MarketRules>;
  readonly funds: FundsService;
  readonly margin: MarginService;
  readonly admin: AdminService;
  /** For reading; {@link admin} drives it. */
  readonly clock: Pick<Clock, 'now' | 'believable' | 'reaches'>;
  /** Reports what changes, to those who listen. */
  readonly changes: Changes;
  private readonly listings: ReadonlyMap<string, Listing>;
  private readonly now: () => number;

  constructor(private readonly state: ExchangeState) {
    const { accessKey, secretKey, safePwd, username } = state.customers.firstAccount();
    this.firstAccount = { accessKey, secretKey, safePwd, username };
    this.clock = state.clock;
    this.now = state.clock.now;
    this.markets = new Map([...state.venues].map(([name, { market }]) => [name, market]));
    this.listings = new Map([...state.venues].map(([name, venue]) => [name, { venue, data: new MarketData(venue) }]));
    this.funds = state.funds;
    this.margin = state.margin;
    this.changes = state.changes;
    this.admin = new AdminService(state);
  }

  /** Opens the exchange of a directory, or makes one there. Rejects with AlreadyOpen, OtherFormat and DamagedStore. */
  static async open(options: ExchangeOptions): Promise<ExchangeService> {
    const state = ExchangeState.open(options);
    try {
      const exchange = new ExchangeService(state);
      exchange.advance();
      await exchange.durable();
      return exchange;
    } catch (error) {
      await state.store.abandon();
      throw error;
    }
  }

  /** Lets everything happen that is due by now. */
  advance(): void {
    this.state.advance(this.now());
    this.state.scheduleCommit();
  }

  /** How many ms of the machine's clock until something happens without a request; undefined while the clock is stopped. */
  get dueIn(): number | undefined {
    const { shown, speed, stopped } = this.state.clock.state;
    return stopped ? undefined : Math.max(0, (this.state.next - shown) / speed);
  }

  ticker(market: string): Ticker {
    return this.listing(market).data.ticker(this.now());
  }

  depth(market: string, query: DepthQuery): Depth {
    return this.listing(market).data.depth(this.now(), query);
  }

  /** At most 50, oldest first: those after an id, or the latest. */
  trades(market: string, afterId?: string): PublicTrade[] {
    return this.listing(market).data.trades(afterId);
  }

  /** Without gaps, oldest first. */
  candles(market: string, type: CandleType, query: CandleQuery): ShownCandle[] {
    return this.listing(market).data.candles(type, this.now(), query);
  }

  account(accessKey: string): Account | undefined {
    return this.state.customers.byAccessKey(accessKey);
  }

  /** Every coin, also those that the account does not have. */
  balances({ id }: Account): { coin: string; available: string; frozen: string }[] {
    const { ledger } = this.state;
    return [...COINS.keys()].map((coin) => ({
      coin,
      available: coinText(coin, ledger.available(id, coin)),
      frozen: coinText(coin, ledger.frozen(id, coin) + ledger.available(withdrawing(id), coin)),
    }));
  }

  /** Every coin of the cross wallet. */
  crossBalances({ id }: Account): { coin: string; available: string; frozen: string; borrowed: string }[] {
    const wallet = crossWallet(id);
    const { ledger, margin } = this.state;
    return [...COINS.keys()].map((coin) => ({
      coin,
      available: coinText(coin, ledger.available(wallet, coin)),
      frozen: coinText(coin, ledger.frozen(wallet, coin)),
      borrowed: coinText(coin, margin.debt(wallet, coin)),
    }));
  }

  /** The id of the new order. Throws {@link Refusal}, with nothing changed. */
  place(account: Account, request: OrderRequest): string {
    const { venue } = this.listing(request.market);
    const { side, type, clientId, accountType, borrow, repay } = request;
    const price = venue.market.ticks(request.price);
    const amount = venue.market.lots(request.amount);
    venue.market.checkNotional(price, amount);
    const newOrder = { account: account.id, side, type, price, amount, clientId, accountType, borrow, repay };
    const order = this.state.orderService.place(venue, newOrder, this.now());
    this.state.scheduleCommit();
    return String(order.id);
  }

  /** The order as it is after the cancellation. Throws {@link Refusal} if there is none or it is already final. */
  cancel(account: Account, market: string, ref: OrderReference): OrderRecord {
    const { venue } = this.listing(market);
    const { id } = this.state.orders.find(account.id, market, ref);
    const order = this.state.orders.open.get(id);
    if (order === undefined) throw new Refusal('orderFinal');
    this.state.orderService.cancel(venue, order);
    this.state.scheduleCommit();
    return recordOf(order);
  }

  /** Throws {@link Refusal} if there is no such order. */
  order(account: Account, market: string, ref: OrderReference): OrderRecord {
    return recordOf(this.state.orders.find(account.id, this.listing(market).venue.market.name, ref));
  }

  /** Newest first; pages count from 1 (default: all orders of the market). */
  orders(
    account: Account,
    market: string,
    { list = 'all', page, pageSize }: { list?: OrderList; page: number; pageSize: number },
  ): OrderRecord[] {
    return this.state.orders
      .page(account.id, this.listing(market).venue.market.name, list, page, pageSize)
      .map(recordOf);
  }

  /** Cancels all orders of the account in the market a minute from now, and returns that time. A further call restarts the minute. */
  cancelAllAfter(account: Account, market: string): number {
    const time = this.now() + CANCEL_DELAY;
    this.state.scheduleCancelAll(account.id, this.listing(market).venue.market.name, time);
    return time;
  }

  /** Whether the disk failed. What has happened since is in memory only and ends with this process. */
  get isFailing(): boolean {
    return this.state.store.isFailing;
  }

  /** Resolves when everything before the call survives a kill and a loss of power. Rejects with NotWritten. */
  durable(): Promise<void> {
    return this.state.store.durable();
  }

  status(): ExchangeStatus {
    const { venues, customers, orders, sequences } = this.state;
    return {
      time: this.now(),
      markets: venues.size,
      accounts: customers.count,
      orders: orders.open.size,
      trades: sequences.trades,
    };
  }

  close(): Promise<void> {
    return this.state.store.close();
  }

  private listing(market: string): Listing {
    const listing = this.listings.get(market);
    if (listing === undefined) throw new Refusal('unknownMarket', market.slice(0, 40));
    return listing;
  }
}
