import type { BestPrices } from '../../../domain/book.js';
import type { Trade } from '../../../domain/market-data.js';
import type { OrderUpdate } from '../../../exchange/exchange.js';
import type { DuplicateOrders } from '../../settling/duplicates.js';
import { ChildBook } from '../children/child-book.js';
import type { ChildOrder } from '../children/child-order.js';
import type { Gap, GapPrices } from '../market/gap-prices.js';
import { MarketSight, type MarketSightOptions, type MetCondition } from '../market/market-sight.js';
import type { WatchedMarket } from '../market/watched-market.js';
import type { ChildRole } from '../plan/children.js';
import { currentTerms } from '../plan/current-terms.js';
import { decide } from '../plan/decide.js';
import { nextStep } from '../plan/next-step.js';
import { isQuiet, type QuietRange, quietRange } from '../plan/quiet-range.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { SaidLine } from '../record/fact-record.js';
import type { AlgoFacts, AlgoState, PauseCause } from '../record/facts.js';
import { type AlgoSnapshot, snapshotOf } from '../record/snapshot.js';
import { AlgoSteps, type AlgoStepsOptions } from './algo-steps.js';
import { type AlgoEvent, AlgoVoice } from './algo-voice.js';

export interface RunningAlgoOptions extends AlgoStepsOptions, Omit<MarketSightOptions, 'host' | 'endingGap'> {
  /** Whether the exchange is in this process: nothing that it pushes is ever lost. */
  readonly isAlone: boolean;
  readonly report: (event: AlgoEvent) => void;
  /** Called when it has done what it can for now. */
  readonly worked: () => void;
}

/**
 * One algo order at work: a loop over what is seen ({@link MarketSight}), what is there ({@link ChildBook}), what is done ({@link AlgoSteps})
 * and what is said ({@link AlgoVoice}). It looks at once whenever something has changed, and decides what follows. Nothing of that waits:
 * requests run beside it, and each ends with another look.
 */
export class RunningAlgo {
  readonly #options: RunningAlgoOptions;
  readonly terms: AlgoTerms;
  readonly #sight: MarketSight;
  readonly #book: ChildBook;
  readonly #voice: AlgoVoice;
  readonly #steps: AlgoSteps;
  #isLooking = false;
  #isWoken = false;
  #isStopped = false;
  #isOver = false;
  /** When it looks again if nothing happens, by the exchange's clock. */
  #until: number | null = null;
  /** While it waits: which books change nothing. */
  #quiet: QuietRange | null = null;

  constructor(
    options: RunningAlgoOptions,
    facts: AlgoFacts,
    children: readonly ChildOrder[],
    said: readonly SaidLine[],
  ) {
    [this.#options, this.terms] = [options, options.terms];
    const { trading, store, market, report, terms } = options;
    const { host } = trading;
    this.#sight = new MarketSight({ ...options, host, endingGap: () => market.endingGap(this) }, terms);
    this.#book = new ChildBook(trading, store, terms, children, {
      changed: this.changed,
      seen: (child) => this.#voice.tellFills(child),
      missing: ({ orderId, role }) =>
        this.pause('missing', `the exchange does not show order ${orderId} any more`, role),
      failed: options.failed,
      isPushSure: options.isAlone,
    });
    this.#voice = new AlgoVoice({ host, store, market, report, snapshot: () => this.snapshot }, terms, said, children);
    const parts = { book: this.#book, voice: this.#voice, sight: this.#sight, changed: this.changed };
    this.#steps = new AlgoSteps(options, parts, facts);
  }

  get id(): string {
    return this.terms.id;
  }

  get facts(): AlgoFacts {
    return this.#steps.facts;
  }

  get market(): WatchedMarket {
    return this.#options.market;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get children(): ChildOrder[] {
    return this.#book.orders;
  }

  get state(): AlgoState {
    return this.#voice.state;
  }

  get snapshot(): AlgoSnapshot {
    const { state, reason, unsentSince, lines } = this.#voice;
    const now = this.facts.ended === null ? { state, reason, unsentSince } : undefined;
    return snapshotOf(this.facts, this.children, lines, now);
  }

  /** Whether its conditions are still waited for. */
  get waitsForCondition(): boolean {
    const { cancelled, entryTriggered } = this.facts;
    return this.terms.when.length > 0 && cancelled === null && entryTriggered === null;
  }

  /** Something has changed: it looks at once. */
  readonly changed = (): void => {
    this.#quiet = null;
    this.#isWoken = true;
    if (this.#isLooking || this.#isStopped || this.#isOver) return;
    this.#isLooking = true;
    try {
      while (this.#isWoken && !this.#isStopped && !this.#isOver) {
        this.#isWoken = false;
        this.#steps.woke();
        while (this.#step());
        if (!this.#isOver)
          for (const begun of this.#book.work(this.facts.exitTriggered !== null)) this.#steps.follow(begun);
      }
      // an order that is about to leave does not wait for it
      if (this.#steps.isIdle && !this.#isStopped && !this.#isOver) this.#voice.keepStatus(this.facts);
    } catch (thrown) {
      this.#options.failed(thrown);
    } finally {
      this.#isLooking = false;
    }
    this.#options.worked();
  };

  isUnmovedBy(best: BestPrices): boolean {
    return this.#quiet !== null && isQuiet(this.#quiet, this.terms, best);
  }

  traded(trades: readonly Trade[]): void {
    this.#sight.traded(trades, this.facts);
  }

  /** Own orders of the market have changed. */
  orders(orders: readonly OrderUpdate[]): void {
    this.#book.pushed(orders);
  }

  gapEnded(gap: Gap): void {
    this.#sight.gapEnded(gap, this.facts);
    this.#quiet = null;
  }

  gapRead(prices: GapPrices): void {
    this.#sight.gapRead(prices, this.facts);
    this.#quiet = null;
  }

  meet(met: MetCondition): void {
    this.#sight.meet(met);
    this.changed();
  }

  /** Takes orders that the network made twice, as somebody has found them. */
  duplicated(reports: readonly DuplicateOrders[]): void {
    this.#book.duplicated(reports);
    this.changed();
  }

  /** Takes the facts as they are on disk: another process may have added one. */
  reload(facts: AlgoFacts): void {
    this.#steps.reload(facts);
  }

  /** In how many milliseconds {@link tick} has something to do; infinity if only what comes changes something. */
  get dueInMs(): number {
    if (this.#isOver) return 0;
    const now = this.#options.trading.host.monotonic();
    const until = this.#until === null ? Number.POSITIVE_INFINITY : this.#until - this.#options.market.now();
    const times = [this.#book.dueAt, this.#steps.dueAt];
    return Math.max(0, Math.min(until, ...times.map((time) => time - now)));
  }

  /** Called often. */
  tick(): void {
    if (this.#isOver) return;
    const isDue = this.dueInMs <= 0 || this.#options.trading.host.monotonic() >= this.#voice.dueAt;
    if (isDue) this.changed();
    if (!this.#isOver) this.#voice.keepStatus(this.facts);
  }

  /** Pauses it, unless it is paused. @param role that of the child which is held back; null: everything is */
  pause(cause: PauseCause, reason: string, role: ChildRole | null = null): void {
    this.#steps.pause(cause, reason, role);
  }

  /** This process ends in order: says until when it has seen the market, if nothing that it saw has yet to be written. */
  keepSeen(): void {
    const { seenUntil } = this.market;
    if (this.#quiet !== null && !this.#sight.isReadingGap && seenUntil !== undefined)
      this.#voice.keepSeen(this.facts, seenUntil);
  }

  /** Nothing leaves any more; resolves when what was under way is done or the wait is over. */
  async stop(waitMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#steps.stop(waitMs);
  }

  /** Looks, decides, and takes one step. Returns whether another one follows at once. */
  #step(): boolean {
    const { children, isUnsettled } = this.#book;
    this.#sight.seePosition(children, this.facts);
    const market = this.#sight.look(this.facts, this.#book.changedAt);
    const terms = currentTerms(this.facts);
    const decision = decide(terms, this.facts, market, children);
    this.#voice.show(decision, this.facts, this.children, this.#steps.trouble);
    const step = nextStep(decision, children, market.now, this.#steps.underWay);
    this.#sight.decided(market, this.facts, step.step === 'fact');
    this.#until = step.step === 'wait' && step.until !== null && step.until > market.now ? step.until : null;
    if (step.step === 'end') this.#isOver = true;
    else if (this.#steps.take(step)) return true;
    const isBusy = isUnsettled || !this.#steps.isIdle || this.#isWoken || this.#sight.hasGap;
    const { facts } = this;
    if (step.step === 'wait' && !isBusy)
      this.#quiet = quietRange({ terms, facts, market: this.#sight.withPrices(market), children });
    return step.step === 'wait' && this.#sight.isGapDue;
  }
}
