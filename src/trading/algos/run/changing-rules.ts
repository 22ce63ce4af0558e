import type { Market } from '../../../domain/market.js';
import { changedRulesText, isAboutRules, isSameRules } from '../../orders/changed-rules.js';
import type { ChildBook } from '../children/child-book.js';
import type { ChildOrder } from '../children/child-order.js';
import { type ChildRole, isExit } from '../plan/children.js';
import { currentTerms } from '../plan/current-terms.js';
import type { AlgoFact, AlgoFacts } from '../record/facts.js';

interface RulesParts {
  readonly facts: () => AlgoFacts;
  /** By the exchange's clock. */
  readonly now: () => number;
  /** Writes a fact. Returns false if the disk does not take it. */
  readonly add: (fact: AlgoFact) => boolean;
  readonly tell: (text: string) => void;
}

/** The rules of the market of an algo order, which the exchange may change while it is at work. */
export class ChangingRules {
  readonly #book: Pick<ChildBook, 'orders'>;
  readonly #parts: RulesParts;
  /** The number of the newest order that was sent before they were read again. */
  #readAfter = 0;

  constructor(book: Pick<ChildBook, 'orders'>, parts: RulesParts) {
    [this.#book, this.#parts] = [book, parts];
  }

  /** Keeps the rules if they have changed. @param number of the newest order that was sent before */
  take(rules: Market, number: number): void {
    const { facts, now, add, tell } = this.#parts;
    this.#readAfter = Math.max(this.#readAfter, number);
    const { market } = currentTerms(facts());
    if (isSameRules(market, rules)) return;
    // the time of an order is that of its request, by a clock that may be ahead
    const time = Math.max(now(), ...this.#book.orders.map((child) => child.time));
    if (add({ fact: 'rules', time, market: rules }))
      tell(`${changedRulesText(market, rules)} Its orders keep them from now on.`);
  }

  /**
   * The order since whose rejection the rules are in doubt, because they may explain it: they are read before anything follows from it.
   * Undefined if they are not.
   * @param role of the order that is to be sent: what was rejected in the other leg does not keep it
   */
  inDoubtSince(role?: ChildRole): ChildOrder | undefined {
    return this.#book.orders.find(
      (child) =>
        child.refusal !== null &&
        isAboutRules(child.refusal) &&
        child.number > this.#readAfter &&
        (role === undefined || isExit(child) === isExit({ role })),
    );
  }
}
