import type { RefusalKind } from '../../domain/refusal.js';
import type { Child } from './children.js';
import { type DecisionInput, hasArrived, latest, newestOf, PACE_MS, type WantedChild } from './decision-input.js';

/** Without a change of the balance, an order that was rejected for its funds is tried again after this time, in milliseconds. */
const FUNDS_RETRY_MS = 60_000;

/** Rejections that say nothing about the order: it may be accepted later. */
const TEMPORARY: ReadonlySet<RefusalKind> = new Set(['tooFrequent', 'locked', 'busy', 'inTrouble', 'expired']);

/** What the last try of a role means for the next. */
export type Retry =
  /** The exchange rejected it for good: the algo order is paused until the user resumes it. */
  | { readonly kind: 'pause'; readonly reason: string }
  /** Funds were missing. */
  | { readonly kind: 'funds'; readonly reason: string; readonly notBefore: number }
  /** `notBefore` is null if nothing keeps it. */
  | { readonly kind: 'go'; readonly notBefore: number | null };

/** When a child that is wanted may leave, and whether at all. */
export function retryOf(
  { facts, market, children }: DecisionInput,
  { role, amount }: Pick<WantedChild, 'role' | 'amount'>,
): Retry {
  const newest = newestOf(children.filter((child) => child.role === role && child.duplicate === null));
  const { limitedUntil } = market;
  if (newest === null || hasArrived(newest)) return { kind: 'go', notBefore: limitedUntil };
  const { refusal, time } = newest;
  if (refusal === null || TEMPORARY.has(refusal.kind) || isTurnedAway(newest))
    return { kind: 'go', notBefore: latest(time + PACE_MS, limitedUntil) };
  const reason = `The exchange rejected the ${newest.role} order: ${refusal.message}`;
  if (refusal.kind === 'insufficientFunds') {
    const hasChanged = market.fundsChanged !== null && market.fundsChanged > time;
    // a balance that was read since may have made it smaller
    const isSmaller = amount.compare(newest.amount) < 0;
    const notBefore = latest(time + (hasChanged || isSmaller ? PACE_MS : FUNDS_RETRY_MS), limitedUntil) ?? time;
    return { kind: 'funds', reason, notBefore };
  }
  const isResumed = facts.resumed !== null && facts.resumed.time >= time;
  return isResumed ? { kind: 'go', notBefore: limitedUntil } : { kind: 'pause', reason };
}

/** Whether it is a post-only order that would have filled at once: the market has moved since. */
function isTurnedAway({ type, refusal }: Child): boolean {
  return type === 'postOnly' && refusal?.kind === 'badPrice';
}
