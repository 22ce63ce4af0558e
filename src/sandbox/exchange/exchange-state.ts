import { join } from 'node:path';
import {
  Customers,
  customerCodec,
  FIRST_ACCOUNT,
  INITIAL_BALANCES,
  isSimulated,
  type Secrets,
} from '../accounts/accounts.js';
import { BillBook, billCodec, placeCodec } from '../accounts/bills.js';
import { type Balance, Ledger } from '../accounts/ledger.js';
import { diskTrouble } from '../disk.js';
import { Book } from '../engine/book.js';
import { FundsService } from '../funds/funds-service.js';
import { MarginService } from '../margin/margin-service.js';
import { CandleSeries, candleCodec, type History, MINUTE } from '../markets/candles.js';
import { MARKETS } from '../markets/market.js';
import { Tape, tradeCodec } from '../markets/tape.js';
import { type Order, orderCodec } from '../orders/order.js';
import { idCodec, keyCodec, OrderRepository } from '../orders/order-repository.js';
import { lastPrice, OrderService, type TradedMarket } from '../orders/order-service.js';
import { FIRST, type Sequence, Sequences, sequenceCodec } from '../orders/sequences.js';
import { Replays } from '../replay/replays.js';
import { Scheduler, timeCodec } from '../scheduler.js';
import { MarketSimulator, PriceMoves, priceMoveCodec, type SimulatorState } from '../simulator/market-simulator.js';
import { prehistory } from '../simulator/prehistory.js';
import { DamagedStore, STORE_NAME, UnreadableStore } from '../store/errors.js';
import { Store } from '../store/store.js';
import type { Codec, Table } from '../store/table.js';
import { Changes } from './changes.js';
import { Clock, clockCodec } from './clock.js';

/** When and with which seed an exchange began. It stays as long as its directory. */
interface Genesis {
  readonly seed: number;
  /** The ms of the first minute that is not prehistory. */
  readonly start: number;
  /** A market that begins without a past because a recording comes first; null if there is none. */
  readonly emptyMarket: string | null;
}

/** The beginning of an exchange that replays a recording of the past. */
export interface ReplayGenesis {
  /** ms since the Unix epoch. The clock is stopped there. */
  readonly time: number;
  /** The market that has no past. */
  readonly emptyMarket: string;
}

export interface ExchangeOptions {
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
  /** How far the candles before the first trade reach back, in ms (default: 21 days). */
  readonly historyMs?: number | undefined;
}

/** Raised when the rows on disk change their meaning. */
const FORMAT = 3;

/** Thrown if the data of a directory were written by a version that stores them differently. */
export class OtherFormat extends UnreadableStore {
  override readonly name = 'OtherFormat';

  constructor(found: number) {
    super(`the data have format ${found}, this version reads format ${FORMAT}`);
  }
}

/**
 * How long changes that only concern simulated traders may wait for a commit. They are deterministic, so a lost step is
 * repeated.
 */
const IDLE_COMMIT = 2_000;

/** The key of the row in tables that have only one. */
const ONLY = 'only';

/**
 * Everything an exchange consists of, opened from its directory, and what happens to it as time passes.
 *
 * The names of the tables are those on disk and never change: some are older than the names used here.
 */
export class ExchangeState {
  readonly changes = new Changes();
  readonly clock: Clock;
  readonly genesis: Genesis;
  readonly customers: Customers;
  readonly ledger: Ledger;
  readonly sequences: Sequences;
  readonly bills: BillBook;
  readonly orders: OrderRepository;
  readonly orderService: OrderService;
  readonly margin: MarginService;
  readonly funds: FundsService;
  readonly venues: ReadonlyMap<string, TradedMarket>;
  readonly replays: Replays;
  /** The running timers of cancelAllOrdersAfter, one for each account and market. */
  private readonly cancelTimers: Scheduler;
  private readonly simulator: MarketSimulator;
  private readonly simulatorState: Table<SimulatorState>;

  private constructor(
    readonly store: Store,
    { seed, now, firstAccount, replayGenesis, historyMs }: ExchangeOptions,
  ) {
    const genesisTable = store.table('beginning', genesisCodec);
    const stored = genesisTable.get(ONLY);
    const time = replayGenesis?.time ?? now();
    this.genesis = stored ?? genesisAt(seed, time, replayGenesis);
    const clockStates = store.table('clock', clockCodec);
    if (stored === undefined && replayGenesis !== undefined) {
      clockStates.put(ONLY, { shown: time, real: time, speed: 1, stopped: true });
    }
    this.clock = new Clock(now, clockStates.get(ONLY), (state) => clockStates.put(ONLY, state));
    this.ledger = storedLedger(store, this.changes);
    const sequences = store.table<Sequence>('sequences', sequenceCodec);
    this.sequences = new Sequences(sequences.get(ONLY) ?? { ...FIRST }, (last) => sequences.put(ONLY, last));
    this.customers = new Customers(store.table('accounts', customerCodec));
    const statements = { bills: store.lists('bills', billCodec), coinBills: store.lists('coinBills', placeCodec) };
    this.bills = new BillBook(statements, this.ledger, this.sequences);
    this.orders = new OrderRepository({
      orders: store.table('orders', orderCodec),
      open: store.table('open', keyCodec),
      clientIds: store.table('clientIds', keyCodec),
      listed: store.lists('listed', idCodec),
    });
    this.cancelTimers = new Scheduler(store.table('timedCancels', timeCodec));
    this.replays = new Replays(store);
    const { ledger, bills, customers } = this;
    const changes = { now: this.clock.now, changed: () => this.commitNow() };
    const prices = { lastPrice: (market: string) => lastPrice(this.venues.get(market)) };
    this.margin = new MarginService({ ledger, bills, ...prices, ...changes });
    this.orderService = new OrderService(ledger, this.sequences, bills, this.orders, this.margin, this.changes);
    this.funds = new FundsService(store, { ledger, bills, sequences: this.sequences, customers, ...changes });
    this.venues = this.openVenues(historyMs);
    this.simulatorState = store.table('crowd', simulatorCodec);
    this.simulator = new MarketSimulator(
      this.genesis.seed,
      [...this.venues.values()],
      this.orderService,
      this.simulatorState.get(ONLY) ?? MarketSimulator.start(this.genesis.start),
      {
        isReplayed: (market: string) => this.isReplayed(market),
        priceMoves: new PriceMoves(store.table('pushes', priceMoveCodec)),
      },
    );
    this.restoreOrders();
    if (stored !== undefined) return;
    genesisTable.put(ONLY, this.genesis);
    this.customers.createFirst(firstAccount);
    this.funds.seedBalances(FIRST_ACCOUNT, INITIAL_BALANCES, time);
    this.funds.seedAddresses(FIRST_ACCOUNT, Object.keys(INITIAL_BALANCES));
    this.simulator.begin(time);
    this.simulatorState.put(ONLY, this.simulator.state);
  }

  /** Opens the exchange of a directory, or makes one there. Throws AlreadyOpen, {@link OtherFormat} and {@link DamagedStore}. */
  static open(options: ExchangeOptions): ExchangeState {
    const store = Store.open(options.directory);
    try {
      return new ExchangeState(store, options);
    } catch (error) {
      void store.abandon();
      if (error instanceof UnreadableStore || diskTrouble(error) !== undefined) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new DamagedStore(join(options.directory, STORE_NAME), reason, error);
    }
  }

  /** Whether a market follows a recording, or waits for one. */
  isReplayed(market: string): boolean {
    return this.genesis.emptyMarket === market || this.replays.has(market);
  }

  /** Leads the simulated traders of a market to a price in ticks within `ms`. */
  movePrice(market: string, target: bigint, ms: number): void {
    this.simulator.movePrice(market, Number(target), ms);
  }

  /** Cancels the open orders of an account in a market at `time`; replaces an earlier timer. */
  scheduleCancelAll(account: string, market: string, time: number): void {
    const key = `${account}/${market}`;
    this.cancelTimers.remove(key);
    this.cancelTimers.add(key, time);
    this.commitNow();
  }

  /** Lets everything happen that is due by `time`, in its order. */
  advance(time: number): void {
    this.runUntil(time, (moment) => this.simulator.advance(moment));
  }

  /** The same, except that simulated traders stand still: only replays and what customers asked for happen. */
  fastForward(time: number): void {
    this.runUntil(time, (moment) => this.simulator.skip(moment));
  }

  /** Schedules a commit at once: a customer's data changed. */
  commitNow(): void {
    this.orderService.customersChanged = true;
    this.scheduleCommit();
  }

  scheduleCommit(): void {
    this.store.commitWithin(this.orderService.customersChanged ? 0 : IDLE_COMMIT);
    this.orderService.customersChanged = false;
  }

  private runUntil(time: number, simulate: (moment: number) => boolean): void {
    for (let moment = this.nextDue(); moment <= time; moment = this.nextDue()) {
      simulate(moment);
      this.cancelDue(moment);
      this.funds.advance(moment);
      for (const [market, print] of this.replays.takeDue(moment)) this.simulator.replayPrint(market, print);
      this.orderService.customersChanged = true;
    }
    if (simulate(time)) this.simulatorState.put(ONLY, this.simulator.state);
  }

  /** When something happens next without a request: ms since the Unix epoch. */
  get next(): number {
    return Math.min(this.nextDue(), this.simulator.next);
  }

  /** When the next timer, withdrawal or replayed row is due; Infinity if none is. */
  private nextDue(): number {
    return Math.min(this.cancelTimers.next, this.funds.next, this.replays.next);
  }

  private cancelDue(time: number): void {
    for (let due = this.cancelTimers.take(time); due !== undefined; due = this.cancelTimers.take(time)) {
      const [account = '', market = ''] = due.key.split('/');
      const venue = this.venues.get(market);
      if (venue === undefined) continue;
      for (const order of this.orders.openOf(account, market)) this.orderService.cancel(venue, order);
    }
  }

  private openVenues(historyMs: number | undefined): ReadonlyMap<string, TradedMarket> {
    const trades = this.store.lists('trades', tradeCodec);
    const candles = this.store.table('candles', candleCodec);
    const { seed, start, emptyMarket } = this.genesis;
    const noHistory: History = { start, end: start, candles: () => [] };
    const venues = [...MARKETS].map(([name, market]): [string, TradedMarket] => {
      const history = emptyMarket === name ? noHistory : prehistory(market, seed, start, historyMs);
      const tape = new Tape(name, trades, new CandleSeries(name, history, candles));
      return [name, { market, book: new Book<Order>(), tape }];
    });
    return new Map(venues);
  }

  /** Ids increase with time, so their order also restores time priority. */
  private restoreOrders(): void {
    for (const order of this.orders.restore()) {
      const venue = this.venues.get(order.market.name);
      if (venue === undefined) throw new Error(`a stored order of an unknown market: ${order.market.name}`);
      venue.book.restore(order);
      if (isSimulated(order.account)) this.simulator.restore(order);
    }
  }
}

function genesisAt(seed: number, time: number, replayGenesis: ReplayGenesis | undefined): Genesis {
  const minute = Math.floor(time / MINUTE) * MINUTE;
  // a minute of simulated trading comes first, so that there is a market from the beginning
  if (replayGenesis === undefined) return { seed, start: minute - MINUTE, emptyMarket: null };
  return { seed, start: minute, emptyMarket: replayGenesis.emptyMarket };
}

function storedLedger(store: Store, changes: Changes): Ledger {
  const table = store.table('balances', balanceCodec);
  const ledger = new Ledger((balance) => {
    table.put(balance.name, balance);
    changes.balance(balance.name);
  });
  for (const [key, balance] of table.entries({ start: '', end: '\u{7f}' })) {
    const [account = '', coin = ''] = key.split('/');
    ledger.restore(account, coin, balance);
  }
  for (const [coin, sum] of ledger.sums()) {
    if (sum !== 0n) throw new Error(`the stored ${coin} is out of balance: ${sum}`);
  }
  return ledger;
}

const genesisCodec: Codec<Genesis> = {
  encode: ({ seed, start, emptyMarket }) => [FORMAT, seed, start, emptyMarket],
  decode: (row) => {
    const [format, seed, start, emptyMarket] = row as [number, number, number, string | null];
    if (format !== FORMAT) throw new OtherFormat(format);
    return { seed, start, emptyMarket };
  },
};

const simulatorCodec: Codec<SimulatorState> = {
  encode: ({ step, path }) => [step, path.minute, ...path.prices],
  decode: (row) => {
    const [step = 0, minute = 0, ...prices] = row as number[];
    return { step, path: { minute, prices } };
  },
};

const balanceCodec: Codec<Balance> = {
  encode: ({ available, frozen }) => [String(available), String(frozen)],
  decode: (row) => {
    const [available, frozen] = row as [string, string];
    return { available: BigInt(available), frozen: BigInt(frozen) };
  },
};
