import { join } from 'node:path';
import type { Candle } from '../candles.js';
import { CandleSeries, candleCodec } from '../candles-series.js';
import { Clock, type ClockState, clockCodec } from '../clock.js';
import { Crowd, type CrowdState } from '../crowd/crowd.js';
import { prehistory } from '../crowd/prehistory.js';
import { Pushes, pushCodec } from '../crowd/pushes.js';
import { Customers, customerCodec, ENDOWMENT, GENESIS_ACCOUNT, type Secrets } from '../desk/accounts.js';
import { BillBook, billCodec, placeCodec } from '../desk/bills.js';
import { Desk, lastPrice, type Venue } from '../desk/desk.js';
import { Lender } from '../desk/lender.js';
import { orderCodec } from '../desk/order.js';
import { idCodec, keyCodec, OrderFile } from '../desk/order-file.js';
import { isParticipant } from '../desk/participants.js';
import { FIRST, type Sequence, Sequences, sequenceCodec } from '../desk/sequences.js';
import { Tape, type Trade, tradeCodec } from '../desk/tape.js';
import { TimedCancels, timeCodec } from '../desk/timed-cancels.js';
import { diskTrouble } from '../disk.js';
import { Treasury } from '../funds/treasury.js';
import { type Balance, Ledger } from '../ledger.js';
import type { Market } from '../markets/market.js';
import { MARKETS } from '../markets/markets.js';
import type { NumberedLists } from '../numbered-lists.js';
import { Replays } from '../replay/replays.js';
import { Store } from '../store.js';
import { DamagedStore, UnreadableStore } from '../store-damage.js';
import { STORE_NAME } from '../store-name.js';
import type { Codec, Table } from '../store-table.js';
import { type Beginning, beginningAt, beginningCodec, type Founding, nothingBefore } from './beginning.js';

const crowdCodec: Codec<CrowdState> = {
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

interface HouseOptions {
  readonly directory: string;
  readonly seed: number;
  readonly time: number;
  readonly secrets: Secrets;
  /** Used when the directory is empty. */
  readonly founding?: Founding | undefined;
}

/** Everything an exchange consists of, opened from its directory. */
export class House {
  readonly customers: Customers;
  readonly orders: OrderFile;
  readonly ledger: Ledger;
  readonly sequences: Sequences;
  readonly bills: BillBook;
  readonly lender: Lender;
  readonly desk: Desk;
  readonly treasury: Treasury;
  readonly timedCancels: TimedCancels;
  readonly venues: ReadonlyMap<string, Venue>;
  private readonly crowd: Crowd;
  readonly replays: Replays;
  private readonly crowdState: Table<CrowdState>;
  private readonly clockState: Table<ClockState>;
  readonly beginning: Beginning;

  /** Opens the exchange of a directory, or founds one there. Throws {@link OtherFormat}. */
  constructor(
    readonly store: Store,
    { seed, time, secrets, founding }: HouseOptions,
  ) {
    const beginnings = store.table('beginning', beginningCodec);
    const stored = beginnings.get(ONLY);
    this.beginning = stored ?? beginningAt(seed, time, founding);
    this.clockState = store.table('clock', clockCodec);
    this.replays = new Replays(store);
    this.crowdState = store.table('crowd', crowdCodec);
    this.ledger = restoredLedger(store);
    this.sequences = restoredSequences(store);
    this.customers = new Customers(store.table('accounts', customerCodec));
    const statements = { bills: store.lists('bills', billCodec), coinBills: store.lists('coinBills', placeCodec) };
    this.bills = new BillBook(statements, this.ledger, this.sequences);
    this.orders = new OrderFile({
      orders: store.table('orders', orderCodec),
      open: store.table('open', keyCodec),
      clientIds: store.table('clientIds', keyCodec),
      listed: store.lists('listed', idCodec),
    });
    this.timedCancels = new TimedCancels(store.table('timedCancels', timeCodec));
    this.lender = new Lender(this.ledger, this.bills, (market) => lastPrice(this.venues.get(market)));
    this.desk = new Desk(this.ledger, this.sequences, this.bills, this.orders, this.lender);
    const till = { ledger: this.ledger, bills: this.bills, sequences: this.sequences };
    this.treasury = new Treasury(store, till, () => this.customers.ids());
    this.venues = this.openVenues(store.lists('trades', tradeCodec), store.table('candles', candleCodec));
    const state = this.crowdState.get(ONLY) ?? Crowd.start(this.beginning.start);
    const orders = {
      isReplayed: (market: string) => this.isReplayed(market),
      pushes: new Pushes(store.table('pushes', pushCodec)),
    };
    this.crowd = new Crowd(this.beginning.seed, [...this.venues.values()], this.desk, state, orders);
    this.restoreOrders();
    if (stored !== undefined) return;
    beginnings.put(ONLY, this.beginning);
    if (founding !== undefined) this.clockState.put(ONLY, { shown: time, real: time, speed: 1, stopped: true });
    this.customers.found(secrets);
    this.treasury.open(GENESIS_ACCOUNT, ENDOWMENT, time);
    this.treasury.addresses.equip(GENESIS_ACCOUNT, Object.keys(ENDOWMENT));
  }

  /** Opens the exchange of a directory. Throws AlreadyOpen when it is open, {@link OtherFormat} and {@link DamagedStore}. */
  static open(options: HouseOptions): House {
    const store = Store.open(options.directory);
    try {
      return new House(store, options);
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
    this.crowd.push(market, Number(target), ms);
    this.desk.touched = true;
  }

  /** Whether a market follows a recording, or waits for one. */
  isReplayed(market: string): boolean {
    return this.beginning.bare === market || this.replays.has(market);
  }

  /** Lets everything happen that is due by `time`, in its order. */
  advance(time: number): void {
    this.happen(time, (moment) => this.crowd.advance(moment));
  }

  /** The same, but the crowd stands still: only what is replayed, and what customers asked for, happens. */
  rush(time: number): void {
    this.happen(time, (moment) => this.crowd.skip(moment));
  }

  private happen(time: number, live: (moment: number) => boolean): void {
    for (let moment = this.nextMoment(); moment <= time; moment = this.nextMoment()) {
      live(moment);
      this.cancelDue(moment);
      this.treasury.advance(moment);
      for (const [market, print] of this.replays.takeDue(moment)) this.crowd.carryOut(market, print);
      this.desk.touched = true;
    }
    if (live(time)) this.crowdState.put(ONLY, this.crowd.state);
  }

  /** When something is due that was asked for: infinity when nothing is. */
  private nextMoment(): number {
    return Math.min(this.timedCancels.next, this.treasury.next, this.replays.next);
  }

  private cancelDue(time: number): void {
    for (let due = this.timedCancels.takeDue(time); due !== undefined; due = this.timedCancels.takeDue(time)) {
      const venue = this.venues.get(due.market);
      if (venue === undefined) continue;
      for (const order of this.orders.openOf(due.account, due.market)) this.desk.cancel(venue, order);
    }
  }

  private openVenues(trades: NumberedLists<Trade>, candles: Table<Candle>): ReadonlyMap<string, Venue> {
    const open = (market: Market) => {
      const name = market.market;
      const { seed, start, bare } = this.beginning;
      const series = new CandleSeries(
        name,
        bare === name ? nothingBefore(start) : prehistory(market, seed, start),
        candles,
      );
      return Desk.venue(market, new Tape(name, trades, series));
    };
    return new Map([...MARKETS].map(([name, market]) => [name, open(market)]));
  }

  /** Ids increase with time, so this order also restores time priority. */
  private restoreOrders(): void {
    for (const order of this.orders.restore()) {
      const venue = this.venues.get(order.market.market);
      if (venue === undefined) throw new Error(`a stored order of an unknown market: ${order.market.market}`);
      this.desk.restore(venue, order);
      if (isParticipant(order.account)) this.crowd.restore(order);
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
