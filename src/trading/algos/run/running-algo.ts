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
import { decide, pauseFact } from '../plan/decide.js';
import { nextStep, type Step } from '../plan/next-step.js';
import { isQuiet, type QuietRange, quietRange } from '../plan/quiet-range.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { SaidLine } from '../record/fact-record.js';
import {
  type AlgoFact,
  type AlgoFacts,
  type AlgoState,
  isHeldBack,
  type PauseCause,
  withFact,
} from '../record/facts.js';
import { type AlgoSnapshot, snapshotOf } from '../record/snapshot.js';
import { AlgoRequests, type AlgoRequestsOptions } from './algo-requests.js';
import { type AlgoEvent, AlgoVoice } from './algo-voice.js';
import { ChangingRules } from './changing-rules.js';
import { FactWriter } from './fact-writer.js';
import { WorkUnderWay } from './work-under-way.js';

export interface RunningAlgoOptions extends AlgoRequestsOptions, Omit<MarketSightOptions, 'host'> {
  /** Whether the exchange is in this process: nothing that it pushes is ever lost. */
  readonly isAlone?: boolean;
  readonly report: (event: AlgoEvent) => void;
  /** Called when it has done what it can for now. */
  readonly worked: () => void;
  readonly failed: (thrown: unknown) => void;
}

/**
 * One algo order at work: a loop over what is seen ({@link MarketSight}), what is there ({@link ChildBook}) and what is said ({@link AlgoVoice}).
 * It looks at once whenever something has changed, writes down what follows, and begins what is to be done. Nothing of that waits: requests run
 * beside it, and each ends with another look.
 */
export class RunningAlgo {
  readonly #options: RunningAlgoOptions;
  readonly terms: AlgoTerms;
  facts: AlgoFacts;
  readonly #sight: MarketSight;
  readonly #book: ChildBook;
  readonly #voice: AlgoVoice;
  readonly #requests: AlgoRequests;
  readonly #writer: FactWriter;
  readonly #rules: ChangingRules;
  readonly #underWay: WorkUnderWay;
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
    [this.#options, this.terms, this.facts] = [options, options.terms, facts];
    const { trading, store, market, report, terms } = options;
    const { host } = trading;
    this.#underWay = new WorkUnderWay(options.failed, this.changed);
    this.#sight = new MarketSight({ ...options, host }, terms);
    this.#book = new ChildBook(trading, store, terms, children, {
      changed: this.changed,
      seen: (child) => this.#voice.tellFills(child),
      missing: ({ orderId, role }) =>
        this.pause('missing', `the exchange does not show order ${orderId} any more`, role),
      failed: options.failed,
      isPushSure: options.isAlone === true,
    });
    this.#voice = new AlgoVoice({ host, store, market, report, snapshot: () => this.snapshot }, terms, said, children);
    this.#writer = new FactWriter(terms.id, store, host, (text) => this.#voice.tell('note', text));
    this.#rules = new ChangingRules(this.#book, {
      ...{ facts: () => this.facts, now: () => market.now(), add: (fact) => this.#add(fact) },
      tell: (text) => this.#voice.tell('note', text),
    });
    this.#requests = new AlgoRequests(options, {
      ...{ book: this.#book, voice: this.#voice, sight: this.#sight, facts: () => this.facts },
      pause: (cause, reason, role) => this.pause(cause, reason, role),
      reload: (facts) => this.reload(facts),
      rulesRead: (rules, number) => this.#rules.take(rules, number),
      changed: this.changed,
    });
  }

  get id(): string {
    return this.terms.id;
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
    const { ended, cancelled, entryTriggered } = this.facts;
    return this.terms.when.length > 0 && ended === null && cancelled === null && entryTriggered === null;
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
        this.#requests.woke();
        this.#writer.woke();
        while (this.#step());
        if (!this.#isOver)
          for (const begun of this.#book.work(this.facts.exitTriggered !== null)) this.#underWay.follow(begun);
      }
      // an order that is about to leave does not wait for it
      if (this.#underWay.isIdle && !this.#isStopped && !this.#isOver) this.#voice.keepStatus(this.facts);
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

  gapEnded({ from }: Gap): void {
    this.#sight.gapEnded(from, this.facts);
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
    const before = this.facts;
    this.facts = facts;
    this.#voice.tellChange(facts, before);
    this.#requests.tryAgain();
    this.#writer.tryAgain();
    this.#voice.forgetStatus();
    this.changed();
  }

  /** In how many milliseconds {@link tick} has something to do; infinity if only what comes changes something. */
  get dueInMs(): number {
    if (this.#isOver) return 0;
    const now = this.#options.trading.host.monotonic();
    const until = this.#until === null ? Number.POSITIVE_INFINITY : this.#until - this.#options.market.now();
    const times = [this.#book.dueAt, this.#requests.dueAt, this.#writer.dueAt];
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
    if (isHeldBack(this.facts, role ?? 'stop') || this.facts.ended !== null) return;
    const fact = pauseFact(this.terms, this.#options.market.now(), { cause, reason, role });
    if (this.#add(fact)) this.#voice.tellFact(fact, this.facts);
  }

  /** Nothing leaves any more; resolves when what was under way is done or the wait is over. */
  async stop(waitMs: number): Promise<void> {
    this.#isStopped = true;
    this.#requests.stop();
    const { host } = this.#options.trading;
    await Promise.race([this.#underWay.done(), host.sleep(waitMs)]);
  }

  /** Looks, decides, and takes one step. Returns whether another one follows at once. */
  #step(): boolean {
    const { children, isUnsettled } = this.#book;
    this.#sight.seePosition(children, this.facts);
    const market = this.#sight.look(this.facts, this.#book.changedAt);
    const terms = currentTerms(this.facts);
    const decision = decide(terms, this.facts, market, children);
    this.#voice.show(decision, this.facts, this.children, this.#writer.trouble ?? this.#requests.trouble);
    const step = nextStep(decision, children, market.now, this.#requests);
    this.#sight.decided(market, this.facts, step.step === 'fact');
    this.#until = step.step === 'wait' && step.until !== null && step.until > market.now ? step.until : null;
    if (this.#take(step)) return true;
    const isBusy = isUnsettled || !this.#underWay.isIdle || this.#isWoken || this.#sight.hasGap;
    const { facts } = this;
    if (step.step === 'wait' && !isBusy)
      this.#quiet = quietRange({ terms, facts, market: this.#sight.withPrices(market), children });
    return step.step === 'wait' && this.#sight.hasGap;
  }

  #take(step: Step): boolean {
    switch (step.step) {
      case 'fact':
        // its totals are those that reads have shown, and nothing is on its way any more
        if (step.fact.fact === 'ended' && this.#isUnconfirmed) return false;
        if (this.#writer.isHeld || (isForRejection(step.fact) && this.#readsRulesFirst()) || !this.#add(step.fact))
          return false;
        this.#voice.tellFact(step.fact, this.facts);
        if (step.fact.fact === 'best') this.#sight.wrote();
        return true;
      case 'end':
        this.#isOver = true;
        return false;
      case 'wait':
        return false;
      case 'cancel':
        this.#underWay.follow(this.#requests.cancel(step.child));
        return true;
      case 'place':
        if (this.#readsRulesFirst(step.child.role)) return true;
        this.#underWay.follow(this.#requests.place(step.child));
        return true;
    }
  }

  /** Whether the rules of the market are read before an order of this role is sent, or before anything is paused. */
  #readsRulesFirst(role?: ChildRole): boolean {
    const rejected = this.#rules.inDoubtSince(role);
    if (rejected === undefined) return false;
    if (!this.#requests.isBusy(rejected)) this.#underWay.follow(this.#requests.readRules(rejected.role));
    return true;
  }

  get #isUnconfirmed(): boolean {
    return !this.#underWay.isIdle || this.children.some((child) => !child.isEndConfirmed);
  }

  /** Writes a fact. Returns false if the disk does not take it: nothing may follow from it. */
  #add(fact: AlgoFact): boolean {
    if (!this.#writer.write(fact)) return false;
    this.facts = withFact(this.facts, fact);
    return true;
  }
}

/** Whether a fact pauses an algo order because the exchange has rejected an order of it. */
function isForRejection(fact: AlgoFact): boolean {
  return fact.fact === 'paused' && fact.cause === 'rejected';
}
