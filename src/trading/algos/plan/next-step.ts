import type { AlgoFact, AlgoState } from '../record/facts.js';
import { type Child, isLegFree, type NewChild, outstandingOf } from './children.js';
import type { Decision } from './decide.js';
import { earliest, PACE_MS, type WantedChild } from './decision-input.js';

/** The one next step towards what should be. */
export type Step =
  | { readonly step: 'fact'; readonly fact: AlgoFact }
  | { readonly step: 'cancel'; readonly child: Child }
  /** `number` is that of the new child. */
  | { readonly step: 'place'; readonly number: number; readonly child: NewChild }
  /** Nothing to do until something changes, or until this time of the exchange. */
  | { readonly step: 'wait'; readonly until: number | null }
  /** The algo order has ended, and its fact is written. */
  | { readonly step: 'end' };

/** What is on its way to the exchange, or has to wait: nothing is added to it. */
export interface UnderWay {
  /** Whether a leg is busy: a child of it is being placed, or the last try has to be some time ago. */
  readonly isBusy: (child: Pick<Child, 'role'>) => boolean;
  /** Whether a child is being cancelled. */
  readonly isCancelling: (child: Child) => boolean;
}

const NOTHING: UnderWay = { isBusy: () => false, isCancelling: () => false };

/**
 * The one difference to remove between what should be open and what is: first what should not be open is cancelled, then what is missing is
 * placed. A child without an answer, or with an unknown outcome, holds up its own leg and nothing else.
 * @param now by the exchange's clock, in milliseconds since the Unix epoch
 */
export function nextStep(decision: Decision, children: readonly Child[], now: number, underWay = NOTHING): Step {
  const { fact, state, until } = decision;
  if (fact !== null) return { step: 'fact', fact };
  if (ENDS.has(state)) return { step: 'end' };
  const { missing, unwanted: open } = difference(decision.wanted, children);
  const unwanted = open.filter((child) => !underWay.isCancelling(child));
  const triedAgainAt = (child: Child) => (child.cancelRefused === null ? now : child.cancelRefused + PACE_MS);
  const cancelled = unwanted.find((child) => triedAgainAt(child) <= now);
  if (cancelled !== undefined) return { step: 'cancel', child: cancelled };
  const placeable = missing.filter((wanted) => isLegFree(children, wanted) && !underWay.isBusy(wanted));
  const placed = placeable.find(({ notBefore }) => notBefore === null || notBefore <= now);
  if (placed !== undefined) {
    const { role, type, price, amount } = placed;
    const number = Math.max(0, ...children.map((child) => child.number)) + 1;
    return { step: 'place', number, child: { role, type, price, amount } };
  }
  const later = [...unwanted.map(triedAgainAt), ...placeable.map(({ notBefore }) => notBefore)];
  return { step: 'wait', until: earliest(until, ...later) };
}

const ENDS: ReadonlySet<AlgoState> = new Set(['done', 'partial', 'cancelled', 'failed']);

/** What is wanted and not open, and what is open and not wanted. A duplicate that may be the user's order is neither. */
function difference(wanted: readonly WantedChild[], children: readonly Child[]) {
  const unwanted = children.filter(({ state, duplicate }) => state === 'open' && duplicate !== 'unproven');
  const missing = wanted.filter((one) => {
    const found = unwanted.findIndex((child) => isAs(child, one));
    if (found >= 0) unwanted.splice(found, 1);
    return found < 0;
  });
  return { missing, unwanted };
}

function isAs(child: Child, { role, price, amount }: WantedChild): boolean {
  return child.role === role && child.price.equals(price) && outstandingOf(child).equals(amount);
}
