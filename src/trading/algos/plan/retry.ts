import type { Refusal, RefusalKind } from '../../../domain/refusal.js';
import { isAboutRules } from '../../orders/changed-rules.js';
import type { Child, ChildRole } from './children.js';
import { type DecisionInput, hasArrived, latest, newestOf, PACE_MS, type WantedChild } from './decision-input.js';

/** Without a change of the balance, an order that was rejected for its funds is tried again after this time, in milliseconds. */
const FUNDS_RETRY_MS = 60_000;

/** While the exchange is away for its own reasons, a stop that is reached asks again after this time, and other orders after the longer one. */
const AWAY_MS = { stop: 2_000, other: 5_000 };

/** The exchange is in trouble, in maintenance or too busy: it takes nothing, whoever asks. */
const AWAY: ReadonlySet<RefusalKind> = new Set(['busy', 'inTrouble']);

/** Rejections that say nothing about the order: it may be accepted later. */
const TEMPORARY: ReadonlySet<RefusalKind> = new Set(['tooFrequent', 'locked', 'expired']);

/** What the last try of a role means for the next. */
export type Retry =
  /** The exchange rejected it for good: the algo order is paused until the user resumes it. */
  | { readonly kind: 'pause'; readonly reason: string }
  /** Funds were missing. */
  | { readonly kind: 'funds'; readonly reason: string; readonly notBefore: number }
  /** `notBefore` is null if nothing keeps it, `reason` if there is nothing to say. */
  | { readonly kind: 'go'; readonly notBefore: number | null; readonly reason: string | null };

/** When a child that is wanted may leave, and whether at all. */
export function retryOf(
  { facts, market, children }: DecisionInput,
  { role, amount }: Pick<WantedChild, 'role' | 'amount'>,
): Retry {
  const newest = newestOf(children.filter((child) => child.role === role && child.duplicate === null));
  const { limitedUntil } = market;
  if (newest === null || hasArrived(newest)) return { kind: 'go', notBefore: limitedUntil, reason: null };
  const { refusal, time } = newest;
  if (refusal !== null && AWAY.has(refusal.kind)) {
    const pauseMs = role === 'stop' ? AWAY_MS.stop : AWAY_MS.other;
    return { kind: 'go', notBefore: latest(time + pauseMs, limitedUntil), reason: rejectionText(newest.role, refusal) };
  }
  if (refusal === null || TEMPORARY.has(refusal.kind) || isTurnedAway(newest))
    return { kind: 'go', notBefore: latest(time + PACE_MS, limitedUntil), reason: null };
  // it was sent before the rules were known that it broke
  if (isAboutRules(refusal) && facts.rules !== null && facts.rules.time >= time)
    return { kind: 'go', notBefore: limitedUntil, reason: null };
  const reason = rejectionText(newest.role, refusal);
  if (refusal.kind === 'insufficientFunds') {
    const hasChanged = market.fundsChanged !== null && market.fundsChanged > time;
    // a balance that was read since may have made it smaller
    const isSmaller = amount.compare(newest.amount) < 0;
    const notBefore = latest(time + (hasChanged || isSmaller ? PACE_MS : FUNDS_RETRY_MS), limitedUntil) ?? time;
    return { kind: 'funds', reason, notBefore };
  }
  const isResumed = facts.resumed !== null && facts.resumed.time >= time;
  return isResumed ? { kind: 'go', notBefore: limitedUntil, reason: null } : { kind: 'pause', reason };
}

function rejectionText(role: ChildRole, { message }: Refusal): string {
  return `The exchange rejected the ${role} order: ${message}`;
}

/** Whether it is a post-only order that would have filled at once: the market has moved since. */
function isTurnedAway({ type, refusal }: Child): boolean {
  return type === 'postOnly' && refusal?.kind === 'badPrice';
}
