import type { Child, NewChild } from './children.js';
import type { Decision } from './decide.js';
import type { AlgoFact } from './facts.js';

/** The one next step towards what should be. */
export type Step =
  | { readonly step: 'fact'; readonly fact: AlgoFact }
  | { readonly step: 'cancel'; readonly child: Child }
  | { readonly step: 'place'; readonly number: number; readonly child: NewChild }
  /** Nothing to do until something changes, or until this time of the exchange. */
  | { readonly step: 'wait'; readonly until: number | null }
  /** The algo order has ended, and its fact is written. */
  | { readonly step: 'end' };

/**
 * The one difference to remove between what should be open and what is: the next one follows when its outcome is known.
 * @param now by the exchange's clock, in milliseconds since the Unix epoch
 */
export function nextStep(decision: Decision, children: readonly Child[], now: number): Step {
  if (decision.fact !== null) return { step: 'fact', fact: decision.fact };
  void [children, now];
  return { step: 'wait', until: decision.until };
}
