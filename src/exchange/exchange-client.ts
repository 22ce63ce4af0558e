import type { Cache } from '../config/cache.js';
import type { AccountInfo } from '../domain/account.js';
import type { Ohlcv } from '../domain/candle.js';
import type { Bill, ChainAddress, ChainFee, Deposit, Withdrawal, WithdrawalRequest } from '../domain/funds.js';
import type { Market } from '../domain/market.js';
import type { Depth, Ticker, Trade } from '../domain/market-data.js';
import type { Moment } from '../domain/moment.js';
import type {
  BatchRequest,
  Cancellation,
  Order,
  OrderReference,
  OrderTerms,
  OrderType,
  Side,
} from '../domain/order.js';
import { Failure, tryRead } from '../errors.js';
import type { TimeBudget } from '../platform/time-budget.js';
import type { BillRange } from './bills.js';
import type { CandlePage, CandleRange, CandleSeries, Candles, FirstPage } from './candles.js';
import { type Contradiction, contradictionOfCandles, contradictionOfTrades } from './contradictions.js';
import type { Exchange } from './domain-exchange.js';
import { type ApiOptions, ExchangeApi, type WriteOptions } from './exchange-api.js';
import { ExchangeZone } from './exchange-zone.js';
import { type ExchangeFacts, FACTS } from './facts.js';
import { failureOf } from './failures.js';
import type { Pages } from './growing-pages.js';
import type { Halt } from './limiter/halt-record.js';
import { MarketCatalog } from './market-catalog.js';
import {
  codecOf,
  type DecodedResult,
  type OperationName,
  type OperationNamed,
  type RequestOf,
} from './operations/index.js';
import type { Result } from './operations/operation.js';
import { eachOrderPage, type OrderExtent, type OrderPage, type OrderPages, readOrderPages } from './order-pages.js';
import type { Hosts, ParameterValues } from './request.js';
import { UnexpectedResponse } from './response.js';
import type { HttpResponse } from './transport.js';
import { type PlannedWrite, requestOf, type WriteRequest } from './write-requests.js';
import type { WriteResponse } from './write-response.js';

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

/** A page of a coin's deposits or withdrawals, newest first. The counts and `size` are null if the exchange leaves them out. */
type DepositPage = DecodedResult<'getChargeRecord'>;
type WithdrawalPage = DecodedResult<'getWithdrawRecord'>;

/** The `Exchange` that speaks the interface over HTTP. What only a few commands need is loaded when it is first needed. */
export class ExchangeClient implements Exchange {
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
    this.#options = options;
    this.#onResponse = onResponse;
  }

  now(): number {
    return this.api.now();
  }

  marketNow(): number {
    return this.api.marketNow();
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

  get zone(): ExchangeZone {
    this.#zone ??= new ExchangeZone(this.#options.zone);
    return this.#zone;
  }

  get markets(): MarketCatalog {
    this.#markets ??= new MarketCatalog(this, this.#options.cache, this.#options.onMarkets);
    return this.#markets;
  }

  halt(): Promise<Halt | undefined> {
    return this.api.halt();
  }

  get lockedUntil(): number | undefined {
    return this.api.lockedUntil;
  }

  requireKeys(): void {
    this.api.requireKeys();
  }

  prepareWrite(): void {
    this.api.prepareWrite();
  }

  restartingBudget(budget: TimeBudget): ExchangeClient {
    return new ExchangeClient(this.#options, this.api, () => budget.restart());
  }

  async tickers(): Promise<{ of(market: string): Ticker | undefined }> {
    const tickers = await this.#read('allTicker', {});
    // keys without the underscore were observed; the interface says only "market identifier"
    return { of: (market) => tickers.get(market) ?? tickers.get(market.replace('_', '')) };
  }

  ticker(market: string): Promise<Ticker & { readonly time: number }> {
    return this.#reportingMarket(market, this.#read('ticker', { market }));
  }

  depth(market: string, size: number, merge?: string): Promise<Depth> {
    return this.#reportingMarket(market, this.#read('depth', { market, size, merge }));
  }

  async trades(market: string, since?: string): Promise<readonly Trade[]> {
    const trades = await this.#reportingMarket(market, this.#read('trades', { market, since }));
    this.reportContradiction(contradictionOfTrades(market, trades));
    return trades;
  }

  async candles(range: CandleRange): Promise<Candles> {
    return (await import('./candles.js')).readCandles(this, range);
  }

  async firstCandlePage(series: CandleSeries, since: Moment): Promise<FirstPage> {
    return (await import('./candles.js')).readFirstPage(this, series, since);
  }

  async nextCandlePage(series: CandleSeries, from: number): Promise<CandlePage> {
    return (await import('./candles.js')).readCandlePage(this, series, from);
  }

  /** Candles, oldest first, and the earliest moment that they can be of: ms since the Unix epoch, or null if it is not shown. */
  async candlePage(
    request: RequestOf<'kline'>,
  ): Promise<{ readonly rows: readonly Ohlcv[]; readonly asOf: number | null }> {
    const codec = codecOf('kline');
    const { value, asOf } = await this.#reportingMarket(
      request.market,
      this.api.readDated('kline', codec.encode(request)),
    );
    this.#onResponse();
    const { candles, named } = codec.decode(value, request);
    this.reportContradiction(contradictionOfCandles(request.market, named));
    return { rows: candles, asOf };
  }

  async account(): Promise<AccountInfo> {
    const account = await this.#read('getAccountInfo', {});
    this.#reportNames({ kind: 'coins', coins: account.coins.map(({ coin }) => coin) });
    return account;
  }

  async getOrder(market: string, order: OrderReference): Promise<Order> {
    const found = await this.#read('getOrder', { market, order });
    if ('id' in order && found.id !== order.id) throw wrongOrder(`order ${order.id}`, `order ${found.id}`);
    requireMarket([found], market);
    this.#reportNames({ kind: 'orders', orders: [found] });
    return found;
  }

  async findOrder(market: string, order: OrderReference): Promise<Order | undefined> {
    return orIfNotFound(undefined, () => this.getOrder(market, order));
  }

  /**
   * A page of 10 orders of a side, newest first. Pages count from 1. Throws Failure `internal` for orders of another market or
   * side.
   */
  async orderPage(market: string, side: Side, page: number): Promise<readonly Order[]> {
    // observed in place of an empty list
    const orders = await orIfNotFound([], () => this.#read('getOrders', { market, side, page }));
    requireMarket(orders, market);
    const other = orders.find((order) => order.type !== 'other' && order.side !== side);
    if (other !== undefined) throw wrongOrder(`${side} orders`, `the ${other.side} order ${other.id}`);
    this.#reportNames({ kind: 'orders', orders });
    return orders;
  }

  orders(market: string, side: Side, extent: OrderExtent, isEnough?: (last: Order) => boolean): Promise<OrderPages> {
    return readOrderPages(this, market, side, extent, isEnough);
  }

  orderPages(market: string, side: Side, isEnough: (orders: readonly Order[]) => boolean): AsyncGenerator<OrderPage> {
    return eachOrderPage(this, market, side, isEnough);
  }

  async *bills(range: BillRange, page?: number): Pages<Bill> {
    return yield* (await import('./bills.js')).readBills(this, this.zone, range, page);
  }

  async *deposits(coin: string, page?: number): Pages<Deposit> {
    const [{ readDeposits }, { learnZone }] = await Promise.all([import('./record-pages.js'), import('./bills.js')]);
    const { zone } = this;
    const learn = (isEnough: () => boolean) => tryRead(() => learnZone(this, zone, coin, isEnough));
    return yield* readDeposits(this, { zone, learnZone: learn }, coin, page);
  }

  async *withdrawals(coin: string, page?: number): Pages<Withdrawal> {
    return yield* (await import('./record-pages.js')).readWithdrawals(this, coin, page);
  }

  async billPage(request: RequestOf<'getSpotBills'>): Promise<DecodedResult<'getSpotBills'>> {
    return orIfNotFound([], () => this.#read('getSpotBills', request));
  }

  depositPage(coin: string, page: number, size: number): Promise<DepositPage> {
    return orIfNotFound(NO_RECORDS, () => this.#read('getChargeRecord', { coin, page, size }));
  }

  withdrawalPage(coin: string, page: number, size: number): Promise<WithdrawalPage> {
    return orIfNotFound(NO_RECORDS, () => this.#read('getWithdrawRecord', { coin, page, size }));
  }

  async depositAddresses(coin: string): Promise<readonly ChainAddress[]> {
    return (await import('./addresses.js')).readDepositAddresses(this, coin);
  }

  async depositAddress(coin: string): Promise<ChainAddress> {
    return (await import('./addresses.js')).readDepositAddress(this, coin);
  }

  async withdrawalAddress(coin: string): Promise<ChainAddress> {
    return (await import('./addresses.js')).readWithdrawalAddress(this, coin);
  }

  async verifiedAddress(coin: string): Promise<string> {
    return (await import('./addresses.js')).readVerifiedAddress(this, coin);
  }

  listedAddresses(coin: string): Promise<readonly ChainAddress[]> {
    return this.#read('getPayinAddress', { coin });
  }

  /** The single deposit address of a coin; null if there is none. */
  depositAddressText(coin: string): Promise<string | null> {
    return this.#read('getUserAddress', { coin });
  }

  /** The verified address that withdrawals of a coin may go to; null if there is none. */
  verifiedAddressText(coin: string): Promise<string | null> {
    return this.#read('getWithdrawAddress', { coin });
  }

  async fees(coin?: string): Promise<readonly ChainFee[]> {
    // all coins without a coin, and a refusal in place of an empty answer, were observed
    return orIfNotFound([], () => this.#read('getFeeInfo', { coin }));
  }

  async placeOrder(
    terms: OrderTerms,
    clientId: string,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly id: string }>> {
    const response = await this.#write('order', { terms, clientId }, options);
    const { market, type } = terms;
    if (response.kind === 'done')
      this.#reportNames({ kind: 'placed', market, type, clientId, ids: [response.value.id], terms });
    return response;
  }

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

  cancelAllAfter(market: string): Promise<WriteResponse<null>> {
    return this.#write('cancelAllOrdersAfter', { market });
  }

  withdraw(
    withdrawal: WithdrawalRequest,
    password: string,
    options?: WriteOptions,
  ): Promise<WriteResponse<{ readonly id: string }>> {
    return this.#write('withdraw', { withdrawal, password }, options);
  }

  acceptsReqTimeForOrders(market: string, clientId: string, reqTime: number): Promise<boolean> {
    return this.api.acceptsReqTime('getOrder', codecOf('getOrder').encode({ market, order: { clientId } }), reqTime);
  }

  acceptsReqTimeForWithdrawals(coin: string, reqTime: number): Promise<boolean> {
    return this.api.acceptsReqTime(
      'getWithdrawRecord',
      codecOf('getWithdrawRecord').encode({ coin, page: 1, size: 1 }),
      reqTime,
    );
  }

  acceptsReqTimeForAccount(reqTime: number): Promise<boolean> {
    return this.api.acceptsReqTime('getAccountInfo', codecOf('getAccountInfo').encode({}), reqTime);
  }

  testMarketData(): Promise<HttpResponse> {
    return this.api.probe('markets', {});
  }

  testTrading(): Promise<HttpResponse> {
    // the interface shows it for one coin only, and a refusal is an answer too
    return this.api.probe('getFeeInfo', { currency: 'btc' });
  }

  requestOf(write: PlannedWrite): WriteRequest {
    return requestOf(write, this.hosts, this.#options.host.now());
  }

  readRaw(operation: OperationName, values: ParameterValues): Promise<string> {
    return this.api.readRaw(operation, values);
  }

  rawCall(operation: string, values: ParameterValues, options?: WriteOptions): Promise<WriteResponse<string>> {
    return this.api.rawCall(operation, values, options);
  }

  /** The markets as the exchange lists them. */
  readMarkets(): Promise<Result<OperationNamed<'markets'>>> {
    return this.api.read('markets', {});
  }

  reportContradiction(contradiction: Contradiction | undefined): void {
    if (contradiction !== undefined) this.#options.onContradiction?.(contradiction);
  }

  async #read<Name extends OperationName>(name: Name, request: RequestOf<Name>): Promise<DecodedResult<Name>> {
    const codec = codecOf(name);
    const answer = await this.api.read(name, codec.encode(request));
    this.#onResponse();
    return codec.decode(answer, request);
  }

  async #write<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options?: WriteOptions,
  ): Promise<WriteResponse<DecodedResult<Name>>> {
    const codec = codecOf(name);
    const response = await this.api.write(name, codec.encode(request), options);
    return response.kind === 'done' ? { kind: 'done', value: codec.decode(response.value, request) } : response;
  }

  async #reportingMarket<Value>(market: string, answer: Promise<Value>): Promise<Value> {
    const value = await answer;
    this.#reportNames({ kind: 'market', market });
    return value;
  }

  #reportNames(names: CompletionName): void {
    this.#options.onNames?.(names);
  }
}

/** Throws Failure `internal` for orders of another market, however its name is written. */
function requireMarket(orders: readonly Order[], market: string): void {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const other = orders.find((order) => plain(order.market) !== plain(market));
  if (other !== undefined) throw wrongOrder(`orders of ${market}`, `order ${other.id} of ${other.market}`);
}

function wrongOrder(asked: string, found: string): unknown {
  return failureOf(new UnexpectedResponse(`pit asked for ${asked} and got ${found}`), 'getOrder');
}

const NO_RECORDS = { records: [], rowCount: 0, pageCount: null, size: null };

/** Reads something, and returns `empty` if there is none: such a refusal was observed in place of an empty answer. */
async function orIfNotFound<Value, Empty>(empty: Empty, read: () => Promise<Value>): Promise<Value | Empty> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.refusal === 'notFound') return empty;
    throw error;
  }
}
