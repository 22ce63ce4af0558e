import type { Decimal } from '../../domain/decimal.js';
import type { AlgoMarket } from './algo-market.js';
import type { Child, NewChild } from './children.js';
import type { AlgoFact, AlgoFacts, AlgoOutcome } from './facts.js';
import type { AlgoTerms } from './terms.js';

/** The state of an algo order in lists and JSON. */
export type AlgoState = 'waiting' | 'working' | 'triggered' | 'settling' | 'blind' | 'paused' | 'halted' | AlgoOutcome;

/** What should be open of one role. */
export interface WantedChild extends NewChild {
  /** If it is not open yet, it is not placed before this time of the exchange; null: at once. */
  readonly notBefore: number | null;
}

/** Something that the user should know and that changes nothing. */
export type AlgoNote =
  /** The stop was reached and left again while the market was not seen. Nothing follows from it. */
  | { readonly note: 'missed'; readonly level: Decimal; readonly price: Decimal }
  /** The stop is reached, and the algo order is paused. */
  | { readonly note: 'reachedWhilePaused'; readonly level: Decimal; readonly price: Decimal }
  /** Somebody else cancelled this child. Its leg is over. */
  | { readonly note: 'cancelledByOthers'; readonly child: Child }
  /** The entry has filled this much that is too small to be sold or bought back. */
  | { readonly note: 'unprotected'; readonly amount: Decimal }
  /** The account has this much less than the exits need. */
  | { readonly note: 'gone'; readonly amount: Decimal }
  /** The network made orders twice: this much is filled or open beyond what was asked. */
  | { readonly note: 'excess'; readonly amount: Decimal; readonly child: Child };

/** What should be, as the facts, the market and the children say. */
export interface Decision {
  readonly state: AlgoState;
  /** Why it waits, is paused or ended, as a sentence without its end; null if there is nothing to say. */
  readonly reason: string | null;
  /** A fact to write first: nothing else follows before it is on disk. */
  readonly fact: AlgoFact | null;
  /** What should be open: at most one entry and one exit. */
  readonly wanted: readonly WantedChild[];
  /** When to decide again if nothing happens, by the exchange's clock; null if only the market or the children change it. */
  readonly until: number | null;
  readonly notes: readonly AlgoNote[];
}

/**
 * What should be open now, and which fact comes first. Pure and total: the same parts give the same decision, and none throws.
 * @param children all that the algo order has placed, in any order; those that were never sent or were rejected may be left out, but the newest
 */
export function decide(terms: AlgoTerms, facts: AlgoFacts, market: AlgoMarket, children: readonly Child[]): Decision {
  const { ended } = facts;
  void [terms, market, children];
  return { state: ended?.outcome ?? 'waiting', reason: null, fact: null, wanted: [], until: null, notes: [] };
}
