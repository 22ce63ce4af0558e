import type { ChildBook } from '../children/child-book.js';
import type { MarketSight } from '../market/market-sight.js';
import type { ChildRole } from '../plan/children.js';
import { pauseFact } from '../plan/decide.js';
import type { Step, UnderWay } from '../plan/next-step.js';
import { type AlgoFact, type AlgoFacts, isHeldBack, type PauseCause, withFact } from '../record/facts.js';
import { AlgoRequests, type AlgoRequestsOptions } from './algo-requests.js';
import type { AlgoVoice } from './algo-voice.js';
import { ChangingRules } from './changing-rules.js';
import { FactWriter } from './fact-writer.js';
import { WorkUnderWay } from './work-under-way.js';

export interface AlgoStepsOptions extends AlgoRequestsOptions {
  readonly failed: (thrown: unknown) => void;
}

/** The other parts of the algo order. */
interface AlgoParts {
  readonly book: ChildBook;
  readonly voice: AlgoVoice;
  readonly sight: MarketSight;
  /** Something is known that was not known before. */
  readonly changed: () => void;
}

/** The steps that one algo order takes: it writes facts and sends requests, which run beside the loop that decides. */
export class AlgoSteps {
  readonly #options: AlgoStepsOptions;
  readonly #parts: AlgoParts;
  readonly #requests: AlgoRequests;
  readonly #writer: FactWriter;
  readonly #rules: ChangingRules;
  readonly #underWay: WorkUnderWay;
  #facts: AlgoFacts;

  constructor(options: AlgoStepsOptions, parts: AlgoParts, facts: AlgoFacts) {
    [this.#options, this.#parts, this.#facts] = [options, parts, facts];
    const { store, trading, terms, market, failed } = options;
    const { book, voice, changed } = parts;
    const note = (text: string) => voice.tell('note', text);
    this.#underWay = new WorkUnderWay(failed, changed);
    this.#writer = new FactWriter(terms.id, store, trading.host, note);
    this.#rules = new ChangingRules(book, {
      ...{ facts: () => this.facts, now: () => market.now(), add: (fact) => this.#add(fact) },
      tell: note,
    });
    this.#requests = new AlgoRequests(options, {
      ...{ ...parts, facts: () => this.facts },
      pause: (cause, reason, role) => this.pause(cause, reason, role),
      reload: (onDisk) => this.reload(onDisk),
      rulesRead: (rules, number) => this.#rules.take(rules, number),
    });
  }

  /** As they are on disk. */
  get facts(): AlgoFacts {
    return this.#facts;
  }

  get underWay(): UnderWay {
    return this.#requests;
  }

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#underWay.isIdle;
  }

  /** What keeps it from going on now; null if nothing does. */
  get trouble(): string | null {
    return this.#writer.trouble ?? this.#requests.trouble;
  }

  /** When it tries again what it has to, on the monotonic clock; infinity for nothing. */
  get dueAt(): number {
    return Math.min(this.#requests.dueAt, this.#writer.dueAt);
  }

  /** What is due is looked at now. */
  woke(): void {
    this.#requests.woke();
    this.#writer.woke();
  }

  /** What was begun elsewhere runs beside the loop, too. */
  follow(begun: Promise<unknown>): void {
    this.#underWay.follow(begun);
  }

  /** Takes the facts as they are on disk: what failed is tried again at once. */
  reload(facts: AlgoFacts): void {
    const { voice, changed } = this.#parts;
    const before = this.#facts;
    this.#facts = facts;
    voice.tellChange(facts, before);
    this.#requests.tryAgain();
    this.#writer.tryAgain();
    changed();
  }

  /** Pauses it, unless it is paused. @param role that of the child which is held back; null: everything is */
  pause(cause: PauseCause, reason: string, role: ChildRole | null = null): void {
    if (isHeldBack(this.#facts, role ?? 'stop') || this.#facts.ended !== null) return;
    const { terms, market } = this.#options;
    const fact = pauseFact(terms, market.now(), { cause, reason, role });
    if (this.#add(fact)) this.#parts.voice.tellFact(fact, this.#facts);
  }

  /** Nothing leaves any more; resolves when what was under way is done or the wait is over. */
  async stop(waitMs: number): Promise<void> {
    this.#requests.stop();
    await Promise.race([this.#underWay.done(), this.#options.trading.host.sleep(waitMs)]);
  }

  /** Takes a step. Returns whether another one follows at once. */
  take(step: Step): boolean {
    switch (step.step) {
      case 'fact':
        return this.#takeFact(step.fact);
      case 'cancel':
        this.#underWay.follow(this.#requests.cancel(step.child));
        return true;
      case 'place':
        if (this.#readsRulesFirst(step.child.role)) return true;
        this.#underWay.follow(this.#requests.place(step.child));
        return true;
      default:
        return false;
    }
  }

  #takeFact(fact: AlgoFact): boolean {
    // its totals are those that reads have shown, and nothing is on its way any more
    if (fact.fact === 'ended' && this.#isUnconfirmed) return false;
    if (this.#writer.isHeld || (isForRejection(fact) && this.#readsRulesFirst()) || !this.#add(fact)) return false;
    this.#parts.voice.tellFact(fact, this.#facts);
    if (fact.fact === 'best') this.#parts.sight.wrote();
    return true;
  }

  /** Whether the rules of the market are read before an order of this role is sent, or before anything is paused. */
  #readsRulesFirst(role?: ChildRole): boolean {
    const rejected = this.#rules.inDoubtSince(role);
    if (rejected === undefined) return false;
    if (!this.#requests.isBusy(rejected)) this.#underWay.follow(this.#requests.readRules(rejected.role));
    return true;
  }

  get #isUnconfirmed(): boolean {
    return !this.isIdle || this.#parts.book.orders.some((child) => !child.isEndConfirmed);
  }

  /** Writes a fact. Returns false if the disk does not take it: nothing may follow from it. */
  #add(fact: AlgoFact): boolean {
    if (!this.#writer.write(fact)) return false;
    this.#facts = withFact(this.#facts, fact);
    return true;
  }
}

/** Whether a fact pauses an algo order because the exchange has rejected an order of it. */
function isForRejection(fact: AlgoFact): boolean {
  return fact.fact === 'paused' && fact.cause === 'rejected';
}
