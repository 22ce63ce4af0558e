import {
  type Customer,
  Customers,
  FIRST_ACCOUNT,
  type Granted,
  INITIAL_BALANCES,
  isSimulated,
  type Secrets,
} from '../accounts/accounts.js';
import { BillBook } from '../accounts/bills.js';
import { Ledger } from '../accounts/ledger.js';
import { diskTrouble, UnreadableStore } from '../failures.js';
import { FundsService } from '../funds/funds-service.js';
import { MarginService } from '../margin/margin-service.js';
import { type CoinRules, coinsOf } from '../markets/coins.js';
import type { SandboxMarket } from '../markets/market.js';
import { OrderRepository } from '../orders/order-repository.js';
import { lastPrice, OrderService, type TradedMarket } from '../orders/order-service.js';
import { Sequences } from '../orders/sequences.js';
import { RequestRefused } from '../refusals.js';
import { RecordedMarkets } from '../replay/recorded-markets.js';
import { type ReplayRow, Replays } from '../replay/replays.js';
import { Scheduler } from '../scheduler.js';
import { MarketSimulator, PriceMoves } from '../simulator/market-simulator.js';
import { Store } from '../store/store.js';
import { Changes } from './changes.js';
import { Clock } from './clock.js';
import { MarketService } from './market-service.js';
import { genesisState, type ReplayGenesis, type State } from './state.js';
import { Venues } from './venues.js';

export interface ExchangeOptions {
  /** Where the state is kept; made if it is missing. Only one exchange at a time may have it open. */
  readonly directory: string;
  /** Used if the directory is empty; afterwards the stored one applies. */
  readonly seed: number;
  /** The machine's clock, which the exchange's clock follows until it is driven: ms since the Unix epoch. */
  readonly now: () => number;
  /** Used if the directory is empty; afterwards the stored one applies. */
  readonly firstAccount: Secrets;
  /** What the first account gets, by coin, if the directory is empty (default: some of every coin). */
  readonly firstBalances?: Readonly<Record<string, string>> | undefined;
  /** When the exchange begins, if the directory is empty and it is not to begin in the present. */
  readonly replayGenesis?: ReplayGenesis | undefined;
  /** How far the candles before the first trade reach back, in ms (default: 21 days). */
  readonly historyMs?: number | undefined;
  /** Whether the directory is never opened again: then nothing waits for the disk. */
  readonly isTemporary?: boolean | undefined;
}

/**
 * How long changes that only concern simulated traders may wait for a commit. They are deterministic, so a lost step is
 * repeated.
 */
const IDLE_COMMIT = 2_000;
/**
 * An exchange with markets, simulated traders and customers: a service for each noun, made over one state, and what happens as
 * time passes.
 *
 * Prices, amounts and ids are decimal text outside; ticks, lots and units inside. Times are ms since the Unix epoch.
 */
export class SandboxExchange {
  readonly markets: ReadonlyMap<string, SandboxMarket>;
  readonly customers: Customers;
  readonly orders: OrderService;
  readonly funds: FundsService;
  readonly margin: MarginService;
  readonly market: MarketService;
  readonly clock: Clock;
  /** Reports what changes, to those who listen. */
  readonly changes = new Changes();
  readonly ledger: Ledger;
  /** The markets that follow a recording. */
  readonly replay: RecordedMarkets;
  readonly replays: Replays;
  readonly #sequences: Sequences;
  #coins: ReadonlyMap<string, CoinRules> | undefined;
  readonly #simulator: MarketSimulator;

  private constructor(
    readonly store: Store<State>,
    readonly state: State,
    { now, historyMs }: ExchangeOptions,
  ) {
    this.clock = new Clock(now, state.clock ?? undefined, (driven) => {
      state.clock = driven;
      store.commitSoon();
    });
    this.ledger = new Ledger(state.balances, (name) => {
      store.touch();
      this.changes.balance(name);
    });
    this.#sequences = new Sequences(state.sequence);
    this.customers = new Customers(state.customers);
    const bills = new BillBook(store, this.ledger, this.#sequences);
    const venues = new Venues(store, state, historyMs);
    const { markets, traded } = venues;
    this.markets = markets;
    const { clock, changes, ledger } = this;
    this.margin = new MarginService(ledger, bills, markets, (market) => lastPrice(traded.get(market)), clock, store);
    const orders = new OrderRepository(store, markets);
    this.orders = new OrderService({
      orders,
      venues: traded,
      ledger,
      bills,
      sequences: this.#sequences,
      margin: this.margin,
      timers: new Scheduler(state.cancelTimers),
      changes,
      clock,
      store,
    });
    this.funds = new FundsService({
      state,
      store,
      ledger,
      bills,
      sequences: this.#sequences,
      customers: this.customers,
      coins: () => this.coins,
      clock,
    });
    this.market = new MarketService(traded, clock.now);
    this.replays = new Replays(state.replays, store.table<ReplayRow>('replayRows'));
    this.#simulator = new MarketSimulator(
      state.genesis.seed,
      venues.simulated,
      this.orders,
      ledger,
      state.simulator,
      new PriceMoves(state.priceMoves),
      (market) => this.#isReplayed(market),
    );
    this.replay = new RecordedMarkets(state.recordings, traded, this.orders, this.#simulator, (market) => {
      if (venues.add(market)) this.#marketAdded();
    });
    this.#restore(orders, traded);
  }

  get coins(): ReadonlyMap<string, CoinRules> {
    this.#coins ??= coinsOf(this.markets.values());
    return this.#coins;
  }

  /** Opens the exchange of a directory, or makes one there. Rejects with UnreadableStore and the system's errors. */
  static async open(options: ExchangeOptions): Promise<SandboxExchange> {
    const exchange = SandboxExchange.opened(options);
    try {
      exchange.advance();
      await exchange.durable();
      return exchange;
    } catch (cause) {
      await exchange.store.abandon();
      throw isDamage(cause) ? openingError(cause) : cause;
    }
  }

  /** The same at the time of its last commit. */
  static opened(options: ExchangeOptions): SandboxExchange {
    const store = Store.open<State>(options.directory, options.isTemporary);
    try {
      const { state } = store;
      store.state ??= genesisState(options);
      const exchange = new SandboxExchange(store, store.state, options);
      if (state === undefined) exchange.#begin(options);
      for (const [coin, sum] of exchange.ledger.sums())
        if (sum !== 0n) throw new UnreadableStore(`the stored ${coin} is out of balance: ${sum}`);
      return exchange;
    } catch (cause) {
      void store.abandon();
      throw openingError(cause);
    }
  }

  /** Lets everything happen that is due by now. */
  advance(): void {
    this.#runUntil(this.clock.now(), (moment) => this.#simulator.advance(moment));
  }

  /** The same, except that simulated traders stand still: only replays and what customers asked for happen. */
  fastForward(): void {
    this.#runUntil(this.clock.now(), (moment) => this.#simulator.skip(moment));
  }

  /** A new account without balances. Throws UsernameTaken. */
  addAccount(secrets: Secrets, permissions: Granted): Customer {
    const customer = this.customers.add(secrets, permissions);
    this.funds.seed(customer.id);
    this.store.commitSoon();
    return customer;
  }

  /**
   * Has the simulated traders of a market lead its price to another, decimal text, within `ms`. Throws {@link RequestRefused} for an
   * impossible price, and if the market follows a recording.
   */
  movePrice(market: SandboxMarket, price: string, ms: number): void {
    if (this.#isReplayed(market.name)) throw new RequestRefused('cannotTrade', `${market.name} follows a recording`);
    this.#simulator.movePrice(market.name, Number(market.ticks(price)), ms);
    this.store.commitSoon();
  }

  /** How many ms of the machine's clock until something happens without a request; undefined while the clock is stopped. */
  get dueIn(): number | undefined {
    const { shown, speed, stopped } = this.clock.state;
    return stopped ? undefined : Math.max(0, (Math.min(this.#nextDue(), this.#simulator.next) - shown) / speed);
  }

  /** Resolves when what is sent now arrives. No time passes while the clock is stopped, except where only its owner drives it. */
  async arrival(): Promise<void> {
    const { latency, genesis } = this.state;
    if (latency > 0) await this.clock.passes(latency, genesis.isAlone);
  }

  /** Tells it from the one after a reset: the seed of its markets and when they began. */
  get name(): string {
    const { seed, start } = this.state.genesis;
    return `${seed}-${start}`;
  }

  /** Whether the disk failed. What has happened since is in memory only and ends with this process. */
  get isFailing(): boolean {
    return this.store.isFailing;
  }

  /** Resolves when everything before the call survives a kill and a loss of power. Rejects with NotWritten. */
  durable(): Promise<void> {
    return this.store.durable();
  }

  status(): { time: number; markets: number; accounts: number; orders: number; trades: number } {
    return {
      time: this.clock.now(),
      markets: this.markets.size,
      accounts: this.customers.all().length,
      orders: this.orders.openCount,
      trades: this.#sequences.trades,
    };
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Whether a market follows a recording, or waits for one. */
  #isReplayed(market: string): boolean {
    const { genesis, recordings } = this.state;
    return genesis.emptyMarkets.includes(market) || this.replays.has(market) || recordings.has(market);
  }

  #restore(orders: OrderRepository, venues: ReadonlyMap<string, TradedMarket>): void {
    // ids increase with time, so their order also restores time priority
    for (const order of orders.restore()) {
      venues.get(order.market.name)?.book.restore(order);
      if (isSimulated(order.account)) this.#simulator.restore(order);
    }
  }

  /** A tape has brought a market. */
  #marketAdded(): void {
    this.#coins = undefined;
    this.store.commitSoon();
  }

  /** A new exchange: its first account, and the market before it is first seen. */
  #begin({ firstAccount, firstBalances }: ExchangeOptions): void {
    this.customers.add(firstAccount);
    const coins = new Set([...this.markets.values()].flatMap(({ base, quote }) => [base, quote]));
    const initial = Object.entries(INITIAL_BALANCES).filter(([coin]) => coins.has(coin));
    this.funds.seed(FIRST_ACCOUNT, firstBalances ?? Object.fromEntries(initial));
    this.#simulator.begin(this.clock.now());
    this.state.simulator = this.#simulator.state;
    this.store.touch();
  }

  #runUntil(time: number, simulate: (moment: number) => boolean): void {
    for (let moment = this.#nextDue(); moment <= time; moment = this.#nextDue()) {
      simulate(moment);
      this.orders.advance(moment);
      this.funds.advance(moment);
      for (const [market, update] of this.replays.takeDue(moment)) this.replay.apply(market, update);
      this.store.commitSoon();
    }
    if (simulate(time)) {
      this.state.simulator = this.#simulator.state;
      this.store.touch();
    }
    this.store.commitWithin(IDLE_COMMIT);
  }

  /** When the next timer, withdrawal or replayed row is due; Infinity if none is. */
  #nextDue(): number {
    return Math.min(this.orders.next, this.funds.next, this.replays.next);
  }
}

/** Whether LMDB reports it of its own data: the system's codes are not negative. */
function isDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (!('code' in thrown)) return isDamage(thrown.cause);
  return typeof thrown.code === 'number' && thrown.code < 0;
}

/** The error to throw if an exchange cannot be opened. */
function openingError(cause: unknown): unknown {
  if (cause instanceof UnreadableStore || diskTrouble(cause) !== undefined) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UnreadableStore(`damaged, or written by another version of pit (${reason})`, { cause });
}
