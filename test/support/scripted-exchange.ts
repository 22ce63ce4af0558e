import type { AccountInfo } from '../../src/domain/account.js';
import type { Withdrawal, WithdrawalRequest } from '../../src/domain/funds.js';
import type { Market } from '../../src/domain/market.js';
import type { Depth, Ticker } from '../../src/domain/market-data.js';
import type { BatchRequest, Cancellation, Order, OrderReference, OrderTerms, Side } from '../../src/domain/order.js';
import type { Refusal, RefusalKind } from '../../src/domain/refusal.js';
import { Failure, usage } from '../../src/errors.js';
import { DescribedReads } from '../../src/exchange/described-reads.js';
import {
  type Exchange,
  type Halt,
  type Pages,
  type PlannedWrite,
  refusalFailure,
  uncounted,
  type WriteResponse,
} from '../../src/exchange/exchange.js';
import { FACTS } from '../../src/exchange/facts.js';
import { eachOrderPage, readOrderPages } from '../../src/exchange/lists/order-pages.js';
import type { DecodedResult, OperationName, RequestOf } from '../../src/exchange/operations/index.js';
import { NOW } from './fake-host.js';

/** An order that the exchange has. A test may change it, as a trade or another program would. */
export type HeldOrder = { -readonly [Field in keyof Order]: Order[Field] };

/** What the exchange has: orders oldest first, withdrawals newest first. */
export interface Holdings {
  markets: readonly Market[];
  tickers: Readonly<Record<string, Partial<Ticker>>>;
  books: Readonly<Record<string, Pick<Depth, 'bids' | 'asks'>>>;
  account: AccountInfo | undefined;
  orders: HeldOrder[];
  withdrawals: Withdrawal[];
}

/** What becomes of a write, on its way and at the exchange. */
export interface Outcome {
  /** How often it is executed (default: once). */
  readonly times?: number;
  /** Which orders of a batch an execution accepts, by their position (default: all). A batch without any is refused. */
  readonly accepts?: (position: number, execution: number) => boolean;
  /** It is executed only after so many more requests or so many ms, unless its time has expired by then (default: at once). */
  readonly late?: { readonly requests: number } | { readonly ms: number };
  /** The network repeats it after so many ms. */
  readonly repeatedAfterMs?: number | undefined;
  /** What comes back instead of the answer to its last execution, or what becomes of that on its way. */
  readonly answer?: WriteResponse<unknown> | ((given: WriteResponse<unknown>) => WriteResponse<unknown>);
}

const NO_ANSWER = { kind: 'lost', reason: 'connection reset' } as const;
export const DONE: Outcome = {};
/** It never arrives. */
export const LOST: Outcome = { times: 0, answer: NO_ANSWER };
/** It is executed, and its answer is lost. */
export const LOST_DONE: Outcome = { answer: NO_ANSWER };
export const TWICE: Outcome = { times: 2 };
/** Nothing of it leaves this machine. */
export const NOT_SENT: Outcome = {
  ...{ times: 0, answer: { kind: 'notSent', reason: 'connection refused', failure: 'unreachable' } },
};
/** It is refused, and was executed as often as this says. */
export const refused = (kind: RefusalKind, message?: string, times = 0): Outcome => ({
  ...{ times, answer: { kind: 'refused', refusal: refusal(kind, message) } },
});
/** It is answered with this, and was executed as often as this says. */
export const answered = (value: unknown, times = 0): Outcome => ({ times, answer: { kind: 'done', value } });
/** It gets no answer, and is executed after so many more requests. */
export const late = (requests: number): Outcome => ({ late: { requests }, answer: NO_ANSWER });

/** The codes of this exchange. They are made up, since nothing above `exchange` may know one. */
export const CODES: Readonly<Record<RefusalKind, number>> = {
  ...{ notFound: 71, insufficientFunds: 72, badPrice: 73, badAmount: 74, badAddress: 75, badPassword: 76 },
  ...{ passwordLocked: 77, expired: 78, tooFrequent: 79, locked: 80, busy: 81, badKey: 82, noPermission: 83 },
  ...{ badOrigin: 84, closed: 85, inTrouble: 86, invalid: 87, other: 88 },
};
export const refusal = (kind: RefusalKind, message = 'no'): Refusal => ({
  ...{ kind, code: CODES[kind], message: `“${message}”` },
});

/** What a read that gets no answer throws, and one whose answer is none of the interface. */
export const AWAY = new Failure('unreachable', 'The exchange did not answer.');
export const GARBLED = new Failure('internal', 'The answer is not what the interface says.');
/** What a read that the exchange refuses throws. */
export const refusedRead = (kind: RefusalKind): Failure => refusalFailure(refusal(kind), 'read');

/** A write as it arrived. */
export type Write = PlannedWrite & { readonly reqTime: number };

/** A request as it arrived. `expiry` asks whether a `reqTime` is accepted, `plain` reads what its name says. */
export type Request = { readonly time: number } & (
  | Write
  | { readonly kind: 'lookup'; readonly market: string; readonly order: OrderReference }
  | { readonly kind: 'list'; readonly market: string; readonly side: Side; readonly page: number }
  | { readonly kind: 'withdrawals'; readonly coin: string; readonly page: number }
  | { readonly kind: 'expiry'; readonly reqTime: number }
  | { readonly kind: 'account' }
  | { readonly kind: 'plain'; readonly name: string }
);
type Kind = Request['kind'];
type Read = Exclude<Request, Write>;
type Untimed<Any> = Any extends unknown ? Omit<Any, 'time'> : never;

/** What a read shows instead of what the exchange has: an order, none, or a page of a list. A Failure is thrown. */
export type Shown = Order | 'none' | readonly Order[] | readonly Withdrawal[] | AccountInfo | Failure | undefined;

/** A write that the network holds. */
interface Held {
  readonly afterRequests: number;
  readonly afterTime: number;
  readonly reqTime: number;
  readonly execute: (time: number) => void;
}

/** An order to buy 0.01 btc at 30000, made just after NOW, with changes. */
export function anOrder(changes: Partial<Order> = {}): HeldOrder {
  const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', price: '30000', amount: '0.01' } as const;
  const fills = { filled: '0', filledValue: '0', fee: null, feeCoin: null, feeDiscount: false };
  const state = { state: 'open', status: 0 } as const;
  return { id: '7', clientId: null, ...terms, ...fills, time: NOW + 3, ...state, ...changes };
}

const NO_TICKER: Ticker = {
  ...{ bid: null, ask: null, last: null, open: null, high: null, low: null, change: null, volume: null },
};

/** The market of the tests that name none. */
export const BTC_USDT: Market = {
  ...{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2, amountScale: 4 },
  ...{ tickSize: '0.01', lotSize: '0.0001', minAmount: '0.001', minNotional: '5' },
};

type PlainRead = {
  readonly [Name in OperationName]?: (has: Holdings, request: RequestOf<Name>, now: number) => DecodedResult<Name>;
};

/** The reads that need nothing but their description. It has no answer to any other. */
const PLAIN_READS: PlainRead = {
  ticker: (has, { market }, now) => ({ ...(tickerOf(has, market) ?? missing(market)), time: now }),
  depth: ({ books }, { market, size }, now) => {
    const { bids, asks } = books[market] ?? missing(market);
    return { time: now, bids: bids.slice(0, size), asks: asks.slice(0, size) };
  },
};

/**
 * An exchange in memory, with one account and a clock, for tests of a single floor above `exchange`: no wire, no processes and no
 * network but the fate of each write. It rests every order, executes each write as the test says, and shows what it has as the test says.
 */
export class ScriptedExchange extends DescribedReads implements Exchange {
  readonly has: Holdings;
  /** The outcomes of the next writes, one after the other. */
  outcomes: Outcome[];
  /** Asked before anything of a write leaves, and decides before these if it returns an outcome. */
  outcomeOf: (write: Write) => Outcome | undefined = () => undefined;
  /** Called with each request before it is answered. What it returns is shown instead; of a write, only a Failure counts. */
  onRequest: (request: Request) => Shown | Promise<Shown> = () => undefined;
  /** Lists show an order only after so many more lists. */
  lag = 0;
  /** What lists show of each order instead of the truth. */
  listsAs: Partial<Order> = {};
  /** Whether an answer names the orders of a batch last to first. */
  isReversed = false;
  /** Whether the answer to a cancellation has the amounts of the order. */
  namesAmounts = true;
  /** How long it accepts a request after its `reqTime`, and how far the clock of its orders is ahead: both in ms. */
  tolerance = 60_000;
  ordersAhead = 0;
  /** The id of the next order or withdrawal: it has more digits than a double holds. */
  nextId = 202202220000000001n;
  /** Everything that arrived. */
  readonly requests: Request[] = [];

  readonly hosts = { baseUrl: 'http://exchange.test', tradeUrl: 'http://exchange.test' };
  readonly facts = FACTS;
  readonly zone = { name: '+00:00', contradictingOffset: undefined };
  lockedUntil: number | undefined = undefined;
  halt = async (): Promise<Halt | undefined> => undefined;
  isTimeKnown = true;
  isMarketTimeKnown = true;
  readonly clockSpeed = 1;
  /** How many lists had been read when an order was placed, by its id. */
  readonly #placedAfter = new Map<string, number>();
  readonly #clocks: (() => number)[] = [];
  #held: Held[] = [];

  /** @param outcomes those of the first writes; the rest has the usual one */
  constructor(
    has: Partial<Holdings> = {},
    outcomes: readonly Outcome[] = [],
    public usually: Outcome = DONE,
  ) {
    super();
    this.outcomes = [...outcomes];
    this.has = {
      ...{ markets: [BTC_USDT], tickers: {}, books: {}, account: undefined, orders: [], withdrawals: [], ...has },
    };
  }

  /** From now on its clock is never behind that of this machine. */
  attach(machine: { readonly now: () => number }): void {
    this.#clocks.push(() => machine.now());
  }

  now = (): number => (this.#clocks.length === 0 ? NOW : Math.max(...this.#clocks.map((clock) => clock())));
  marketNow = (): number => this.now();
  readonly requireKeys = () => undefined;
  prepareWrite = (): void => undefined;
  readonly learnZone = () => undefined;
  readonly restartingBudget = () => this;

  /** The requests of a kind that arrived. */
  arrived<Of extends Kind>(kind: Of): Extract<Request, { readonly kind: Of }>[] {
    return this.requests.filter((one) => one.kind === kind) as Extract<Request, { readonly kind: Of }>[];
  }

  /** How many requests of these kinds arrived. */
  count(...kinds: readonly Kind[]): number {
    return this.requests.filter(({ kind }) => kinds.includes(kind)).length;
  }

  /** Executes the writes that the network holds, if their time is still accepted: those that are due, or all. */
  release(isAll = true): void {
    for (const held of this.#held.splice(0)) {
      const isDue = isAll || (this.requests.length >= held.afterRequests && this.now() >= held.afterTime);
      if (this.now() - held.reqTime > this.tolerance) continue;
      if (isDue) held.execute(Number.isFinite(held.afterTime) ? Math.max(held.afterTime, held.reqTime) : this.now());
      else this.#held.push(held);
    }
  }

  /** Places an order of the account that no request of pit asked for; returns its id. */
  place(changes: Partial<Order>, time = this.now()): string {
    const order = anOrder({ id: String(this.nextId), time: Math.floor(time) + this.ordersAhead, ...changes });
    this.nextId += 1n;
    this.#placedAfter.set(order.id, this.count('list'));
    this.has.orders.push(order);
    return order.id;
  }

  readonly markets = {
    all: async () => this.#markets(),
    leftOut: async () => [],
    findAgain: async (name: string) => this.markets.find(name),
    find: async (name: string): Promise<Market> => {
      const found = (await this.#markets()).find(({ market }) => market === name);
      return found ?? raise(usage(`There is no market ${name} on this exchange.`));
    },
    wasMissing: (name: string) => this.has.markets.every(({ market }) => market !== name),
  };

  async #markets(): Promise<readonly Market[]> {
    await this.#receive({ kind: 'plain', name: 'markets' });
    return this.has.markets;
  }

  protected override async readOperation<Name extends OperationName>(name: Name, request: RequestOf<Name>) {
    await this.#receive({ kind: 'plain', name: 'market' in request ? `${name} ${request.market}` : name });
    const read = PLAIN_READS[name] as PlainRead[Name];
    return read?.(this.has, request, this.now()) ?? missing(`the answer to ${name}`);
  }

  async tickers() {
    await this.#receive({ kind: 'plain', name: 'tickers' });
    return { of: (market: string) => tickerOf(this.has, market) };
  }

  async account(): Promise<AccountInfo> {
    const shown = await this.#receive({ kind: 'account' });
    return (shown as AccountInfo | undefined) ?? this.has.account ?? raise(refusedRead('noPermission'));
  }

  async getOrder(market: string, order: OrderReference): Promise<Order> {
    return (await this.findOrder(market, order)) ?? raise(refusedRead('notFound'));
  }

  /** A client id leads to the newest order that has it. */
  async findOrder(market: string, order: OrderReference): Promise<Order | undefined> {
    const shown = (await this.#receive({ kind: 'lookup', market, order })) as Order | 'none' | undefined;
    const found = shown ?? this.#heldBy(market, order) ?? 'none';
    return found === 'none' ? undefined : { ...found, clientId: 'clientId' in order ? order.clientId : null };
  }

  /** A page of orders, newest first. */
  async orderPage(market: string, side: Side, page: number): Promise<readonly Order[]> {
    const shown = await this.#receive({ kind: 'list', market, side, page });
    if (shown !== undefined) return shown as readonly Order[];
    const isShown = ({ id }: Order) => this.count('list') > (this.#placedAfter.get(id) ?? 0) + this.lag;
    const listed = this.has.orders.filter((one) => one.market === market && one.side === side && isShown(one));
    const newestFirst = listed.toReversed().map((one) => ({ ...one, clientId: null, ...this.listsAs }));
    return newestFirst.slice((page - 1) * FACTS.ordersPerPage, page * FACTS.ordersPerPage);
  }

  orders(...[market, side, span]: Parameters<Exchange['orders']>) {
    return readOrderPages(this, market, side, span);
  }

  orderPages(...[market, side, isEnough, span]: Parameters<Exchange['orderPages']>) {
    return eachOrderPage(this, market, side, isEnough, span);
  }

  /** The withdrawals of a coin: one page of them, or all. */
  override readonly withdrawals = ({ coin }: { readonly coin: string }, page?: number) =>
    this.#withdrawalsOf(coin, page);

  async *#withdrawalsOf(coin: string, only?: number): Pages<Withdrawal> {
    const size = FACTS.recordsPerPage;
    for (let page = only ?? 1; ; page += 1) {
      const shown = await this.#receive({ kind: 'withdrawals', coin, page });
      const rows = ((shown ?? this.has.withdrawals) as readonly Withdrawal[]).filter((row) => row.coin === coin);
      yield rows.slice((page - 1) * size, page * size);
      const hasOlder = rows.length > page * size;
      if (!hasOlder || only !== undefined) return uncounted(hasOlder);
    }
  }

  async placeOrder(...[terms, clientId, options]: Parameters<Exchange['placeOrder']>) {
    return this.#send({ kind: 'order', terms, clientId }, options, (time) => this.#rest(terms, clientId, time));
  }

  async placeOrders(...[batch, options]: Parameters<Exchange['placeOrders']>) {
    return this.#send({ kind: 'batch', batch }, options, (time, accepts) => this.#restAll(batch, time, accepts));
  }

  async cancelOrder(...[market, order, options]: Parameters<Exchange['cancelOrder']>) {
    return this.#send({ kind: 'cancel', market, order }, options, () => this.#cancel(market, order));
  }

  async cancelAllAfter(market: string) {
    return this.#send({ kind: 'timedCancel', market }, {}, () => null);
  }

  async withdraw(...[withdrawal, , options]: Parameters<Exchange['withdraw']>) {
    return this.#send({ kind: 'withdrawal', withdrawal }, options, (time) => this.#withdraw(withdrawal, time));
  }

  async rawCall(...[operation, values, options]: Parameters<Exchange['rawCall']>) {
    return this.#send({ kind: 'call', operation, values }, options, () => '{}');
  }

  readonly requestOf = ({ kind }: PlannedWrite) => ({ operation: kind, request: {} });
  readonly acceptsReqTimeForOrders = (_: string, __: string, reqTime: number) => this.#accepts(reqTime);
  readonly acceptsReqTimeForWithdrawals = (_: string, reqTime: number) => this.#accepts(reqTime);
  readonly acceptsReqTimeForAccount = (reqTime: number) => this.#accepts(reqTime);

  // what no test of a single floor asks for
  readonly trades = async () => missing('trades');
  readonly candles = async () => missing('candles');
  readonly firstCandlePage = async () => missing('candles');
  readonly nextCandlePage = async () => missing('candles');
  readonly bills = () => missing('bills');
  readonly deposits = () => missing('deposits');
  readonly depositAddresses = async () => missing('addresses');
  readonly depositAddress = async () => missing('addresses');
  readonly withdrawalAddress = async () => missing('addresses');
  readonly verifiedAddress = async () => missing('addresses');
  readonly testMarketData = async () => missing('wire');
  readonly testTrading = async () => missing('wire');
  readonly readRaw = async () => missing('wire');

  async #accepts(reqTime: number): Promise<boolean> {
    await this.#receive({ kind: 'expiry', reqTime });
    return this.now() - reqTime <= this.tolerance;
  }

  /** A read has arrived: what is held and due is executed before it. Returns what the test shows instead of the truth. */
  async #receive(read: Untimed<Read>): Promise<Exclude<Shown, Failure>> {
    const request = { ...read, time: this.now() };
    this.requests.push(request);
    this.release(false);
    const shown = await this.onRequest(request);
    return shown instanceof Failure ? raise(shown) : (shown as Exclude<Shown, Failure>);
  }

  async #send<Value>(
    write: PlannedWrite,
    options: Parameters<Exchange['cancelOrder']>[2],
    execute: (time: number, accepts: (position: number) => boolean) => Value | Refusal,
  ): Promise<WriteResponse<Value>> {
    const { reqTime = this.now(), mayLeave = () => true } = options ?? {};
    const sent: Write = { ...write, reqTime };
    const { times = 1, accepts = () => true, late, repeatedAfterMs, answer } = this.#outcome(sent);
    if (!mayLeave()) return { kind: 'notSent', reason: 'it was cancelled', failure: 'declined' };
    if (typeof answer === 'object' && answer.kind === 'notSent') return answer;
    const request = { ...sent, time: this.now() };
    this.requests.push(request);
    this.release(false);
    const failure = await this.onRequest(request);
    if (failure instanceof Failure) throw failure;
    let last: Value | Refusal = refusal('invalid', 'nothing was done');
    const executeAll = (time: number) => {
      for (let execution = 0; execution < times; execution += 1)
        last = execute(time, (position) => accepts(position, execution));
    };
    if (late === undefined) executeAll(this.now());
    else this.#hold(reqTime, late, executeAll);
    if (repeatedAfterMs !== undefined) this.#hold(reqTime, { ms: repeatedAfterMs }, executeAll);
    const given = isRefusal(last)
      ? ({ kind: 'refused', refusal: last } as const)
      : { kind: 'done' as const, value: last };
    return (typeof answer === 'function' ? answer(given) : (answer ?? given)) as WriteResponse<Value>;
  }

  #outcome(write: Write): Outcome {
    return this.outcomeOf(write) ?? this.outcomes.shift() ?? this.usually;
  }

  #hold(reqTime: number, late: NonNullable<Outcome['late']>, execute: Held['execute']): void {
    const afterRequests = 'requests' in late ? this.requests.length + late.requests : 0;
    const afterTime = 'ms' in late ? this.now() + late.ms : Number.NEGATIVE_INFINITY;
    this.#held.push({ afterRequests, afterTime, reqTime, execute });
  }

  #rest({ market, side, type, price, amount }: OrderTerms, clientId: string | null, time: number) {
    return { id: this.place({ market, side, type, price, amount, clientId }, time) };
  }

  #restAll({ market, side, orders }: BatchRequest, time: number, accepts: (position: number) => boolean) {
    const accepted = orders.filter((_, position) => accepts(position));
    if (accepted.length === 0) return refusal('insufficientFunds', 'Insufficient balance');
    const ids = accepted.map((order) => this.place({ market, side, ...order }, time));
    const message = accepted.length === orders.length ? 'success' : 'some were refused';
    return { ids: this.isReversed ? ids.toReversed() : ids, message };
  }

  #cancel(market: string, reference: OrderReference): Cancellation | Refusal {
    const order = this.#heldBy(market, reference);
    if (order?.state !== 'open') return refusal('notFound', 'no such open order');
    order.state = 'cancelled';
    return cancellationOf(order, this.namesAmounts);
  }

  #withdraw({ coin, amount, fee, address }: WithdrawalRequest, time: number) {
    const id = String(this.nextId);
    this.nextId += 1n;
    this.has.withdrawals.unshift(aWithdrawal({ id, coin, amount, fee, address, time }));
    return { id, message: null };
  }

  #heldBy(market: string, reference: OrderReference): HeldOrder | undefined {
    const isMeant = (one: Order) => ('id' in reference ? one.id === reference.id : one.clientId === reference.clientId);
    return this.has.orders.findLast((one) => one.market === market && isMeant(one));
  }
}

/** A withdrawal of 1 btc a second after NOW, with changes. */
export function aWithdrawal(changes: Partial<Withdrawal> = {}): Withdrawal {
  const terms = { coin: 'btc', amount: '1', fee: '0.1', address: '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM' };
  const rest = { processedTime: null, hash: null, merchantOrderNo: null, state: 'success', status: 2 } as const;
  return { id: '2', time: NOW + 1_000, ...terms, ...rest, ...changes };
}

/** What the answer to a cancellation says of an order. @param hasAmounts whether it has more than its words */
export function cancellationOf(order: Order, hasAmounts = true): Cancellation {
  const { price, amount, filled, filledValue } = order;
  const none = { price: null, amount: null, filled: null, filledValue: null };
  return { code: 1000, message: 'ok', ...(hasAmounts ? { price, amount, filled, filledValue } : none) };
}

function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && 'code' in answer;
}

function tickerOf({ tickers }: Holdings, market: string): Ticker | undefined {
  const ticker = tickers[market];
  return ticker === undefined ? undefined : { ...NO_TICKER, ...ticker };
}

function raise(error: Failure): never {
  throw error;
}

function missing(what: string): never {
  throw new Failure('refused', `The scripted exchange has no ${what}.`, { refusal: 'notFound' });
}
