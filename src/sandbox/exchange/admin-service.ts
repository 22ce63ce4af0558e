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

/** How much of a recording, in ms of its time, is replayed before others are served. */
const FAST_FORWARD_STEP = 6 * 3_600_000;

/** What the owner of the sandbox can do with the exchange. None of it is part of the interface. */
export class AdminService {
  readonly clock: Clock;

  constructor(private readonly state: ExchangeState) {
    this.clock = state.clock;
  }

  /** Oldest first. */
  accounts(): readonly Customer[] {
    return this.state.customers.all();
  }

  /** A new account without balances. Throws {@link UsernameTaken}. */
  addAccount(secrets: Secrets, permissions: Permissions): Customer {
    const { customers, funds } = this.state;
    if (customers.all().some(({ username }) => username === secrets.username)) {
      throw new UsernameTaken(secrets.username);
    }
    const customer = { id: String(customers.count + 1), permissions, ...secrets };
    customers.add(customer);
    funds.seedAddresses(customer.id, COINS.keys());
    this.state.commitNow();
    return customer;
  }

  /** Moves coins between the spot wallets of two accounts; the amount is decimal text. Throws {@link Refusal}. */
  transfer(from: Account, to: Account, coin: string, amount: string): void {
    const { ledger, bills } = this.state;
    if (from.id === to.id) throw new Refusal('badParameter', 'both accounts are the same');
    const units = coinUnits(coin, amount);
    if (ledger.available(from.id, coin) < units) throw new Refusal('insufficientBalance', coin);
    ledger.move(coin, units, { account: from.id, part: 'available' }, { account: to.id, part: 'available' });
    bills.post(from.id, coin, -units, 'transferOut', to.username);
    bills.post(to.id, coin, units, 'transferIn', from.username);
    bills.write(this.clock.now());
    this.state.commitNow();
  }

  /**
   * Has the simulated traders of a market lead its price to another, decimal text, within `ms`. Throws {@link Refusal} for an
   * impossible market or price, and if the market follows a recording.
   */
  movePrice(market: string, price: string, ms: number): void {
    const venue = this.state.venues.get(market);
    if (venue === undefined) throw new Refusal('unknownMarket', market);
    if (this.state.isReplayed(market)) throw new Refusal('cannotTrade', `${market} follows a recording`);
    this.state.movePrice(market, venue.market.ticks(price), ms);
    this.state.commitNow();
  }

  /** Whether no customer has traded, moved coins or added an account yet, so that nothing is lost by starting again. */
  get isUntouched(): boolean {
    const { customers, orders, bills } = this.state;
    const ordered = [...MARKETS.keys()].some((market) => orders.page(FIRST_ACCOUNT, market, 'all', 1, 1).length > 0);
    const moved = bills.page(FIRST_ACCOUNT, { page: 1, pageSize: 50 }).some(({ kind }) => kind !== 'opening');
    return customers.count === 1 && !ordered && !moved;
  }

  /** Rows of recordings that are still to be replayed. */
  get replaying(): number {
    return this.state.replays.left;
  }

  /** Lets a market follow a recording from its first row. Throws BackInTime if that is in the past. */
  replay(market: string, recording: Recording): void {
    this.clock.set(spanOf(recording).from);
    this.state.replays.add(market, recording);
    this.state.advance(this.clock.now());
    this.state.commitNow();
  }

  /**
   * Replays everything as fast as possible. The clock is stopped, driven by the replay, and shows `until` (ms since the Unix
   * epoch) at the end. Simulated traders stand still meanwhile; customers are served. It ends early when `shouldContinue` gives false;
   * the rest then happens when the clock runs again.
   */
  async fastForward(until: number, shouldContinue: () => boolean): Promise<void> {
    const { replays, store } = this.state;
    this.clock.stop();
    while (replays.next < Number.POSITIVE_INFINITY) {
      const end = Math.max(until, replays.next);
      this.clock.set(Math.max(this.clock.now(), Math.min(replays.next + FAST_FORWARD_STEP, end)));
      this.state.fastForward(this.clock.now());
      // others are served in between
      await store.durable();
      if (!shouldContinue()) return;
    }
    this.clock.set(Math.max(this.clock.now(), until));
    this.state.fastForward(this.clock.now());
    // the simulated traders quote again
    this.state.advance(this.clock.now());
    this.state.commitNow();
  }

  /** Every row of the exchange's data as it is on disk: a single state, if read in one go. */
  rows(): Iterable<readonly [path: string, row: Row]> {
    return this.state.store.rows();
  }

  /** Makes the data of another exchange in a directory. Its first account gets the keys of this one's. Throws OtherFormat. */
  async restoreInto(directory: string, rows: Iterable<readonly [path: string, row: Row]>): Promise<void> {
    const { customers, genesis, clock } = this.state;
    const firstAccount = customers.firstAccount();
    await Store.fill(directory, rows);
    const other = ExchangeState.open({ directory, seed: genesis.seed, now: clock.now, firstAccount });
    other.customers.replaceKeysOfFirst(firstAccount);
    await other.store.close();
  }
}
