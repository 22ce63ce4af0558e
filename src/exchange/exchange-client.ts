import type { Cache } from '../config/cache.js';
import type { AccountInfo } from '../domain/account.js';
import type { Ohlcv } from '../domain/candle.js';
import type { Bill, ChainAddress, Deposit, WithdrawalRequest } from '../domain/funds.js';
import type { Market } from '../domain/market.js';
import type { Ticker, Trade } from '../domain/market-data.js';
import type { Moment } from '../domain/moment.js';
import {
  type BatchRequest,
  type Cancellation,
  isOfMarket,
  isOfSide,
  type Order,
  type OrderReference,
  type OrderTerms,
  type OrderType,
  type Side,
} from '../domain/order.js';
import { quotedName } from '../domain/quotation.js';
import { Failure, tryRead } from '../errors.js';
import type { TimeBudget } from '../platform/time-budget.js';
import { DescribedReads } from './described-reads.js';
import { type ApiOptions, ExchangeApi, type WriteOptions } from './exchange-api.js';
import { ExchangeZone } from './exchange-zone.js';
import { type ExchangeFacts, FACTS } from './facts.js';
import type { Halt } from './limiter/halt-record.js';
import type { BillRange } from './lists/bills.js';
import type { CandlePage, CandleRange, CandleSeries, Candles, FirstPage } from './lists/candles.js';
import { type Contradiction, contradictionOfCandles, contradictionOfTrades } from './lists/contradictions.js';
import type { PageSpan, Pages } from './lists/growing-pages.js';
import { eachOrderPage, type OrderPage, type OrderPages, readOrderPages } from './lists/order-pages.js';
import { MarketCatalog, type Markets } from './market-catalog.js';
import { codecOf, type DecodedResult, type OperationName, operationOf, type RequestOf } from './operations/index.js';
import { requestFailure } from './requests/failures.js';
import type { Hosts, ParameterValues, ValuesOf } from './requests/request.js';
import { UnexpectedResponse } from './requests/response.js';
import type { HttpResponse } from './requests/transport.js';
import { type PlannedWrite, requestOf, type WriteRequest } from './requests/write-requests.js';
import type { WriteResponse } from './requests/write-response.js';

export interface ClientOptions extends ApiOptions {
  /** Receives names for shell completion. */
  readonly onNames?: (names: CompletionName) => void;
  /** Keeps the markets between commands. */
  readonly cache?: Cache;
  /** Called with all markets whenever they are read. */
  readonly onMarkets?: (markets: readonly Market[]) => void;
  /** Takes what contradicts itself in an answer; the answer is used all the same. */
  readonly onContradiction?: (contradiction: Contradiction) => void;
  /** The time zone of the exchange's dates: an offset like `+08:00` or a name. Absent: pit learns it from bills. */
  readonly zone?: string | undefined;
}

export type CompletionName =
  /** A market that was asked about. */
  | { readonly kind: 'market'; readonly market: string }
  | { readonly kind: 'coins'; readonly coins: readonly string[] }
  | { readonly kind: 'orders'; readonly orders: readonly Order[] }
  | {
      readonly kind: 'placed';
      readonly market: string;
      readonly type: OrderType;
      readonly clientId: string | null;
      readonly ids: readonly string[];
      /** Null for a batch: its response does not say which id belongs to which order. */
      readonly terms: Pick<OrderTerms, 'side' | 'price' | 'amount'> | null;
    }
  | { readonly kind: 'cancelled'; readonly order: OrderReference };

/**
 * What commands and trading code know of an exchange, in domain values. Names of operations go in only for `pit api`, and codes
 * come out only with a refusal. Each read or list that needs nothing but its description (`operations`) is a method too.
 *
 * Reads are repeated within the time budget. They throw Failure: `refused`, `limited`, `unreachable`, `credentials`, `usage`,
 * or `internal` for a response that is not what the interface says. Times are in milliseconds since the Unix epoch.
 *
 * Writes are sent once, on a fresh connection, and never repeated. They throw Failure `credentials` or `usage` before
 * anything is sent; everything later is in the response.
 */
export type Exchange = Omit<
  ExchangeClient,
  // what only feeds, and lists with pages, use
  'api' | 'candlePage' | 'orderPage' | 'undatedDeposits' | 'reportContradiction' | 'restartingBudget'
> & {
  /** The same exchange, but each response restarts the time budget, so that a long listing ends only if it stops making progress. */
  restartingBudget(budget: TimeBudget): Exchange;
};

/** The {@link Exchange} over HTTP. What only a few commands need is loaded when it is first needed. */
export class ExchangeClient extends DescribedReads {
  readonly #options: ClientOptions;
  readonly #onResponse: () => void;

  #zone: ExchangeZone | undefined;
  #markets: MarketCatalog | undefined;

  /**
   * @param api the same exchange by the interface's own names
   * @param onResponse called after each response
   */
  constructor(
    options: ClientOptions,
    readonly api: ExchangeApi = new ExchangeApi(options),
    onResponse: () => void = () => {},
  ) {
    super();
    this.#options = options;
    this.#onResponse = onResponse;
  }

  /** The trade host's clock. Before the first response of that host it is a guess, good enough for a `reqTime`. */
  now(): number {
    return this.api.now();
  }

  /** The market-data host's clock: this machine's before the first response of that host. */
  marketNow(): number {
    return this.api.marketNow();
  }

  /** How many times as fast as this machine's clock that of the exchange runs: 1, except in a rehearsed program. */
  get clockSpeed(): number {
    return this.api.clockSpeed;
  }

  /** Whether the market-data host has shown its time to this process. */
  get isMarketTimeKnown(): boolean {
    return this.api.isMarketTimeKnown;
  }

  /** Whether the trade host has shown its time to this process. */
  get isTimeKnown(): boolean {
    return this.api.isTimeKnown;
  }

  get hosts(): Hosts {
    return this.api.hosts;
  }

  get facts(): ExchangeFacts {
    return FACTS;
  }

  /** The time zone of the exchange's dates. */
  get zone(): Pick<ExchangeZone, 'name' | 'contradictingOffset'> {
    return this.#dates;
  }

  /** Learns the time zone of the exchange's dates from bills that were read before. */
  learnZone(bills: Iterable<Pick<Bill, 'time' | 'timeRaw'>>): void {
    for (const { time, timeRaw } of bills) this.#dates.learn({ time, shownTime: timeRaw });
  }

  get #dates(): ExchangeZone {
    this.#zone ??= new ExchangeZone(this.#options.zone);
    return this.#zone;
  }

  get markets(): Markets {
    this.#markets ??= new MarketCatalog(this, this.#options.cache, this.#options.onMarkets);
    return this.#markets;
  }

  /** Why only cancellations may leave now; undefined if every write may. */
  halt(): Promise<Halt | undefined> {
    return this.api.halt();
  }

  /** When the lock of this machine's address ends; undefined if none is known. */
  get lockedUntil(): number | undefined {
    return this.api.lockedUntil;
  }

  /** Throws Failure `credentials` if a signed call could not be made. */
  requireKeys(): void {
    this.api.requireKeys();
  }

  /** Opens a connection in the background for the next write. Call it when a write is likely to follow within half a minute. */
  prepareWrite(): void {
    this.api.prepareWrite();
  }

  restartingBudget(budget: TimeBudget): ExchangeClient {
    return new ExchangeClient(this.#options, this.api, () => budget.restart());
  }

  /** All tickers by market. */
  async tickers(): Promise<{ of(market: string): Ticker | undefined }> {
    const tickers = await this.readOperation('allTicker', {});
    // keys without the underscore were observed; the interface says only "market identifier"
    return { of: (market) => tickers.get(market) ?? tickers.get(market.replace('_', '')) };
  }

  /** The latest trades, or the next after the trade with the id `since`, in the exchange's order. */
  async trades(market: string, since?: string): Promise<readonly Trade[]> {
    const trades = await this.readOperation('trades', { market, since });
    this.reportContradiction(contradictionOfTrades(market, trades));
    return trades;
  }

  /** A range of candles; `failure` says which part of it is missing. */
  async candles(range: CandleRange): Promise<Candles> {
    return (await import('./lists/candles.js')).readCandles(this, range);
  }

  /** The first page of a range of candles that may begin at an age, and where the range begins. */
  async firstCandlePage(series: CandleSeries, since: Moment): Promise<FirstPage> {
    return (await import('./lists/candles.js')).readFirstPage(this, series, since);
  }

  /** The candles from a time on. */
  async nextCandlePage(series: CandleSeries, from: number): Promise<CandlePage> {
    return (await import('./lists/candles.js')).readCandlePage(this, series, from);
  }

  /** Candles, oldest first, and the earliest moment that they can be of: ms since the Unix epoch, or null if it is not shown. */
  async candlePage(
    request: RequestOf<'kline'>,
  ): Promise<{ readonly rows: readonly Ohlcv[]; readonly asOf: number | null }> {
    const codec = codecOf('kline');
    const { value, asOf } = await this.api.readDated('kline', codec.encode(request));
    this.#onResponse();
    this.#reportNames({ kind: 'market', market: request.market });
    const { candles, named } = codec.decode(value, request);
    this.reportContradiction(contradictionOfCandles(request.market, named));
    return { rows: candles, asOf };
  }

  async account(): Promise<AccountInfo> {
    const account = await this.readOperation('getAccountInfo', {});
    this.#reportNames({ kind: 'coins', coins: account.coins.map(({ coin }) => coin) });
    return account;
  }

  /** One order. Throws Failure `internal` for another one than was asked for: the answer may be of another request. */
  async getOrder(market: string, order: OrderReference): Promise<Order> {
    const found = await this.readOperation('getOrder', { market, order });
    if ('id' in order && found.id !== order.id) throw wrongOrder(`order ${order.id}`, `order ${found.id}`);
    requireMarket([found], market);
    this.#reportNames({ kind: 'orders', orders: [found] });
    return found;
  }

  /** One order, or undefined if the exchange says that there is none. */
  async findOrder(market: string, order: OrderReference): Promise<Order | undefined> {
    return orIfNotFound(undefined, () => this.getOrder(market, order));
  }

  /**
   * A page of 10 orders of a side, newest first. Pages count from 1. Throws Failure `internal` for orders of another market or
   * side.
   */
  async orderPage(market: string, side: Side, page: number): Promise<readonly Order[]> {
    // observed in place of an empty list
    const orders = await orIfNotFound([], () => this.readOperation('getOrders', { market, side, page }));
    requireMarket(orders, market);
    const other = orders.find((order) => !isOfSide(order, side));
    if (other !== undefined) throw wrongOrder(`${side} orders`, `the ${other.side} order ${other.id}`);
    this.#reportNames({ kind: 'orders', orders });
    return orders;
  }

  /**
   * The orders of one side of a market on some pages, newest first and each once. That a later page could not be read is in the answer.
   */
  orders(market: string, side: Side, span: PageSpan): Promise<OrderPages> {
    return readOrderPages(this, market, side, span);
  }

  /** The same page by page, until `isEnough` returns true for a page. Throws what a read throws. */
  orderPages(
    market: string,
    side: Side,
    isEnough: (orders: readonly Order[]) => boolean,
    span?: PageSpan,
  ): AsyncGenerator<OrderPage> {
    return eachOrderPage(this, market, side, isEnough, span);
  }

  /** The bills of a range. @param page counts from 1, within the range; all of them if undefined */
  async *bills(range: BillRange, page?: number): Pages<Bill> {
    return yield* (await import('./lists/bills.js')).readBills(this, this.#dates, range, page);
  }

  /** The deposits of a coin. @param page counts from 1; all of them if undefined */
  async *deposits(coin: string, page?: number): Pages<Deposit> {
    const [{ datedDeposits }, { learnZone }] = await Promise.all([
      import('./lists/record-pages.js'),
      import('./lists/bills.js'),
    ]);
    const zone = this.#dates;
    const learn = (isEnough: () => boolean) => tryRead(() => learnZone(this, zone, coin, isEnough));
    return yield* datedDeposits(this.undatedDeposits({ coin }, page), { zone, learnZone: learn });
  }

  /** Where the account receives a coin, one address per chain. Throws Failure `refused` if there is none yet. */
  async depositAddresses(coin: string): Promise<readonly ChainAddress[]> {
    return (await import('./lists/addresses.js')).readDepositAddresses(this, coin);
  }

  /** The one address of a coin with one chain. Throws Failure `refused` if there is none yet. */
  async depositAddress(coin: string): Promise<ChainAddress> {
    return (await import('./lists/addresses.js')).readDepositAddress(this, coin);
  }

  /** The verified address that withdrawals of a coin may go to. Throws Failure `refused` if there is none yet. */
  async withdrawalAddress(coin: string): Promise<ChainAddress> {
    return (await import('./lists/addresses.js')).readWithdrawalAddress(this, coin);
  }

  /** The same as a withdrawal takes it. */
  async verifiedAddress(coin: string): Promise<string> {
    return (await import('./lists/addresses.js')).readVerifiedAddress(this, coin);
  }

  /**
   * Places an order.
   * @param clientId null if it has none
   * @param options.parameters sent as they are; absent: what the terms and the client id come to
   */
  async placeOrder(
    terms: OrderTerms,
    clientId: string | null,
    { parameters, ...options }: WriteOptions & { readonly parameters?: ParameterValues | undefined } = {},
  ): Promise<WriteResponse<{ readonly id: string }>> {
    const response = await this.#write(
      'order',
      { terms, clientId },
      options,
      parameters as ValuesOf<'order'> | undefined,
    );
    const { market, type } = terms;
    if (response.kind === 'done')
      this.#reportNames({ kind: 'placed', market, type, clientId, ids: [response.value.id], terms });
    return response;
  }

  /** Places several limit orders with one request. */
  async placeOrders(
    batch: BatchRequest,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly ids: readonly string[]; readonly message: string | null }>> {
    const response = await this.#write('orderMoreV2', batch, options);
    const { market } = batch;
    if (response.kind === 'done')
      this.#reportNames({
        kind: 'placed',
        market,
        type: 'limit',
        clientId: null,
        ids: response.value.ids,
        terms: null,
      });
    return response;
  }

  async cancelOrder(
    market: string,
    order: OrderReference,
    options?: WriteOptions,
  ): Promise<WriteResponse<Cancellation>> {
    const response = await this.#write('cancelOrder', { market, order }, options);
    if (response.kind === 'done') this.#reportNames({ kind: 'cancelled', order });
    return response;
  }

  /** Starts a timer at the exchange that cancels every order of a market after one minute. Each further call restarts it. */
  cancelAllAfter(market: string): Promise<WriteResponse<null>> {
    return this.#write('cancelAllOrdersAfter', { market });
  }

  /** @param password the fund password, which goes into the request and nowhere else */
  withdraw(
    withdrawal: WithdrawalRequest,
    password: string,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly id: string }>> {
    return this.#write('withdraw', { withdrawal, password }, options);
  }

  /**
   * Asks once whether the exchange accepts this `reqTime`, with a read that needs the permission for orders. Throws the Failure
   * of a read if no response came.
   * @param clientId an id that no order has
   */
  acceptsReqTimeForOrders(market: string, clientId: string, reqTime: number): Promise<boolean> {
    return this.api.acceptsReqTime('getOrder', codecOf('getOrder').encode({ market, order: { clientId } }), reqTime);
  }

  /** Like {@link acceptsReqTimeForOrders}, with a read that needs the permission for withdrawals. */
  acceptsReqTimeForWithdrawals(coin: string, reqTime: number): Promise<boolean> {
    return this.api.acceptsReqTime(
      'getWithdrawRecord',
      codecOf('getWithdrawRecord').encode({ coin, page: 1, size: 1 }),
      reqTime,
    );
  }

  /** Like {@link acceptsReqTimeForOrders}, with a read that needs the permission to see the account. */
  acceptsReqTimeForAccount(reqTime: number): Promise<boolean> {
    return this.api.acceptsReqTime('getAccountInfo', codecOf('getAccountInfo').encode({}), reqTime);
  }

  /** Sends one request to the market-data host and returns the HTTP response. */
  testMarketData(): Promise<HttpResponse> {
    return this.api.probe('markets', {});
  }

  /** Sends one request that needs no key to the trade host and returns the HTTP response. */
  testTrading(): Promise<HttpResponse> {
    // the interface shows it for one coin only, and a refusal is an answer too
    return this.api.probe('getFeeInfo', { currency: 'btc' });
  }

  /** A write as it would be sent, with its secrets masked. Throws Failure `usage` for a value that breaks its rule. */
  requestOf(write: PlannedWrite): WriteRequest {
    return requestOf(write, this.hosts, this.#options.host.now());
  }

  /** Reads by the interface's own name, and returns the body as it came. */
  readRaw(operation: OperationName, values: ParameterValues): Promise<string> {
    return this.api.readRaw(operation, values);
  }

  /** Calls an operation that the interface does not describe, as a write. The value is the body of the response. */
  rawCall(operation: string, values: ParameterValues, options?: WriteOptions): Promise<WriteResponse<string>> {
    return this.api.rawCall(operation, values, options);
  }

  reportContradiction(contradiction: Contradiction | undefined): void {
    if (contradiction !== undefined) this.#options.onContradiction?.(contradiction);
  }

  protected async readOperation<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
  ): Promise<DecodedResult<Name>> {
    const { encode, decode, ifNotFound } = codecOf(name);
    const read = async () => {
      const answer = await this.api.read(name, encode(request));
      this.#onResponse();
      return decode(answer, request);
    };
    const value = ifNotFound === undefined ? await read() : await orIfNotFound(ifNotFound, read);
    if (operationOf(name).access === 'public' && 'market' in request)
      this.#reportNames({ kind: 'market', market: request.market });
    return value;
  }

  /** @param values sent as they are; absent: what the request comes to */
  async #write<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options?: WriteOptions,
    values?: ValuesOf<Name>,
  ): Promise<WriteResponse<DecodedResult<Name>>> {
    const codec = codecOf(name);
    const response = await this.api.write(name, values ?? codec.encode(request), options);
    return response.kind === 'done' ? { kind: 'done', value: codec.decode(response.value, request) } : response;
  }

  #reportNames(names: CompletionName): void {
    this.#options.onNames?.(names);
  }
}

/** Throws Failure `internal` for orders of another market, however its name is written. */
function requireMarket(orders: readonly Order[], market: string): void {
  const other = orders.find((order) => !isOfMarket(order, market));
  if (other !== undefined) throw wrongOrder(`orders of ${market}`, `order ${other.id} of ${quotedName(other.market)}`);
}

function wrongOrder(asked: string, found: string): unknown {
  return requestFailure(new UnexpectedResponse(`pit asked for ${asked} and got ${found}`), 'getOrder');
}

/** Reads something, and returns `empty` if there is none: such a refusal was observed in place of an empty answer. */
async function orIfNotFound<Value, Empty>(empty: Empty, read: () => Promise<Value>): Promise<Value | Empty> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.refusal === 'notFound') return empty;
    throw error;
  }
}
