import { Decimal } from '../../../../src/domain/decimal.js';
import type { Trade } from '../../../../src/domain/market-data.js';
import { Failure } from '../../../../src/errors.js';
import { ChildrenInJournal } from '../../../../src/trading/algos/children/children-in-journal.js';
import type { AccountFunds, Balance } from '../../../../src/trading/algos/market/account-funds.js';
import type { Gap } from '../../../../src/trading/algos/market/gap-prices.js';
import type { WatchedMarket } from '../../../../src/trading/algos/market/watched-market.js';
import { STALE_MS } from '../../../../src/trading/algos/plan/algo-market.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import type { AlgoFacts } from '../../../../src/trading/algos/record/facts.js';
import { AlgoStore } from '../../../../src/trading/algos/record/store.js';
import type { AlgoEvent } from '../../../../src/trading/algos/run/algo-voice.js';
import { RunningAlgo } from '../../../../src/trading/algos/run/running-algo.js';
import type { GuardLimits } from '../../../../src/trading/guards/limits.js';
import {
  AWAY,
  GARBLED,
  type HeldOrder,
  type Request,
  ScriptedExchange,
  type Shown,
} from '../../../support/scripted-exchange.js';
import { type TestTrading, tradingOf } from '../../support/trading.js';

/** The id of the algo order. */
export const ID = 'aaaaaaa';

export const NO_LIMITS: GuardLimits = {
  priceBand: null,
  orderNotional: new Map(),
  dayNotional: new Map(),
  postOnly: false,
};

/** An exchange of btc_usdt on which each order rests until a test says otherwise, and which can keep parts of it from being read. */
export class OneMarket extends ScriptedExchange {
  /** Whether reads do not find any order. */
  hidesOrders = false;
  /** Whether single orders cannot be read, while everything else answers. */
  hidesSingleOrders = false;
  /** Whether the lists of orders cannot be read. */
  hidesLists = false;
  /** Whether the rules of the market cannot be read. */
  hidesRules = false;
  /** Called before an order is placed. */
  onOrder: (clientId: string) => void = () => {};
  /** Called before an order is cancelled. */
  onCancel: (order: HeldOrder) => void = () => {};

  override nextId = 100n;
  override namesAmounts = false;

  override onRequest = (request: Request): Shown | Promise<Shown> => {
    switch (request.kind) {
      case 'order':
        this.onOrder(request.clientId ?? '');
        return undefined;
      case 'cancel': {
        const order = this.has.orders.findLast(({ id }) => 'id' in request.order && id === request.order.id);
        if (order !== undefined) this.onCancel(order);
        return undefined;
      }
      case 'list':
        return this.hidesLists ? AWAY : this.hidesOrders ? [] : undefined;
      case 'lookup':
        return this.hidesSingleOrders ? AWAY : this.hidesOrders ? 'none' : undefined;
      case 'plain':
        return request.name === 'markets' && this.hidesRules ? GARBLED : undefined;
      default:
        return undefined;
    }
  };

  /** The requests of these kinds, in their order. */
  asked(...kinds: readonly Request['kind'][]): string[] {
    return this.requests.flatMap(({ kind }) => (kinds.includes(kind) ? kind : []));
  }
}

/** The market as the algo order sees it, set by the test. */
export class SeenMarket {
  readonly name = 'btc_usdt';
  readonly staleAfterMs = STALE_MS;
  needsTrades = false;
  isFresh = true;
  wasSeen = true;
  bid = '100';
  ask = '101';
  ageMs = 0;
  trades: { readonly prices: readonly Decimal[]; readonly ageMs: number } | null = null;
  refreshes = 0;
  /** The gap that ends with a book which comes next. */
  ending: Gap | null = null;
  /** How often the guards asked for a book, and what they get. */
  bookReads = 0;
  failsToRead = false;

  constructor(public now: () => number) {}

  book() {
    const [bid, ask] = [Decimal.of(this.bid), Decimal.of(this.ask)];
    return { bid, ask, othersBid: bid, othersAsk: ask, ageMs: this.ageMs };
  }

  bookView() {
    return { bids: [{ price: this.bid, amount: '5' }], asks: [{ price: this.ask, amount: '5' }], last: null };
  }

  async readBookView() {
    this.bookReads += 1;
    return this.failsToRead ? new Failure('unreachable', 'The book cannot be read.') : this.bookView();
  }

  lastTrades = () => this.trades;
  ownOrder = () => undefined;
  endingGap = () => this.ending;
  refresh = () => {
    this.refreshes += 1;
  };
  tick = () => {};
}

/** One algo order at work, on an exchange and in a market of the test. The clock stands until the test moves it. */
export class AtWork {
  readonly exchange = new OneMarket();
  readonly events: AlgoEvent[] = [];
  readonly fundsRequests: number[] = [];
  /** Since when the balances had to be read, as the decisions asked for them. */
  readonly balancesSince: number[] = [];
  /** What a reading of the balance shows of each coin; null while there is none. */
  balance: Balance | null = null;
  /** What the sender finds when it asks for the limits. */
  limits: GuardLimits | Failure = NO_LIMITS;
  /** How long an answer is waited for before it is said to be late. */
  readonly answerMs = 2_000;
  trading!: TestTrading<OneMarket>;
  market!: SeenMarket;
  store!: AlgoStore;
  algo!: RunningAlgo;
  #now = 0;

  constructor(
    readonly terms: AlgoTerms,
    /** Before the algo order begins its work. */
    readonly prepare: (work: AtWork) => void = () => {},
  ) {}

  static async of(terms: AlgoTerms, prepare?: (work: AtWork) => void): Promise<AtWork> {
    const work = new AtWork({ ...terms, id: ID }, prepare);
    work.#begin();
    return work;
  }

  #begin(): void {
    const { terms } = this;
    const made = { ...tradingOf(this.exchange, { budgetMs: 3_000 }), client: this.exchange };
    const start = made.host.now();
    const host = {
      ...made.host,
      now: () => start + this.#now,
      monotonic: () => this.#now,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          // the wait for an answer, which comes
          if (ms === this.answerMs) return signal?.addEventListener('abort', () => resolve());
          this.#now += ms;
          resolve();
        }),
    };
    this.trading = { ...made, host };
    this.market = new SeenMarket(host.now);
    this.store = new AlgoStore(host, made.state, 'test');
    const best = { bid: Decimal.of('100'), ask: Decimal.of('101') };
    this.store.create(() => ({ fact: 'began', time: start, terms, ...best }), ID);
    this.prepare(this);
    this.algo = this.reopened();
  }

  /** The algo order as the next process finds it. */
  reopened(): RunningAlgo {
    const record = this.store.read(ID);
    const facts = record?.facts as AlgoFacts;
    const journal = new ChildrenInJournal(this.trading.journal, 0);
    const funds = {
      changed: null,
      request: () => void this.fundsRequests.push(this.#now),
      keepCurrent: () => {},
      balanceSince: (_: string, since: number) => {
        this.balancesSince.push(since);
        return this.balance;
      },
    };
    return new RunningAlgo(
      {
        store: this.store,
        terms: this.terms,
        isAlone: false,
        worked: () => undefined,
        market: this.market as unknown as WatchedMarket,
        funds: funds as unknown as AccountFunds,
        trading: this.trading,
        limits: async () => {
          if (this.limits instanceof Failure) throw this.limits;
          return this.limits;
        },
        knownLimits: () => (this.limits instanceof Failure ? undefined : this.limits),
        report: (event) => void this.events.push(event),
        failed: (thrown) => {
          throw thrown;
        },
      },
      facts,
      record === undefined ? [] : journal.toContinue(record),
      [],
    );
  }

  /** Time passes. */
  pass(ms: number): void {
    this.#now += ms;
    this.algo.tick();
  }

  /** The market has moved. */
  move(bid: string, ask: string): void {
    [this.market.bid, this.market.ask] = [bid, ask];
    this.algo.changed();
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  get texts(): string {
    return this.events.map(({ text }) => text).join('\n');
  }

  get now(): number {
    return this.#now;
  }
}

export function trade(id: string, price: string, time: number): Trade {
  return { id, price, amount: '1', side: 'buy', orderSide: null, time };
}
