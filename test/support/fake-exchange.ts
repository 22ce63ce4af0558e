import type { AccountInfo } from '../../src/domain/account.js';
import { CANDLE_MS } from '../../src/domain/candle.js';
import type { Bill, ChainAddress, ChainFee, Deposit, Withdrawal } from '../../src/domain/funds.js';
import type { Market } from '../../src/domain/market.js';
import type { Depth, Ticker, Trade } from '../../src/domain/market-data.js';
import { isSameReference, type Order, type OrderReference } from '../../src/domain/order.js';
import type { Refusal } from '../../src/domain/refusal.js';
import { Failure, usage } from '../../src/errors.js';
import { DescribedReads } from '../../src/exchange/described-reads.js';
import type {
  CandlePage,
  CandleSeries,
  Exchange,
  OrderPages,
  Pages,
  PlannedWrite,
  WriteResponse,
} from '../../src/exchange/exchange.js';
import { FACTS } from '../../src/exchange/facts.js';
import { uncounted } from '../../src/exchange/lists/growing-pages.js';
import type { DecodedResult, OperationName, RequestOf } from '../../src/exchange/operations/index.js';
import { NOW } from './fake-host.js';

/** What a fake exchange has. Lists are newest first, except for candles and trades. */
interface Content {
  readonly markets: readonly Market[];
  readonly tickers: Readonly<Record<string, Partial<Ticker>>>;
  readonly books: Readonly<Record<string, Pick<Depth, 'bids' | 'asks'>>>;
  readonly trades: readonly Trade[];
  readonly candles: CandlePage['candles'];
  readonly account: AccountInfo | undefined;
  readonly orders: readonly Order[];
  readonly bills: readonly Bill[];
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  readonly addresses: readonly ChainAddress[];
  readonly fees: readonly ChainFee[];
}

const NOTHING: Content = {
  ...{ markets: [], tickers: {}, books: {}, trades: [], candles: [], account: undefined, orders: [], bills: [] },
  ...{ deposits: [], withdrawals: [], addresses: [], fees: [] },
};

const NO_TICKER: Ticker = {
  ...{ bid: null, ask: null, last: null, open: null, high: null, low: null, change: null, volume: null },
};

/** What becomes of the next write; done if none is left. */
export type Fate = Exclude<WriteResponse<never>, { kind: 'refused' }> | Refusal;

type Reads = {
  readonly [Name in OperationName]?: (content: Content, request: RequestOf<Name>, now: number) => DecodedResult<Name>;
};

/** The reads that need nothing but their description. It has no answer to any other. */
const READS: Reads = {
  ticker: (content, { market }, now) => ({ ...(tickerOf(content, market) ?? missing(market)), time: now }),
  depth: ({ books }, { market, size }, now) => {
    const { bids, asks } = books[market] ?? missing(market);
    return { time: now, bids: bids.slice(0, size), asks: asks.slice(0, size) };
  },
  getPayinAddress: ({ addresses }, { coin }) => addresses.filter((address) => address.coin === coin),
  getFeeInfo: ({ fees }, { coin }) => fees.filter((fee) => coin === undefined || fee.coin === coin),
};

/** An exchange in memory, for tests that are not about the wire: it lists what it is given, and executes writes on that. */
export class FakeExchange extends DescribedReads implements Exchange {
  readonly #fates: Fate[];

  readonly hosts = { baseUrl: 'http://fake.test', tradeUrl: 'http://fake.test' };
  readonly facts = FACTS;
  readonly zone = { name: '+00:00', contradictingOffset: undefined };
  readonly lockedUntil = undefined;
  readonly halt = async () => undefined;
  /** Each read that was made: its name and the market, the coin or the order that it was about. */
  readonly reads: string[] = [];
  /** Each write that was sent. */
  readonly writes: Exclude<PlannedWrite, { kind: 'call' }>[] = [];
  readonly #content: Content;
  #orders: readonly Order[];
  #lastId = 0;

  /** @param fates what becomes of the first writes */
  constructor(
    content: Partial<Content> = {},
    fates: Fate[] = [],
    readonly now = () => NOW,
  ) {
    super();
    this.#fates = fates;

    this.#content = { ...NOTHING, ...content };
    this.#orders = this.#content.orders;
  }

  readonly isTimeKnown = true;
  readonly isMarketTimeKnown = true;
  readonly clockSpeed = 1;
  readonly marketNow = () => this.now();
  readonly requireKeys = () => undefined;
  readonly prepareWrite = () => undefined;
  readonly learnZone = () => undefined;
  readonly restartingBudget = () => this;

  readonly markets = {
    all: async () => this.#content.markets,
    leftOut: async () => [],
    findAgain: async (name: string) => this.markets.find(name),
    find: async (name: string): Promise<Market> => {
      const found = this.#content.markets.find(({ market }) => market === name);
      if (found === undefined) throw usage(`There is no market ${name} on this exchange.`);
      return found;
    },
    wasMissing: (name: string) => this.#content.markets.every(({ market }) => market !== name),
  };

  protected override async readOperation<Name extends OperationName>(name: Name, request: RequestOf<Name>) {
    if ('market' in request) this.reads.push(`${name} ${request.market}`);
    const read = READS[name] as Reads[Name];
    return read?.(this.#content, request, this.now()) ?? missing(`the answer to ${name}`);
  }

  async tickers() {
    this.reads.push('tickers');
    return { of: (market: string) => tickerOf(this.#content, market) };
  }

  async trades(market: string) {
    this.reads.push(`trades ${market}`);
    return this.#content.trades;
  }

  async candles() {
    return { candles: this.#content.candles, failure: null };
  }

  async firstCandlePage(series: CandleSeries, since: (now: number) => number) {
    const start = since(this.marketNow());
    return { ...(await this.nextCandlePage(series, start)), start };
  }

  async nextCandlePage({ market, type }: CandleSeries, from: number): Promise<CandlePage> {
    this.reads.push(`candles ${market}`);
    const candles = this.#content.candles.filter(({ time }) => time + CANDLE_MS[type] > from);
    return { candles, isFull: false, asOf: this.now() };
  }

  async account() {
    this.reads.push('account');
    return this.#content.account ?? missing('the account');
  }

  async getOrder(market: string, order: OrderReference) {
    return (await this.findOrder(market, order)) ?? missing('the order');
  }

  async findOrder(market: string, order: OrderReference) {
    this.reads.push(`order ${market}`);
    return this.#orders.find((one) => one.market === market && isNamed(one, order));
  }

  async orders(market: string, side: Order['side']): Promise<OrderPages> {
    this.reads.push(`orders ${market} ${side}`);
    const orders = this.#orders.filter((order) => order.market === market && order.side === side);
    return { orders, more: false, failure: null };
  }

  async *orderPages(market: string, side: Order['side']) {
    const { orders } = await this.orders(market, side);
    yield { rows: orders, fresh: orders, hasOlder: false };
  }

  bills(): Pages<Bill> {
    return this.#paged('bills', this.#content.bills, FACTS.billsPerPage);
  }

  deposits(coin: string, page?: number): Pages<Deposit> {
    return this.#paged(`deposits ${coin}`, this.#content.deposits, FACTS.recordsPerPage, page);
  }

  withdrawals(coin: string, page?: number): Pages<Withdrawal> {
    return this.#paged(`withdrawals ${coin}`, this.#content.withdrawals, FACTS.recordsPerPage, page);
  }

  readonly depositAddresses = (coin: string) => this.listedAddresses({ coin });
  readonly depositAddress = async (coin: string) => (await this.listedAddresses({ coin }))[0] ?? missing(coin);
  readonly withdrawalAddress = (coin: string) => this.depositAddress(coin);
  readonly verifiedAddress = async (coin: string) => (await this.depositAddress(coin)).address ?? missing(coin);

  async placeOrder(terms: Parameters<Exchange['placeOrder']>[0], clientId: string) {
    return this.#sent({ kind: 'order', terms, clientId }, () => ({ id: this.#add(terms, clientId) }));
  }

  async placeOrders(batch: Parameters<Exchange['placeOrders']>[0]) {
    return this.#sent({ kind: 'batch', batch }, () => ({
      ids: batch.orders.map((order) => this.#add({ ...batch, ...order }, null)),
      message: null,
    }));
  }

  async cancelOrder(market: string, order: OrderReference) {
    return this.#sent({ kind: 'cancel', market, order }, () => {
      this.#orders = this.#orders.map((one) => (isNamed(one, order) ? { ...one, state: 'cancelled', status: 1 } : one));
      return { code: 1000, message: '', price: null, amount: null, filled: null, filledValue: null };
    });
  }

  async cancelAllAfter(market: string) {
    return this.#sent({ kind: 'timedCancel', market }, () => null);
  }

  async withdraw(withdrawal: Parameters<Exchange['withdraw']>[0]) {
    return this.#sent({ kind: 'withdrawal', withdrawal }, () => ({ id: this.#nextId(), message: null }));
  }

  readonly requestOf = ({ kind }: PlannedWrite) => ({ operation: kind, request: {} });
  readonly acceptsReqTimeForOrders = async () => true;
  readonly acceptsReqTimeForWithdrawals = async () => true;
  readonly acceptsReqTimeForAccount = async () => true;
  readonly testMarketData = async () => missing('the wire');
  readonly testTrading = async () => missing('the wire');
  readonly readRaw = async () => missing('the wire');
  readonly rawCall = async () => missing('the wire');

  async *#paged<Row>(what: string, rows: readonly Row[], size: number, only?: number): Pages<Row> {
    for (let page = only ?? 1; ; page += 1) {
      this.reads.push(`${what} ${page}`);
      yield rows.slice((page - 1) * size, page * size);
      const hasOlder = rows.length > page * size;
      if (!hasOlder || only !== undefined) return uncounted(hasOlder);
    }
  }

  #add(terms: Pick<Order, 'market' | 'side' | 'price' | 'amount'>, clientId: string | null): string {
    const id = this.#nextId();
    const { market, side, price, amount } = terms;
    const made = { time: this.now(), state: 'open', status: 0, filled: '0', filledValue: '0' } as const;
    const fee = { fee: null, feeCoin: null, feeDiscount: false };
    const order = { id, clientId, market, side, type: 'limit', price, amount, ...made, ...fee } as const;
    this.#orders = [order, ...this.#orders];
    return id;
  }

  #nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  #sent<Value>(write: (typeof this.writes)[number], execute: () => Value): WriteResponse<Value> {
    const fate = this.#fates.shift();
    if (fate?.kind === 'notSent') return fate;
    this.writes.push(write);
    if (fate === undefined) return { kind: 'done', value: execute() };
    return fate.kind === 'lost' || fate.kind === 'done' ? fate : { kind: 'refused', refusal: fate };
  }
}

function tickerOf({ tickers }: Content, market: string): Ticker | undefined {
  const ticker = tickers[market];
  return ticker === undefined ? undefined : { ...NO_TICKER, ...ticker };
}

function isNamed(order: Order, reference: OrderReference): boolean {
  if (isSameReference(reference, { id: order.id })) return true;
  return order.clientId !== null && isSameReference(reference, { clientId: order.clientId });
}

function missing(what: string): never {
  throw new Failure('refused', `The fake exchange has no ${what}.`, { refusal: 'notFound' });
}
