import { Failure } from '../../../errors.js';
import type { Exchange } from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';
import type { GuardLimits } from '../../guards/limits.js';
import type { DuplicateOrders } from '../../settling/duplicates.js';
import type { TradingContext } from '../../trading-context.js';
import type { AlgoTerms } from '../plan/terms.js';
import { parentOf } from '../record/child-name.js';
import type { FactRecord } from '../record/fact-record.js';
import type { AlgoStore } from '../record/store.js';
import type { Watcher } from '../record/watchers.js';
import { AccountFunds } from './account-funds.js';
import { STALE_MS } from './algo-market.js';
import type { AlgoEvent } from './algo-voice.js';
import { ChildrenInJournal } from './children-in-journal.js';
import type { MetCondition } from './market-sight.js';
import { RunningAlgo } from './running-algo.js';
import { WatchedMarket, type WatchedMarketOptions } from './watched-market.js';

export interface AlgoRunnerOptions {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'random' | 'sleep'>;
  readonly store: AlgoStore;
  /** Makes what trading works with. Each has a time of its own, which its user restarts. */
  readonly open: () => Promise<TradingContext>;
  /** The limits as they are now. Throws Failure `usage` if the profile has other hosts or keys by now, and `credentials`. */
  readonly limits: () => Promise<GuardLimits>;
  readonly follow: WatchedMarketOptions['follow'];
  /** Waits for a condition of an entry, and calls back when one holds. Never throws a Failure. */
  readonly waitForCondition: (terms: AlgoTerms, met: (met: MetCondition) => void, signal: AbortSignal) => Promise<void>;
  readonly report: (event: AlgoEvent) => void;
  readonly warn: (message: string) => void;
  /** Called with another process that watches already, and again when it was stopped or continued. */
  readonly other: (watcher: Watcher) => void;
  /** Whether to wait for the end of another process that watches. */
  readonly waitsForOther: boolean;
  /** Whether somebody sees what is printed: what nobody sees does not count as reported. */
  readonly isSeen: boolean;
  /** Only these algo orders. Absent: all, and those that are made meanwhile. */
  readonly only?: ReadonlySet<string> | undefined;
  /**
   * Whether the exchange and all that changes anything is in this process, on one clock: then data are never stale, and nothing is looked
   * for before it is due.
   */
  readonly isAlone?: boolean;
}

/** Between two looks at what is due, in milliseconds. */
const TICK_MS = 200;
/** In a rehearsed program, whose exchange has a faster clock. */
const SHORTEST_TICK_MS = 10;
/** The longest pause of a process that is alone. */
const LONGEST_TICK_MS = 3_600_000;
/** How often it is looked for new facts, new algo orders and a halt. */
const LOOK_MS = 400;
/** How often it is tried to become the one that watches. */
const CLAIM_MS = 1_000;
/** Of processes that claim at the same moment, each may see another and give way. So each tries again so often, after a pause by chance. */
const CLAIM_TRIES = 4;
const LONGEST_CLAIM_PAUSE_MS = 400;
/** How long a signal waits for what is under way. */
const STOP_MS = 5_000;
/** How often limits are read. They are asked again when a child leaves. */
const LIMITS_MS = 10_000;
/** How often it is checked that there is room on the disk for a stop. */
const RESERVE_MS = 60_000;
/** Watches and trades all algo orders of an account, until none is left. */
export class AlgoRunner {
  readonly #options: AlgoRunnerOptions;

  readonly #algos = new Map<string, RunningAlgo>();
  readonly #sizes = new Map<string, number>();
  readonly #markets = new Map<string, WatchedMarket>();
  readonly #isFresh = new Map<string, boolean>();
  readonly #ending = new AbortController();
  /** Lasts until what was under way at the end is over. */
  #stopping: Promise<unknown> | undefined;
  /** Ends the pause between two ticks. */
  #pause = new AbortController();
  #tickAt = 0;
  #damaged = new Set<string>();
  #funds: AccountFunds | undefined;
  #main: TradingContext | undefined;
  #limits: GuardLimits | undefined;
  #limitsAt = Number.NEGATIVE_INFINITY;
  #reservedAt = Number.NEGATIVE_INFINITY;
  #isHalted = false;
  #awake: { readonly at: number; readonly wall: number } | undefined;
  #crash: unknown;

  constructor(options: AlgoRunnerOptions) {
    this.#options = options;
  }

  /** Sends nothing more, waits a moment for what is under way, and ends {@link run}. What rests at the exchange stays there. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#pause.abort();
    this.#stopping ??= Promise.all([...this.#algos.values()].map((algo) => algo.stop(STOP_MS)));
    await this.#stopping;
    this.#options.store.release();
  }

  /** Works until nothing is left to do. Throws Failure `credentials` without keys, and `usage` if the disk fails. */
  async run(): Promise<void> {
    const { store } = this.#options;
    // keys are needed before this process says that it watches
    this.#main = await this.#open();
    this.#funds = new AccountFunds(
      this.#options.host,
      this.#main.client,
      () => this.#main?.budget.restart(),
      () => this.#wakeAll(),
    );
    try {
      do {
        if (!(await this.#claim())) return;
        await this.#watch();
        // until then, no other process watches
        await this.#stopping;
        // one that was made until now is seen by this process, or its maker sees that nobody watches
        store.release();
      } while (!this.#ending.signal.aborted && this.openIds.length > 0);
    } finally {
      store.release();
      for (const market of this.#markets.values()) market.close();
    }
  }

  async #claim(): Promise<boolean> {
    const { store, other, waitsForOther, host } = this.#options;
    let said = '';
    for (let tries = 1; !this.#ending.signal.aborted; tries += 1) {
      const owner = store.claim();
      if (owner === undefined) return true;
      if (tries < CLAIM_TRIES) {
        await host.sleep(host.random() * LONGEST_CLAIM_PAUSE_MS, this.#ending.signal);
        continue;
      }
      const watcher = `${owner.pid} ${owner.isStopped}`;
      if (said !== watcher) other(owner);
      said = watcher;
      if (!waitsForOther) return false;
      await host.sleep(CLAIM_MS, this.#ending.signal);
    }
    return false;
  }

  async #watch(): Promise<void> {
    const { host } = this.#options;
    this.#awake = undefined;
    let nextLook = 0;
    while (!this.#ending.signal.aborted) {
      this.#checkAwake();
      if (host.monotonic() >= nextLook) {
        await this.#look();
        nextLook = host.monotonic() + LOOK_MS;
        if (this.#algos.size === 0) return;
      }
      for (const market of this.#markets.values()) market.tick();
      this.#funds?.tick();
      this.#wakeChangedMarkets();
      for (const algo of this.#algos.values()) algo.tick();
      await this.#untilDue();
      if (this.#crash !== undefined) throw this.#crash;
    }
  }

  /** Waits for the next tick. */
  async #untilDue(): Promise<void> {
    const { host, isAlone } = this.#options;
    const tickMs = Math.max(SHORTEST_TICK_MS, TICK_MS / (this.#main?.client.clockSpeed ?? 1));
    const pauseMs = isAlone === true ? Math.max(TICK_MS, this.#dueInMs) : tickMs;
    this.#tickAt = host.monotonic() + pauseMs;
    this.#pause = new AbortController();
    if (this.#ending.signal.aborted) return;
    await host.sleep(pauseMs, this.#pause.signal);
  }

  /** In how many milliseconds a process that is alone has something to do that nobody tells it of. */
  get #dueInMs(): number {
    const algos = [...this.#algos.values()].map(({ dueInMs }) => dueInMs);
    return Math.min(LONGEST_TICK_MS, this.#funds?.dueInMs ?? LONGEST_TICK_MS, ...algos);
  }

  /** An algo order has done what it could: it may have ended, or have something to do earlier than was known. */
  #worked({ dueInMs }: RunningAlgo): void {
    if (this.#options.isAlone === true && this.#options.host.monotonic() + dueInMs < this.#tickAt) this.#pause.abort();
  }

  /** After a sleep of the machine, or of this process, what is known is of the time before. */
  #checkAwake(): void {
    const { host, isAlone } = this.#options;
    if (isAlone === true) return;
    const now = { at: host.monotonic(), wall: host.now() };
    const before = this.#awake;
    this.#awake = now;
    if (before === undefined) return;
    const sleptMs = Math.max(now.at - before.at, now.wall - before.wall);
    if (sleptMs <= STALE_MS) return;
    for (const market of this.#markets.values()) market.resynchronise();
    // the answer shows the exchange's time: this machine's clock may have been set
    this.#funds?.request();
  }

  /** Algo orders that are new or have ended, facts of other processes, a halt. */
  async #look(): Promise<void> {
    this.#removeEnded();
    const added = this.openIds.filter((id) => !this.#algos.has(id));
    if (added.length > 0) await this.#add(added);
    for (const [id, algo] of this.#algos) this.#reloadIfChanged(id, algo);
    await this.#checkHalt();
    // the next child waits for no handshake
    if (this.#algos.size > 0 && !this.#isHalted) this.#main?.client.prepareWrite();
    this.#keepReserve();
    await this.#readLimits();
  }

  /** The ids of the algo orders that have not ended and can be read. */
  get openIds(): string[] {
    const { store, only } = this.#options;
    return store.openIds().filter((id) => !this.#damaged.has(id) && (only?.has(id) ?? true));
  }

  #removeEnded(): void {
    for (const [id, algo] of this.#algos) {
      // without its record, nothing may follow
      const isGone = this.#options.store.sizeOf(id) === undefined;
      if (!algo.isOver && !isGone) continue;
      this.#drop(id, algo);
      this.#options.store.putAway(id);
    }
    for (const [name, market] of this.#markets) {
      if (market.isUsed) continue;
      market.close();
      this.#markets.delete(name);
    }
  }

  #drop(id: string, algo: RunningAlgo): void {
    void algo.stop(0);
    this.#algos.delete(id);
    this.#sizes.delete(id);
    const market = this.#markets.get(algo.terms.market.market);
    market?.remove(algo);
  }

  async #add(ids: readonly string[]): Promise<void> {
    const { store } = this.#options;
    const records = ids.flatMap((id) => this.#recordOf(id) ?? []);
    if (records.length === 0) return;
    const main = this.#main as TradingContext;
    const since = Math.min(...records.map(({ facts }) => facts?.began.time ?? 0));
    // the clock of the exchange may be another one, so the machine's own counts for the journal
    const journal = new ChildrenInJournal(main.journal, Math.min(since, this.#options.host.now()));
    for (const record of records) {
      const { facts, said } = record;
      if (facts === undefined) continue;
      if (record.torn > 0)
        this.#options.warn(`A line of the record of the algo order ${record.id} was cut off and is ignored.`);
      if (facts.ended !== null) {
        store.putAway(record.id);
        continue;
      }
      const { terms } = facts.began;
      const market = this.#marketOf(terms.market.market);
      const trading = await this.#open();
      const algo: RunningAlgo = new RunningAlgo(
        {
          store,
          terms,
          market,
          funds: this.#funds as AccountFunds,
          trading,
          limits: async () => this.#currentLimits(),
          knownLimits: () => this.#limits,
          isAlone: this.#options.isAlone === true,
          report: this.#options.report,
          worked: () => this.#worked(algo),
          failed: (thrown) => {
            this.#crash ??= thrown;
          },
        },
        facts,
        journal.toContinue(record),
        said,
      );
      this.#algos.set(record.id, algo);
      market.add(algo);
      if (terms.when.length > 0 && algo.waitsForCondition)
        void this.#options.waitForCondition(terms, (met) => algo.meet(met), this.#ending.signal);
      const unseenSince = record.lastFactTime;
      if (market.now() - unseenSince > STALE_MS) market.reportGap({ from: unseenSince, to: market.now() }, [algo]);
      algo.changed();
    }
  }

  #recordOf(id: string): FactRecord | undefined {
    const { store, warn } = this.#options;
    // before it is read: what another process adds from here on is a change
    this.#sizes.set(id, store.sizeOf(id) ?? 0);
    try {
      const record = store.read(id);
      if (record === undefined) return undefined;
      if (record.facts !== undefined) return record;
      warn(`NOT PROTECTED: nothing is done for the algo order ${id}: ${record.problem}.`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(`NOT PROTECTED: the record of the algo order ${id} cannot be read: ${error.message}`);
    }
    this.#damaged.add(id);
    return undefined;
  }

  #reloadIfChanged(id: string, algo: RunningAlgo): void {
    const { store } = this.#options;
    const size = store.sizeOf(id);
    if (size === undefined || size === this.#sizes.get(id)) return;
    const facts = this.#recordOf(id)?.facts;
    if (facts === undefined) {
      // what it would do rests on a record that is damaged by now
      if (this.#damaged.has(id)) this.#drop(id, algo);
      return;
    }
    const known = algo.facts;
    const isOther =
      facts.paused?.time !== known.paused?.time ||
      facts.resumed?.time !== known.resumed?.time ||
      (facts.cancelled === null) !== (known.cancelled === null);
    if (isOther) algo.reload(facts);
  }

  async #checkHalt(): Promise<void> {
    const halt = await this.#main?.client.halt();
    this.#isHalted = halt !== undefined;
    if (!this.#isHalted) return;
    for (const algo of this.#algos.values()) algo.pause('halt', 'the account is halted');
  }

  /** On a disk that is still full, it would only take the room again that a stop needs now. */
  #keepReserve(): void {
    const { host, store } = this.#options;
    if (host.monotonic() - this.#reservedAt < RESERVE_MS) return;
    this.#reservedAt = host.monotonic();
    store.keepReserve();
  }

  async #readLimits(): Promise<void> {
    const { host, warn } = this.#options;
    if (host.monotonic() - this.#limitsAt < LIMITS_MS) return;
    this.#limitsAt = host.monotonic();
    try {
      await this.#currentLimits();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(error.message);
    }
  }

  async #currentLimits(): Promise<GuardLimits> {
    this.#limits = await this.#options.limits();
    return this.#limits;
  }

  #marketOf(name: string): WatchedMarket {
    const known = this.#markets.get(name);
    if (known !== undefined) return known;
    const { host, follow, warn } = this.#options;
    const main = this.#main as TradingContext;
    const client: Exchange = main.client;
    const restartBudget = () => main.budget.restart();
    const made = new WatchedMarket({
      ...{ host, market: name, client, restartBudget, follow, warn },
      staleAfterMs: this.#options.isAlone === true ? Number.POSITIVE_INFINITY : STALE_MS,
      checkAwake: () => this.#checkAwake(),
    });
    this.#markets.set(name, made);
    made.start();
    return made;
  }

  /** A market that becomes stale, or fresh again, changes what is decided. */
  #wakeChangedMarkets(): void {
    for (const [name, market] of this.#markets) {
      if (this.#isFresh.get(name) === market.isFresh) continue;
      this.#isFresh.set(name, market.isFresh);
      for (const algo of this.#algos.values()) if (algo.terms.market.market === name) algo.changed();
    }
  }

  #wakeAll(): void {
    for (const algo of this.#algos.values()) algo.changed();
  }

  async #open(): Promise<TradingContext> {
    const trading = await this.#options.open();
    return {
      ...trading,
      orderPushes: undefined,
      reportDuplicateOrders: (duplicates) => {
        this.#duplicated(duplicates);
        if (this.#options.isSeen) trading.reportDuplicateOrders(duplicates);
        else if (duplicates.some(({ writeId }) => parentOf(writeId) === undefined))
          throw new Failure('partial', 'Duplicates are left to a command whose output somebody sees.');
      },
    };
  }

  /** An algo order that is at work counts its duplicates. The record of one that has ended keeps them for `pit algo show`. */
  #duplicated(duplicates: readonly DuplicateOrders[]): void {
    const { store, warn } = this.#options;
    for (const report of duplicates) {
      const parent = parentOf(report.writeId);
      if (parent === undefined) continue;
      const algo = this.#algos.get(parent);
      algo?.duplicated([report]);
      const orders = report.ids.join(', ');
      const said = `THE NETWORK MADE AN ORDER TWICE after this algo order had ended: ${orders}. See it: pit algo show ${parent}`;
      if (algo !== undefined) continue;
      warn(`${parent}: ${said}`);
      store.addLine(parent, { said, time: this.#main?.client.now() ?? 0 });
      const { writeId: duplicateOf, shown, isProven } = report;
      for (const order of shown) store.addLine(parent, { duplicateOf, order, isProven });
    }
  }
}
