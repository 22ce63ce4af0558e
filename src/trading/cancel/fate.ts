import type { Order } from '../../domain/order.js';
import type { FailureKind } from '../../errors.js';
import { type Facts, factsOf } from './facts.js';

/** What became of a cancellation. */
export interface CancelFate extends Facts {
  readonly outcome: 'cancelled' | 'refused' | 'notSent' | 'unknown';
  /** The exchange's return code; null where no answer came. */
  readonly code: number | null;
  readonly message: string | null;
  /** Why it did not come to a cancellation; null when it did. */
  readonly failure: FailureKind | null;
}

/** An order that was seen cancelled: what it filled is known. */
export interface SeenCancelled extends CancelFate {
  readonly outcome: 'cancelled';
  readonly id: string;
  readonly filled: string;
}

export function isSeen(fate: CancelFate): fate is SeenCancelled {
  return fate.outcome === 'cancelled' && fate.id !== null && fate.filled !== null;
}

/** No answer came that tells what became of it: only the order can. */
export interface Lost {
  readonly outcome: 'lost';
  readonly code: number | null;
  readonly reason: string;
}

/** What an order that is closed says of its cancellation; undefined where it is open, or nobody has explained its state. */
export function closedFate(order: Order): CancelFate | undefined {
  const state = order.state;
  const facts = { ...factsOf(order), code: null };
  if (state === 'cancelled') return { ...facts, outcome: 'cancelled', message: null, failure: null };
  if (state !== 'filled') return undefined;
  return { ...facts, outcome: 'refused', message: 'the order was filled', failure: 'refused' };
}

/** The timeline's words for it. */
export function eventOf({ outcome, message, filled }: CancelFate): string {
  if (outcome === 'cancelled') return filled === null ? 'cancelled' : `cancelled with ${filled} filled`;
  return `${outcome === 'notSent' ? 'not sent' : outcome}: ${message}`;
}
