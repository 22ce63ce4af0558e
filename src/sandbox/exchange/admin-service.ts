import {
  type Account,
  type Customer,
  FIRST_ACCOUNT,
  type Permissions,
  type Secrets,
  UsernameTaken,
} from '../accounts/accounts.js';
import { COINS } from '../markets/coins.js';
import { coinUnits, MARKETS } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import { type Recording, spanOf } from '../replay/recording.js';
import { Store } from '../store/store.js';
import type { Row } from '../store/table.js';
import type { Clock } from './clock.js';
import { ExchangeState } from './exchange-state.js';

/** How much of a recording, in ms, happens at once when it goes as fast as it can. */
const FAST_FORWARD_STEP = 6 * 3_600_000;

/** What somebody may do with the exchange who is not a customer: nothing of it is part of the interface. */
export interface ExchangeAdmin {
  readonly clock: Clock;
  /** Oldest first. */
  accounts(): readonly Customer[];
  /** A new account that owns nothing. Throws {@link UsernameTaken}. */
  addAccount(secrets: Secrets, permissions: Permissions): Customer;
  /** Moves coins between the spot wallets of two accounts; the amount is decimal text. Throws Refusal. */
  transfer(from: Account, to: Account, coin: string, amount: string): void;
  /**
   * Has the crowd of a market lead its price to another, decimal text, within `ms`. Throws Refusal for a market or a price
   * that cannot be, and where the market follows a recording.
   */
  push(market: string, price: string, ms: number): void;
  /** Whether nobody has traded, moved coins or got an account yet: then nothing is lost when it begins anew. */
  readonly isUntouched: boolean;
  /** Rows of recordings that are still to happen. */
  readonly replaying: number;
  /** Lets a market follow a recording from its first row on. Throws BackInTime when that lies in the past. */
  replay(market: string, recording: Recording): void;
  /**
   * Lets everything that is replayed happen as fast as it goes, by a clock that is driven by it and stands at `until` (ms
   * since the Unix epoch) in the end. The crowd stands still meanwhile; customers are served. It ends early when `goOn` says
   * so; what is left then happens when the clock goes on.
   */
  fastForward(until: number, goOn: () => boolean): Promise<void>;
  /** Every row of the exchange's data as it is on disk: one state, when they are read in one go. */
  rows(): Iterable<readonly [path: string, row: Row]>;
  /** Makes the data of another exchange in a directory; its first account gets the keys of this one's. Throws OtherFormat. */
  restoreInto(directory: string, rows: Iterable<readonly [path: string, row: Row]>): Promise<void>;
}

export class AdminService implements ExchangeAdmin {
  constructor(
    private readonly state: ExchangeState,
    readonly clock: Clock,
    private readonly changed: () => void,
  ) {}

  accounts(): readonly Customer[] {
    return this.state.customers.all();
  }

  addAccount(secrets: Secrets, permissions: Permissions): Customer {
    const { customers, treasury } = this.state;
    if (customers.all().some(({ username }) => username === secrets.username))
      throw new UsernameTaken(secrets.username);
    const customer = { id: String(customers.count + 1), permissions, ...secrets };
    customers.add(customer);
    treasury.addresses.seedAddresses(customer.id, [...COINS.keys()]);
    this.changed();
    return customer;
  }

  transfer(from: Account, to: Account, coin: string, amount: string): void {
    const { ledger, bills } = this.state;
    if (from.id === to.id) throw new Refusal('badParameter', 'both accounts are the same');
    const units = coinUnits(coin, amount);
    if (ledger.available(from.id, coin) < units) throw new Refusal('insufficientBalance', coin);
    ledger.move(coin, units, { account: from.id, part: 'available' }, { account: to.id, part: 'available' });
    bills.post(from.id, coin, -units, 'transferOut', to.username);
    bills.post(to.id, coin, units, 'transferIn', from.username);
    bills.write(this.clock.now());
    this.changed();
  }

  push(market: string, price: string, ms: number): void {
    const venue = this.state.venues.get(market);
    if (venue === undefined) throw new Refusal('unknownMarket', market);
    if (this.state.isReplayed(market)) throw new Refusal('cannotTrade', `${market} follows a recording`);
    this.state.push(market, venue.market.ticks(price), ms);
    this.changed();
  }

  get isUntouched(): boolean {
    const { customers, orders, bills } = this.state;
    const ordered = [...MARKETS.keys()].some((market) => orders.page(FIRST_ACCOUNT, market, 'all', 1, 1).length > 0);
    const moved = bills.page(FIRST_ACCOUNT, { page: 1, pageSize: 50 }).some(({ kind }) => kind !== 'opening');
    return customers.count === 1 && !ordered && !moved;
  }

  get replaying(): number {
    return this.state.replays.left;
  }

  replay(market: string, recording: Recording): void {
    this.clock.set(spanOf(recording).from);
    this.state.replays.add(market, recording);
    this.state.advance(this.clock.now());
    this.changed();
  }

  async fastForward(until: number, goOn: () => boolean): Promise<void> {
    const { replays, store } = this.state;
    this.clock.stop();
    while (replays.next < Number.POSITIVE_INFINITY) {
      const end = Math.max(until, replays.next);
      this.clock.set(Math.max(this.clock.now(), Math.min(replays.next + FAST_FORWARD_STEP, end)));
      this.state.fastForward(this.clock.now());
      // others are answered in between
      await store.durable();
      if (!goOn()) return;
    }
    this.clock.set(Math.max(this.clock.now(), until));
    this.state.fastForward(this.clock.now());
    // the crowd quotes again
    this.state.advance(this.clock.now());
    this.changed();
  }
  rows(): Iterable<readonly [path: string, row: Row]> {
    return this.state.store.rows();
  }

  async restoreInto(directory: string, rows: Iterable<readonly [path: string, row: Row]>): Promise<void> {
    const { customers, genesis } = this.state;
    const firstAccount = customers.firstAccount();
    if (firstAccount === undefined) throw new Error('the exchange has no first account');
    await Store.fill(directory, rows);
    const other = ExchangeState.open({ directory, seed: genesis.seed, time: this.clock.now(), secrets: firstAccount });
    other.customers.adopt(firstAccount);
    await other.store.close();
  }
}
