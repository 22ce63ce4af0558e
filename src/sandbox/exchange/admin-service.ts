import type { Customer, Customers, Permissions, Secrets } from '../accounts/accounts.js';
import type { FundsService } from '../funds/funds-service.js';
import { MARKETS } from '../markets/market.js';
import type { OrderService } from '../orders/order-service.js';
import { RequestRefused } from '../refusals.js';
import { type Recording, spanOf } from '../replay/recording.js';
import type { ReplayedMarket, Replays } from '../replay/replays.js';
import type { MarketSimulator } from '../simulator/market-simulator.js';
import { BackInTime, type Clock } from './clock.js';

/** How much of a recording, in ms of its time, is replayed before others are served. */
const FAST_FORWARD_STEP = 6 * 3_600_000;

interface AdminContext {
  readonly customers: Customers;
  readonly orders: OrderService;
  readonly funds: FundsService;
  readonly clock: Clock;
  readonly simulator: MarketSimulator;
  readonly replays: Replays;
  /** Whether a market follows a recording, or waits for one. */
  readonly isReplayed: (market: string) => boolean;
  /** Lets everything happen that is due by now. */
  readonly advance: () => void;
  /** The same, except that simulated traders stand still. */
  readonly fastForward: () => void;
  /** Called after a change. */
  readonly changed: () => void;
  readonly durable: () => Promise<void>;
}

/** What the owner of the sandbox can do with the exchange. None of it is part of the interface. */
export class AdminService {
  readonly #context: AdminContext;

  constructor(context: AdminContext) {
    this.#context = context;
  }

  /** A new account without balances. Throws UsernameTaken. */
  addAccount(secrets: Secrets, permissions: Permissions): Customer {
    const customer = this.#context.customers.add(secrets, permissions);
    this.#context.funds.seed(customer.id);
    this.#context.changed();
    return customer;
  }

  /**
   * Has the simulated traders of a market lead its price to another, decimal text, within `ms`. Throws {@link RequestRefused} for an
   * impossible market or price, and if the market follows a recording.
   */
  movePrice(name: string, price: string, ms: number): void {
    const market = MARKETS.get(name);
    if (market === undefined) throw new RequestRefused('unknownMarket', name);
    if (this.#context.isReplayed(name)) throw new RequestRefused('cannotTrade', `${name} follows a recording`);
    this.#context.simulator.movePrice(name, Number(market.ticks(price)), ms);
    this.#context.changed();
  }

  /** Whether no customer has traded, moved coins or added an account yet, so that nothing is lost by starting again. */
  get isUntouched(): boolean {
    const { customers, orders, funds } = this.#context;
    const [first, ...others] = customers.all();
    if (first === undefined || others.length > 0) return false;
    const hasOrders = [...MARKETS.keys()].some(
      (market) => orders.list(first, market, { page: 1, pageSize: 1 }).length > 0,
    );
    const hasMoved = funds.bills(first, { page: 1, pageSize: 50 }).some(({ kind }) => kind !== 'opening');
    return !hasOrders && !hasMoved;
  }

  /** Rows of recordings that are still to be replayed. */
  get replaying(): number {
    return this.#context.replays.left;
  }

  /** The markets that follow a recording, those at its end too. */
  get replayed(): readonly ReplayedMarket[] {
    return this.#context.replays.all;
  }

  /**
   * Lets a market follow a recording. The clock is set to its first row, unless another market still follows one: then it begins
   * when the clock gets there. The rest of an earlier recording of this market is dropped. Throws BackInTime if its first row is in
   * the past.
   */
  replay(market: string, recording: Recording): void {
    const { clock, replays } = this.#context;
    const { from } = spanOf(recording);
    if (from < clock.now()) throw new BackInTime(`${from} is before ${clock.now()}`);
    if (!replays.all.some((other) => other.market !== market && other.left > 0)) clock.set(from);
    replays.add(market, recording);
    this.#context.advance();
    this.#context.changed();
  }

  /**
   * Replays everything as fast as possible. The clock is stopped, driven by the replay, and shows `until` (ms since the Unix
   * epoch) at the end. Simulated traders stand still meanwhile; customers are served. It ends early when `shouldContinue` gives false;
   * the rest then happens when the clock runs again.
   */
  async fastForward(until: number, shouldContinue: () => boolean): Promise<void> {
    const { clock, replays, advance, fastForward, durable } = this.#context;
    clock.stop();
    while (replays.next < Number.POSITIVE_INFINITY) {
      const end = Math.max(until, replays.next);
      clock.forward(Math.min(replays.next + FAST_FORWARD_STEP, end));
      fastForward();
      // others are served in between
      await durable();
      if (!shouldContinue()) return;
    }
    clock.forward(until);
    fastForward();
    // the simulated traders quote again
    advance();
  }
}
