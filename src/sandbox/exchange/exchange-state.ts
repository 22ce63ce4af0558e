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
import { Treasury } from '../funds/funds-service.js';
import { Lender } from '../margin/margin-service.js';
import { type Candle, CandleSeries, candleCodec, type History, MINUTE } from '../markets/candles.js';
import { MARKETS, type Market } from '../markets/market.js';
import { Tape, type Trade, tradeCodec } from '../markets/tape.js';
import { orderCodec } from '../orders/order.js';
import { idCodec, keyCodec, OrderRepository } from '../orders/order-repository.js';
import { lastPrice, OrderService, type Venue } from '../orders/order-service.js';
import { FIRST, type Sequence, Sequences, sequenceCodec } from '../orders/sequences.js';
import { TimedCancels, timeCodec } from '../orders/timed-cancels.js';
import { Replays } from '../replay/replays.js';
import { MarketSimulator, PriceMoves, priceMoveCodec, type SimulatorState } from '../simulator/market-simulator.js';
import { prehistory } from '../simulator/prehistory.js';
import { DamagedStore, STORE_NAME, UnreadableStore } from '../store/errors.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import { Store } from '../store/store.js';
import type { Codec, Table } from '../store/table.js';
import { Clock, type ClockState, clockCodec } from './clock.js';

/** When and with what chance an exchange began; it stays as long as its directory. */
export interface Genesis {
  readonly seed: number;
  /** The ms of the first minute that is not prehistory. */
  readonly start: number;
  /** A market that begins without a past, because a recording is to be its first; null for none. */
  readonly bare: string | null;
}

/** Where another exchange than one of the present begins. */
export interface ReplayGenesis {
  /** ms since the Unix epoch; the clock stands there. */
  readonly time: number;
  /** The market that has no past. */
  readonly bare: string;
}

/** Raised when the rows on disk change their meaning. */
const FORMAT = 3;

/** Thrown when the data of a directory were written by a version that stores them differently. */
export class OtherFormat extends UnreadableStore {
  override readonly name = 'OtherFormat';

  constructor(found: number) {
    super(`the data have format ${found}, this version reads format ${FORMAT}`);
  }
}

export const genesisCodec: Codec<Genesis> = {
  encode: ({ seed, start, bare }) => [FORMAT, seed, start, bare],
  decode: (row) => {
    const [format, seed, start, bare] = row as [number, number, number, string | null];
    if (format !== FORMAT) throw new OtherFormat(format);
    return { seed, start, bare };
  },
};

export function genesisAt(seed: number, time: number, replayGenesis: ReplayGenesis | undefined): Genesis {
  const minute = Math.floor(time / MINUTE) * MINUTE;
  // a minute of the crowd comes first, so that there is a market to look at from the beginning
  if (replayGenesis === undefined) return { seed, start: minute - MINUTE, bare: null };
  return { seed, start: minute, bare: replayGenesis.bare };
}

/** The past of a market that has none. */
export function nothingBefore(start: number): History {
  return { start, end: start, candles: () => [] };
}

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

/** The one row of tables that have only one. */
const ONLY = 'only';

interface StateOptions {
  readonly directory: string;
  readonly seed: number;
  readonly time: number;
  readonly secrets: Secrets;
  /** Used when the directory is empty. */
  readonly replayGenesis?: ReplayGenesis | undefined;
}

/** Everything an exchange consists of, opened from its directory. */
export class ExchangeState {
  readonly customers: Customers;
  readonly orders: OrderRepository;
  readonly ledger: Ledger;
  readonly sequences: Sequences;
  readonly bills: BillBook;
  readonly lender: Lender;
  readonly orderService: OrderService;
  readonly treasury: Treasury;
  readonly timedCancels: TimedCancels;
  readonly venues: ReadonlyMap<string, Venue>;
  private readonly simulator: MarketSimulator;
  readonly replays: Replays;
  private readonly simulatorState: Table<SimulatorState>;
  private readonly clockState: Table<ClockState>;
  readonly genesis: Genesis;

  /** Opens the exchange of a directory, or founds one there. Throws {@link OtherFormat}. */
  constructor(
    readonly store: Store,
    { seed, time, secrets, replayGenesis }: StateOptions,
  ) {
    const geneses = store.table('beginning', genesisCodec);
    const stored = geneses.get(ONLY);
    this.genesis = stored ?? genesisAt(seed, time, replayGenesis);
    this.clockState = store.table('clock', clockCodec);
    this.replays = new Replays(store);
    this.simulatorState = store.table('crowd', simulatorCodec);
    this.ledger = restoredLedger(store);
    this.sequences = restoredSequences(store);
    this.customers = new Customers(store.table('accounts', customerCodec));
    const statements = { bills: store.lists('bills', billCodec), coinBills: store.lists('coinBills', placeCodec) };
    this.bills = new BillBook(statements, this.ledger, this.sequences);
    this.orders = new OrderRepository({
      orders: store.table('orders', orderCodec),
      open: store.table('open', keyCodec),
      clientIds: store.table('clientIds', keyCodec),
      listed: store.lists('listed', idCodec),
    });
    this.timedCancels = new TimedCancels(store.table('timedCancels', timeCodec));
    this.lender = new Lender(this.ledger, this.bills, (market) => lastPrice(this.venues.get(market)));
    this.orderService = new OrderService(this.ledger, this.sequences, this.bills, this.orders, this.lender);
    const context = { ledger: this.ledger, bills: this.bills, sequences: this.sequences };
    this.treasury = new Treasury(store, context, () => this.customers.ids());
    this.venues = this.openVenues(store.lists('trades', tradeCodec), store.table('candles', candleCodec));
    const state = this.simulatorState.get(ONLY) ?? MarketSimulator.start(this.genesis.start);
    const orders = {
      isReplayed: (market: string) => this.isReplayed(market),
      priceMoves: new PriceMoves(store.table('pushes', priceMoveCodec)),
    };
    this.simulator = new MarketSimulator(
      this.genesis.seed,
      [...this.venues.values()],
      this.orderService,
      state,
      orders,
    );
    this.restoreOrders();
    if (stored !== undefined) return;
    geneses.put(ONLY, this.genesis);
    if (replayGenesis !== undefined) this.clockState.put(ONLY, { shown: time, real: time, speed: 1, stopped: true });
    this.customers.createFirst(secrets);
    this.treasury.open(FIRST_ACCOUNT, INITIAL_BALANCES, time);
    this.treasury.addresses.seedAddresses(FIRST_ACCOUNT, Object.keys(INITIAL_BALANCES));
  }

  /** Opens the exchange of a directory. Throws AlreadyOpen when it is open, {@link OtherFormat} and {@link DamagedStore}. */
  static open(options: StateOptions): ExchangeState {
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

  /** The exchange's clock over the machine's. */
  clock(real: () => number): Clock {
    return new Clock(real, this.clockState.get(ONLY), (state) => this.clockState.put(ONLY, state));
  }

  /** Leads the crowd of a market to a price in ticks within `ms`. */
  push(market: string, target: bigint, ms: number): void {
    this.simulator.push(market, Number(target), ms);
    this.orderService.touched = true;
  }

  /** Whether a market follows a recording, or waits for one. */
  isReplayed(market: string): boolean {
    return this.genesis.bare === market || this.replays.has(market);
  }

  /** Lets everything happen that is due by `time`, in its order. */
  advance(time: number): void {
    this.runUntil(time, (moment) => this.simulator.advance(moment));
  }

  /** The same, but the crowd stands still: only what is replayed, and what customers asked for, happens. */
  fastForward(time: number): void {
    this.runUntil(time, (moment) => this.simulator.skip(moment));
  }

  private runUntil(time: number, live: (moment: number) => boolean): void {
    for (let moment = this.nextMoment(); moment <= time; moment = this.nextMoment()) {
      live(moment);
      this.cancelDue(moment);
      this.treasury.advance(moment);
      for (const [market, print] of this.replays.takeDue(moment)) this.simulator.replayPrint(market, print);
      this.orderService.touched = true;
    }
    if (live(time)) this.simulatorState.put(ONLY, this.simulator.state);
  }

  /** When something is due that was asked for: infinity when nothing is. */
  private nextMoment(): number {
    return Math.min(this.timedCancels.next, this.treasury.next, this.replays.next);
  }

  private cancelDue(time: number): void {
    for (let due = this.timedCancels.takeDue(time); due !== undefined; due = this.timedCancels.takeDue(time)) {
      const venue = this.venues.get(due.market);
      if (venue === undefined) continue;
      for (const order of this.orders.openOf(due.account, due.market)) this.orderService.cancel(venue, order);
    }
  }

  private openVenues(trades: NumberedLists<Trade>, candles: Table<Candle>): ReadonlyMap<string, Venue> {
    const open = (market: Market) => {
      const name = market.market;
      const { seed, start, bare } = this.genesis;
      const series = new CandleSeries(
        name,
        bare === name ? nothingBefore(start) : prehistory(market, seed, start),
        candles,
      );
      return OrderService.venue(market, new Tape(name, trades, series));
    };
    return new Map([...MARKETS].map(([name, market]) => [name, open(market)]));
  }

  /** Ids increase with time, so this order also restores time priority. */
  private restoreOrders(): void {
    for (const order of this.orders.restore()) {
      const venue = this.venues.get(order.market.market);
      if (venue === undefined) throw new Error(`a stored order of an unknown market: ${order.market.market}`);
      this.orderService.restore(venue, order);
      if (isSimulated(order.account)) this.simulator.restore(order);
    }
  }
}

function restoredLedger(store: Store): Ledger {
  const table = store.table('balances', balanceCodec);
  const ledger = new Ledger((balance) => table.put(balance.name, balance));
  for (const [key, balance] of table.entries({ start: '', end: '\u{7f}' })) {
    const [account = '', coin = ''] = key.split('/');
    ledger.restore(account, coin, balance);
  }
  for (const [coin, sum] of ledger.sums())
    if (sum !== 0n) throw new Error(`the stored ${coin} is out of balance: ${sum}`);
  return ledger;
}

function restoredSequences(store: Store): Sequences {
  const table = store.table<Sequence>('sequences', sequenceCodec);
  return new Sequences(table.get(ONLY) ?? { ...FIRST }, (last) => table.put(ONLY, last));
}
