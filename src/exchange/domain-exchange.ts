import type { AccountInfo } from '../domain/account.js';
import type { Bill, ChainAddress, ChainFee, Deposit, Withdrawal, WithdrawalRequest } from '../domain/funds.js';
import type { Market } from '../domain/market.js';
import type { Depth, Ticker, Trade } from '../domain/market-data.js';
import type { Moment } from '../domain/moment.js';
import type { BatchRequest, Cancellation, Order, OrderReference, OrderTerms, Side } from '../domain/order.js';
import type { TimeRange } from '../domain/time-range.js';
import type { TimeBudget } from '../platform/time-budget.js';
import type { CandlePage, CandleRange, CandleSeries, Candles, FirstPage } from './candles.js';
import type { WriteOptions } from './exchange-api.js';
import type { ExchangeFacts } from './facts.js';
import type { Pages } from './growing-pages.js';
import type { Halt } from './limiter/halt-record.js';
import type { OperationName } from './operations/index.js';
import type { OrderExtent, OrderPage, OrderPages } from './order-pages.js';
import type { Hosts } from './request.js';
import type { HttpResponse } from './transport.js';
import type { PlannedWrite, WriteRequest } from './write-requests.js';
import type { WriteResponse } from './write-response.js';

type Values = Readonly<Record<string, string>>;

/** Every market of an exchange. Reading them may throw Failure `unreachable`, `limited`, `refused` or `internal`. */
export interface Markets {
  /** By name. */
  all(): Promise<readonly Market[]>;
  /** One market. Throws Failure `usage` with the nearest names if it does not exist. */
  find(name: string): Promise<Market>;
  /** Whether a market was missing from the last list, however old; false if there never was a list. */
  wasMissing(name: string): boolean;
}

/** The time zone of the exchange's dates: what the profile says, or what a bill shows. */
interface Zone {
  /** As `+08:00` or by its name; undefined while unknown. */
  readonly name: string | undefined;
  /** The offset that a bill showed, if it contradicts the profile. */
  readonly contradictingOffset: string | undefined;
}

/**
 * An exchange in domain values. Names of operations go in only for `pit api`, and codes come out only with a refusal.
 *
 * Reads are repeated within the time budget. They throw Failure: `refused`, `limited`, `unreachable`, `credentials`, `usage`,
 * or `internal` for a response that is not what the interface says. Times are in milliseconds since the Unix epoch.
 *
 * Writes are sent once, on a fresh connection, and never repeated. They throw Failure `credentials` or `usage` before
 * anything is sent; everything later is in the response.
 */
export interface Exchange {
  readonly hosts: Hosts;
  readonly facts: ExchangeFacts;
  readonly zone: Zone;
  readonly markets: Markets;
  /** When the lock of this machine's address ends; undefined if none is known. */
  readonly lockedUntil: number | undefined;

  /** Why only cancellations may leave now; undefined if every write may. */
  halt(): Promise<Halt | undefined>;
  /** The trade host's clock. Before the first response of that host it is a guess, good enough for a `reqTime`. */
  now(): number;
  /** The market-data host's clock: this machine's before the first response of that host. */
  marketNow(): number;
  /** Throws Failure `credentials` if a signed call could not be made. */
  requireKeys(): void;
  /** The same exchange, but each response restarts the time budget, so that a long listing ends only if it stops making progress. */
  restartingBudget(budget: TimeBudget): Exchange;

  /** All tickers by market. */
  tickers(): Promise<{ of(market: string): Ticker | undefined }>;
  ticker(market: string): Promise<Ticker & { readonly time: number }>;
  /** A market's book with `size` levels a side. */
  depth(market: string, size: number, merge?: string): Promise<Depth>;
  /** The latest trades, or the next after the trade with the id `since`, in the exchange's order. */
  trades(market: string, since?: string): Promise<readonly Trade[]>;
  /** A range of candles; `failure` says which part of it is missing. */
  candles(range: CandleRange): Promise<Candles>;
  /** The first page of a range of candles that may begin at an age, and where the range begins. */
  firstCandlePage(series: CandleSeries, since: Moment): Promise<FirstPage>;
  /** The candles from a time on. */
  nextCandlePage(series: CandleSeries, from: number): Promise<CandlePage>;

  account(): Promise<AccountInfo>;
  /** One order. Throws Failure `internal` for another one than was asked for: the answer may be of another request. */
  getOrder(market: string, order: OrderReference): Promise<Order>;
  /** One order, or undefined if the exchange says that there is none. */
  findOrder(market: string, order: OrderReference): Promise<Order | undefined>;
  /**
   * The orders of one side of a market, newest first and each once, until there are no more, or until `isEnough` returns true
   * for the last order of a page. A later page that cannot be read is in the answer.
   */
  orders(market: string, side: Side, extent: OrderExtent, isEnough?: (last: Order) => boolean): Promise<OrderPages>;
  /** The same page by page, until `isEnough` returns true for a page. Throws what a read throws. */
  orderPages(market: string, side: Side, isEnough: (orders: readonly Order[]) => boolean): AsyncGenerator<OrderPage>;
  /** The bills of a range. @param page counts from 1, within the range; all of them if undefined */
  bills(range: TimeRange & { readonly coin?: string | undefined }, page?: number): Pages<Bill>;
  /** The deposits of a coin. @param page counts from 1; all of them if undefined */
  deposits(coin: string, page?: number): Pages<Deposit>;
  /** The withdrawals of a coin. @param page counts from 1; all of them if undefined */
  withdrawals(coin: string, page?: number): Pages<Withdrawal>;
  /** Where the account receives a coin, one address per chain. Throws Failure `refused` if there is none yet. */
  depositAddresses(coin: string): Promise<readonly ChainAddress[]>;
  /** The one address of a coin with one chain. Throws Failure `refused` if there is none yet. */
  depositAddress(coin: string): Promise<ChainAddress>;
  /** The verified address that withdrawals of a coin may go to. Throws Failure `refused` if there is none yet. */
  withdrawalAddress(coin: string): Promise<ChainAddress>;
  /** The same as a withdrawal takes it. */
  verifiedAddress(coin: string): Promise<string>;
  /** Where the account receives a coin, as the exchange lists its chains: also those without an address. */
  listedAddresses(coin: string): Promise<readonly ChainAddress[]>;
  /** The chains of a coin, or of all coins, with their withdrawal fees. Needs no key. */
  fees(coin?: string): Promise<readonly ChainFee[]>;

  /** Opens a connection in the background for the next write. Call it when a write is likely to follow within half a minute. */
  prepareWrite(): void;
  placeOrder(
    terms: OrderTerms,
    clientId: string,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly id: string }>>;
  /** Places several limit orders with one request. */
  placeOrders(
    batch: BatchRequest,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly ids: readonly string[]; readonly message: string | null }>>;
  cancelOrder(market: string, order: OrderReference, options?: WriteOptions): Promise<WriteResponse<Cancellation>>;
  /** Starts a timer at the exchange that cancels every order of a market after one minute. Each further call restarts it. */
  cancelAllAfter(market: string): Promise<WriteResponse<null>>;
  /** @param password the fund password, which goes into the request and nowhere else */
  withdraw(
    withdrawal: WithdrawalRequest,
    password: string,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly id: string }>>;
  /** A write as it would be sent, with its secrets masked. Throws Failure `usage` for a value that breaks its rule. */
  requestOf(write: PlannedWrite): WriteRequest;

  /**
   * Asks once whether the exchange accepts this `reqTime`, with a read that needs the permission for orders. Throws the Failure
   * of a read if no response came.
   * @param clientId an id that no order has
   */
  acceptsReqTimeForOrders(market: string, clientId: string, reqTime: number): Promise<boolean>;
  /** Like {@link acceptsReqTimeForOrders}, with a read that needs the permission for withdrawals. */
  acceptsReqTimeForWithdrawals(coin: string, reqTime: number): Promise<boolean>;
  /** Like {@link acceptsReqTimeForOrders}, with a read that needs the permission to see the account. */
  acceptsReqTimeForAccount(reqTime: number): Promise<boolean>;
  /** Sends one request to the market-data host and returns the HTTP response. */
  testMarketData(): Promise<HttpResponse>;
  /** Sends one request that needs no key to the trade host and returns the HTTP response. */
  testTrading(): Promise<HttpResponse>;

  /** Reads by the interface's own name, and returns the body as it came. */
  readRaw(operation: OperationName, values: Values): Promise<string>;
  /** Calls an operation that the interface does not describe, as a write. The value is the body of the response. */
  rawCall(operation: string, values: Values, options?: WriteOptions): Promise<WriteResponse<string>>;
}
