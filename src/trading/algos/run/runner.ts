import type { Host } from '../../../platform/host.js';
import type { GuardLimits } from '../../guards/limits.js';
import type { TradingContext } from '../../trading-context.js';
import { ChildrenInJournal } from '../children/children-in-journal.js';
import { takingDuplicates } from '../children/taken-duplicates.js';
import type { AccountFunds } from '../market/account-funds.js';
import type { MetCondition } from '../market/market-sight.js';
import type { WatchedMarketOptions } from '../market/watched-market.js';
import { STALE_MS } from '../plan/algo-market.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { AlgoStore } from '../record/store.js';
import type { AlgoEvent } from './algo-voice.js';
import { type ClaimOptions, claimWatch } from './claim-watch.js';
import { KnownLimits } from './known-limits.js';
import { OpenRecords } from './open-records.js';
import { RunningAlgo } from './running-algo.js';
import { LONGEST_TICK_MS, TickPause } from './tick-pause.js';
import { WatchedAccount } from './watched-account.js';

export interface AlgoRunnerOptions extends ClaimOptions {
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
  /** Whether somebody sees what is printed: what nobody sees does not count as reported. */
  readonly isSeen: boolean;
  /**
   * Whether the exchange and all that changes anything is in this process, on one clock: then data are never stale, and nothing is looked
   * for before it is due.
   */
  readonly isAlone: boolean;
}

/** How often it is looked for new facts, new algo orders and a halt. */
const LOOK_MS = 400;
/** How long a signal waits for what is under way. */
const STOP_MS = 5_000;
/** How often it is checked that there is room on the disk for a stop. */
const RESERVE_MS = 60_000;

/** Watches and trades all algo orders of an account, until none is left. */
export class AlgoRunner {
  readonly #options: AlgoRunnerOptions;

  readonly #algos = new Map<string, RunningAlgo>();
  readonly #records: OpenRecords;
  readonly #limits: KnownLimits;
  readonly #ending = new AbortController();
  /** Lasts until what was under way at the end is over. */
  #stopping: Promise<unknown> | undefined;
  readonly #pause: TickPause;
  #reservedAt = Number.NEGATIVE_INFINITY;
  #crash: unknown;

  constructor(options: AlgoRunnerOptions) {
    this.#options = options;
    this.#records = new OpenRecords(options);
    this.#pause = new TickPause(options.host, options.isAlone);
    this.#limits = new KnownLimits(options);
  }

  /** Sends nothing more, waits a moment for what is under way, and ends {@link run}. What rests at the exchange stays there. */
  async stop(): Promise<void> {
    if (!this.#ending.signal.aborted) for (const algo of this.#algos.values()) algo.keepSeen();
    this.#ending.abort();
    this.#pause.end();
    this.#stopping ??= Promise.all([...this.#algos.values()].map((algo) => algo.stop(STOP_MS)));
    await this.#stopping;
    this.#options.store.release();
  }

  /**
   * Works until nothing is left to do. Throws Failure `credentials` without keys, and `usage` if the disk fails or its folder is gone:
   * records that are gone with it have not ended.
   */
  async run(): Promise<void> {
    const { store } = this.#options;
    // keys are needed before this process says that it watches
    const account = new WatchedAccount(await this.#open(), {
      ...this.#options,
      fundsChanged: () => this.#wake(() => true),
    });
    try {
      do {
        if (!(await claimWatch(this.#options, this.#ending.signal))) return;
        await this.#watch(account);
        // until then, no other process watches
        await this.#stopping;
        if (!this.#ending.signal.aborted) store.requireClaim();
        // one that was made until now is seen by this process, or its maker sees that nobody watches
        store.release();
      } while (!this.#ending.signal.aborted && this.openIds.length > 0);
    } finally {
      store.release();
      account.markets.close();
    }
  }

  async #watch(account: WatchedAccount): Promise<void> {
    const { host } = this.#options;
    const { trading, markets, funds } = account;
    markets.awakeFromNow();
    let nextLook = 0;
    while (!this.#ending.signal.aborted) {
      markets.checkAwake();
      if (host.monotonic() >= nextLook) {
        await this.#look(account);
        nextLook = host.monotonic() + LOOK_MS;
        if (this.#algos.size === 0) return;
      }
      const changed = markets.tick();
      funds.tick();
      // a market that becomes stale, or fresh again, changes what is decided
      this.#wake(({ terms }) => changed.includes(terms.market.market));
      for (const algo of this.#algos.values()) algo.tick();
      await this.#pause.wait(trading.client.clockSpeed, () => this.#dueInMs(funds));
      if (this.#crash !== undefined) throw this.#crash;
    }
  }

  /** In how many milliseconds a process that is alone has something to do that nobody tells it of. */
  #dueInMs(funds: AccountFunds): number {
    const algos = [...this.#algos.values()].map(({ dueInMs }) => dueInMs);
    return Math.min(LONGEST_TICK_MS, funds.dueInMs, ...algos);
  }

  /** Algo orders that are new or have ended, facts of other processes, a halt. */
  async #look(account: WatchedAccount): Promise<void> {
    const { client } = account.trading;
    this.#removeEnded();
    account.markets.closeUnused();
    await this.#add(
      this.openIds.filter((id) => !this.#algos.has(id)),
      account,
    );
    for (const [id, algo] of this.#algos) this.#reloadIfChanged(id, algo);
    const isHalted = (await client.halt()) !== undefined;
    if (isHalted) for (const algo of this.#algos.values()) algo.pause('halt', 'the account is halted');
    // the next child waits for no handshake
    else if (this.#algos.size > 0) client.prepareWrite();
    this.#keepReserve();
    await this.#limits.keepKnown();
  }

  /** The ids of the algo orders that have not ended and can be read. */
  get openIds(): string[] {
    return this.#records.ids;
  }

  #removeEnded(): void {
    for (const [id, algo] of this.#algos) {
      // without its record, nothing may follow
      const isGone = this.#options.store.sizeOf(id) === undefined;
      if (!algo.isOver && !isGone) continue;
      this.#drop(id, algo);
      this.#options.store.putAway(id);
    }
  }

  #drop(id: string, algo: RunningAlgo): void {
    void algo.stop(0);
    this.#algos.delete(id);
    this.#records.forget(id);
    algo.market.remove(algo);
  }

  async #add(ids: readonly string[], { trading: main, markets, funds }: WatchedAccount): Promise<void> {
    const records = this.#records.begin(ids);
    if (records.length === 0) return;
    const since = Math.min(...records.map(({ facts }) => facts.began.time));
    // the clock of the exchange may be another one, so the machine's own counts for the journal
    const journal = new ChildrenInJournal(main.journal, Math.min(since, this.#options.host.now()));
    for (const record of records) {
      const { facts, said } = record;
      const { terms } = facts.began;
      const market = markets.of(terms.market.market);
      const trading = await this.#open();
      // it is read before this process writes it again
      const seen = this.#options.store.notes.seenOf(record.id);
      const algo: RunningAlgo = new RunningAlgo(
        {
          store: this.#options.store,
          terms,
          market,
          funds,
          trading,
          limits: () => this.#limits.current(),
          knownLimits: () => this.#limits.known,
          isAlone: this.#options.isAlone,
          report: this.#options.report,
          worked: () => this.#pause.endIn(algo.dueInMs),
          failed: (thrown) => {
            this.#crash ??= thrown;
          },
        },
        facts,
        journal.toContinue(record),
        said,
      );
      this.#algos.set(record.id, algo);
      if (algo.waitsForCondition)
        void this.#options.waitForCondition(terms, (met) => algo.meet(met), this.#ending.signal);
      // a clock that was set back since says nothing
      const since = Math.max(record.lastFactTime, seen <= market.now() ? seen : 0);
      // until then, another process watched it or followed its trail
      const wasWatched = since === seen || facts.trailBest !== null;
      market.add(algo, { since, leastMs: wasWatched ? 0 : STALE_MS });
      algo.changed();
    }
  }

  #reloadIfChanged(id: string, algo: RunningAlgo): void {
    const facts = this.#records.changed(id, algo.facts);
    // what it would do rests on a record that is damaged by now
    if (facts === undefined && this.#records.isDamaged(id)) this.#drop(id, algo);
    else if (facts !== undefined) algo.reload(facts);
  }

  /** On a disk that is still full, it would only take the room again that a stop needs now. */
  #keepReserve(): void {
    const { host, store } = this.#options;
    if (host.monotonic() - this.#reservedAt < RESERVE_MS) return;
    this.#reservedAt = host.monotonic();
    store.reserve.keep();
  }

  #wake(isWoken: (algo: RunningAlgo) => boolean): void {
    for (const algo of this.#algos.values()) if (isWoken(algo)) algo.changed();
  }

  async #open(): Promise<TradingContext> {
    return takingDuplicates(await this.#options.open(), (id) => this.#algos.get(id), this.#options);
  }
}
