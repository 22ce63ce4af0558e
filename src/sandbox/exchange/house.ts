import { type Candle, MINUTE } from '../candles.js';
import { CandleSeries, candleCodec } from '../candles-series.js';
import { Crowd, type CrowdState } from '../crowd/crowd.js';
import { prehistory } from '../crowd/prehistory.js';
import { Customers, customerCodec, type Secrets } from '../desk/accounts.js';
import { BillBook, billCodec } from '../desk/bills.js';
import { Desk, type DeskTables, type Venue } from '../desk/desk.js';
import { orderCodec } from '../desk/order.js';
import { keyCodec, OrderFile } from '../desk/order-file.js';
import { isParticipant } from '../desk/participants.js';
import { FIRST, type Sequence, Sequences, sequenceCodec } from '../desk/sequences.js';
import { Tape, type Trade, tradeCodec } from '../desk/tape.js';
import { type Balance, Ledger } from '../ledger.js';
import type { Market } from '../markets/market.js';
import { MARKETS } from '../markets/markets.js';
import { Store } from '../store.js';
import type { Codec, Table } from '../store-table.js';

/** When and with what chance an exchange began; it stays as long as its directory. */
interface Beginning {
  readonly seed: number;
  /** The ms of the first minute that is not prehistory. */
  readonly start: number;
}

/** Raised when the rows on disk change their meaning. */
const FORMAT = 1;

/** Thrown when the data of a directory were written by a version that stores them differently. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';

  constructor(found: number) {
    super(`the data have format ${found}, this version reads format ${FORMAT}`);
  }
}

const beginningCodec: Codec<Beginning> = {
  encode: ({ seed, start }) => [FORMAT, seed, start],
  decode: (row) => {
    const [format, seed, start] = row as [number, number, number];
    if (format !== FORMAT) throw new OtherFormat(format);
    return { seed, start };
  },
};

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

export interface HouseOptions {
  readonly directory: string;
  readonly seed: number;
  readonly time: number;
  readonly secrets: Secrets;
}

/** Everything an exchange consists of, opened from its directory. */
export class House {
  readonly customers: Customers;
  readonly orders: OrderFile;
  readonly ledger: Ledger;
  readonly sequences: Sequences;
  readonly desk: Desk;
  readonly venues: ReadonlyMap<string, Venue>;
  private readonly crowd: Crowd;
  private readonly crowdState: Table<CrowdState>;
  private readonly beginning: Beginning;

  /** Opens the exchange of a directory, or founds one there. Throws {@link OtherFormat}. */
  constructor(
    readonly store: Store,
    { seed, time, secrets }: HouseOptions,
  ) {
    const beginnings = store.table('beginning', beginningCodec);
    const stored = beginnings.get(ONLY);
    this.beginning = stored ?? { seed, start: Math.floor(time / MINUTE) * MINUTE - MINUTE };
    this.crowdState = store.table('crowd', crowdCodec);
    this.ledger = restoredLedger(store);
    this.sequences = restoredSequences(store);
    this.customers = new Customers(store.table('accounts', customerCodec));
    const tables = { orders: store.table('orders', orderCodec), open: store.table('open', keyCodec) };
    const bills = new BillBook(store.table('bills', billCodec), this.ledger, this.sequences);
    this.orders = new OrderFile(tables.orders, store.table('clientIds', keyCodec));
    this.desk = new Desk(this.ledger, this.sequences, bills, tables);
    this.venues = this.openVenues(store.table('trades', tradeCodec), store.table('candles', candleCodec));
    const state = this.crowdState.get(ONLY) ?? Crowd.start(this.beginning.start);
    this.crowd = new Crowd(this.beginning.seed, [...this.venues.values()], this.desk, state);
    this.restoreOrders(tables);
    if (stored !== undefined) return;
    beginnings.put(ONLY, this.beginning);
    this.customers.found(secrets, this.ledger);
  }

  /** Opens the exchange of a directory. Throws AlreadyOpen when it is open, and {@link OtherFormat}. */
  static open(options: HouseOptions): House {
    const store = Store.open(options.directory);
    try {
      return new House(store, options);
    } catch (error) {
      void store.abandon();
      throw error;
    }
  }

  /** Lets the crowd live up to `time`. */
  advance(time: number): void {
    if (this.crowd.advance(time)) this.crowdState.put(ONLY, this.crowd.state);
  }

  private openVenues(trades: Table<Trade>, candles: Table<Candle>): ReadonlyMap<string, Venue> {
    const open = (market: Market) => {
      const name = market.market;
      const { seed, start } = this.beginning;
      const series = new CandleSeries(name, prehistory(market, seed, start), candles);
      return Desk.venue(market, new Tape(name, trades, series));
    };
    return new Map([...MARKETS].map(([name, market]) => [name, open(market)]));
  }

  /** Ids increase with time, so this order also restores time priority. */
  private restoreOrders({ orders, open }: DeskTables): void {
    for (const key of [...open.range({ start: '', end: '\u{7f}' })]) {
      const order = orders.get(key);
      const venue = this.venues.get(order?.market.market ?? '');
      if (order === undefined || venue === undefined) throw new Error(`the stored order ${key} is missing`);
      this.desk.restore(venue, order);
      if (isParticipant(order.account)) this.crowd.restore(order);
    }
  }
}

function restoredLedger(store: Store): Ledger {
  const table = store.table('balances', balanceCodec);
  const ledger = new Ledger((account, coin, balance) => table.put(`${account}/${coin}`, balance));
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
