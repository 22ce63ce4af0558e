import type { Customer, Customers, Granted, Secrets } from '../accounts/accounts.js';
import type { FundsService } from '../funds/funds-service.js';
import { type MarketRules, SandboxMarket } from '../markets/market.js';
import type { OrderService } from '../orders/order-service.js';
import { RequestRefused } from '../refusals.js';
import type { ReplayedMarket, Replays } from '../replay/replays.js';
import type { MarketSimulator } from '../simulator/market-simulator.js';
import type { Clock } from './clock.js';

/** How much of a recording, in ms of its time, is replayed before others are served: at first, and at most. */
const FAST_FORWARD = { first: 600_000, most: 6 * 3_600_000 };
/** How many rows that should be about. */
const ROWS_AT_ONCE = 10_000;

interface AdminContext {
  readonly customers: Customers;
  readonly markets: ReadonlyMap<string, SandboxMarket>;
  readonly changedRules: Map<string, SandboxMarket>;
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
  addAccount(secrets: Secrets, permissions: Granted): Customer {
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
    const market = this.#context.markets.get(name);
    if (market === undefined) throw new RequestRefused('unknownMarket', name);
    if (this.#context.isReplayed(name)) throw new RequestRefused('cannotTrade', `${name} follows a recording`);
    this.#context.simulator.movePrice(name, Number(market.ticks(price)), ms);
    this.#context.changed();
  }

  /**
   * Makes the rules of a market stricter, for new orders and until the sandbox ends. Throws {@link RequestRefused} for an unknown market,
   * and rules that allow what the market cannot have.
   */
  changeRules(name: string, changes: Partial<Omit<MarketRules, 'name' | 'base' | 'quote'>>): MarketRules {
    const market = this.#context.markets.get(name);
    if (market === undefined) throw new RequestRefused('unknownMarket', name);
    const { priceScale, amountScale } = { ...market, ...changes };
    if (priceScale > market.priceScale || amountScale > market.amountScale)
      throw new RequestRefused('badParameter', 'a market never gets more decimals than it began with');
    const { base, quote, minAmount, minNotional } = market;
    const rules = new SandboxMarket({ name, base, quote, priceScale, amountScale, minAmount, minNotional, ...changes });
    this.#context.changedRules.set(name, rules);
    return rules;
  }

  /** Whether no customer has traded, moved coins or added an account yet, so that nothing is lost by starting again. */
  get isUntouched(): boolean {
    const { customers, orders, funds } = this.#context;
    const [first, ...others] = customers.all();
    if (first === undefined || others.length > 0) return false;
    const hasOrders = [...this.#context.markets.keys()].some(
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
   * Goes to the beginning of recordings that were loaded for these markets, unless another market still follows one: then they begin
   * when the clock gets there.
   * @param from ms since the Unix epoch
   */
  goTo(from: number, markets: ReadonlySet<string>): void {
    const { clock, replays, advance, changed } = this.#context;
    if (!replays.all.some(({ market, left }) => !markets.has(market) && left > 0)) clock.forward(from);
    advance();
    changed();
  }

  /**
   * Replays everything as fast as possible. The clock is stopped, driven by the replay, and shows `until` (ms since the Unix
   * epoch) at the end. Simulated traders stand still meanwhile; customers are served. It ends early when `shouldContinue` gives false;
   * the rest then happens when the clock runs again.
   */
  async fastForward(until: number, shouldContinue: () => boolean): Promise<void> {
    const { clock, replays, advance, fastForward, durable } = this.#context;
    clock.stop();
    let step = FAST_FORWARD.first;
    while (replays.next < Number.POSITIVE_INFINITY) {
      const [end, left] = [Math.max(until, replays.next), replays.left];
      clock.forward(Math.min(replays.next + step, end));
      fastForward();
      step = left - replays.left > ROWS_AT_ONCE ? Math.ceil(step / 2) : Math.min(FAST_FORWARD.most, step * 2);
      // others are served in between
      await durable();
      if (!shouldContinue()) return;
    }
    clock.forward(until);
    fastForward();
    // the simulated traders of other markets quote again
    advance();
  }
}
