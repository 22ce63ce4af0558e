import type { AccountType, OrderReference, OrderType, Side } from '../../domain/order.js';
import type { Account, Secrets } from '../accounts/accounts.js';
import type { FundsService } from '../funds/funds-service.js';
import { withdrawing } from '../funds/withdrawals.js';
import type { MarginService } from '../margin/margin-service.js';
import type { CandleType } from '../markets/candles.js';
import { COINS, type CoinRules } from '../markets/coins.js';
import { coinText, type MarketRules } from '../markets/market.js';
import { type OrderRecord, recordOf } from '../orders/order.js';
import type { OrderList } from '../orders/order-repository.js';
import { Refusal } from '../refusals.js';
import { AdminService } from './admin-service.js';
import { ExchangeState, type ReplayGenesis } from './exchange-state.js';
import {
  type CandleQuery,
  type Depth,
  type DepthQuery,
  MarketData,
  type PublicTrade,
  type ShownCandle,
  type Ticker,
} from './market-data.js';

interface ExchangeOptions {
  /** Where the state is kept; made if it is missing. Only one exchange at a time can have it open. */
  readonly directory: string;
  /** Used if the directory is empty; afterwards the stored one applies. */
  readonly seed: number;
  /** The machine's clock, which the exchange's clock follows until it is driven: ms since the Unix epoch. */
  readonly now: () => number;
  /** Used if the directory is empty; afterwards the stored one applies. */
  readonly firstAccount: Secrets;
  /** When the exchange begins, if the directory is empty and it is not to begin in the present. */
  readonly replayGenesis?: ReplayGenesis | undefined;
}

export interface OrderRequest {
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
  /** The wallet that pays and receives (default: spot). */
  readonly account?: AccountType | undefined;
  /** Margin: borrow what is missing, within the leverage. */
  readonly borrow?: boolean | undefined;
  /** Margin: repay with what comes in. */
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
  private readonly marketData: ReadonlyMap<string, MarketData>;
  private readonly now: () => number;

  constructor(private readonly state: ExchangeState) {
    const { accessKey, secretKey, safePwd, username } = state.customers.firstAccount();
    this.firstAccount = { accessKey, secretKey, safePwd, username };
    this.now = state.clock.now;
    this.markets = new Map([...state.venues].map(([name, { market }]) => [name, market]));
    this.marketData = new Map([...state.venues].map(([name, venue]) => [name, new MarketData(venue)]));
    this.funds = state.funds;
    this.margin = state.margin;
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

  ticker(market: string): Ticker {
    return this.dataOf(market).ticker(this.now());
  }

  depth(market: string, query: DepthQuery): Depth {
    return this.dataOf(market).depth(this.now(), query);
  }

  /** At most 50, oldest first: those after an id, or the latest. */
  trades(market: string, afterId?: string): PublicTrade[] {
    return this.dataOf(market).trades(afterId);
  }

  /** Without gaps, oldest first. */
  candles(market: string, type: CandleType, query: CandleQuery): ShownCandle[] {
    return this.dataOf(market).candles(type, this.now(), query);
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

  /** The id of the new order. Throws {@link Refusal}, with nothing changed. */
  place(account: Account, request: OrderRequest): string {
    const venue = this.venue(request.market);
    const { side, type, clientId, account: kind, borrow, repay } = request;
    const price = venue.market.ticks(request.price);
    const amount = venue.market.lots(request.amount);
    venue.market.checkNotional(price, amount);
    const intent = { account: account.id, side, type, price, amount, clientId, kind, borrow, repay };
    const order = this.state.orderService.place(venue, intent, this.now());
    this.state.scheduleCommit();
    return String(order.id);
  }

  /** The order as it is after the cancellation. Throws {@link Refusal} if there is none or it is already final. */
  cancel(account: Account, market: string, ref: OrderReference): OrderRecord {
    const venue = this.venue(market);
    const { id } = this.state.orders.find(account.id, market, ref);
    const order = this.state.orders.open.get(id);
    if (order === undefined) throw new Refusal('orderFinal');
    this.state.orderService.cancel(venue, order);
    this.state.scheduleCommit();
    return recordOf(order);
  }

  /** Throws {@link Refusal} if there is no such order. */
  order(account: Account, market: string, ref: OrderReference): OrderRecord {
    return recordOf(this.state.orders.find(account.id, this.venue(market).market.market, ref));
  }

  /** Newest first; pages count from 1 (default: all orders of the market). */
  orders(
    account: Account,
    market: string,
    { list = 'all', page, pageSize }: { list?: OrderList; page: number; pageSize: number },
  ): OrderRecord[] {
    return this.state.orders.page(account.id, this.venue(market).market.market, list, page, pageSize).map(recordOf);
  }

  /** Cancels all orders of the account in the market a minute from now, and returns that time. A further call restarts the minute. */
  cancelAllAfter(account: Account, market: string): number {
    const time = this.now() + CANCEL_DELAY;
    this.state.scheduleCancelAll(account.id, this.venue(market).market.market, time);
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

  private venue(market: string) {
    const venue = this.state.venues.get(market);
    if (venue === undefined) throw new Refusal('unknownMarket', market.slice(0, 40));
    return venue;
  }

  private dataOf(market: string): MarketData {
    const data = this.marketData.get(market);
    if (data === undefined) throw new Refusal('unknownMarket', market.slice(0, 40));
    return data;
  }
}
