import { type Failure, withoutPeriod } from '../../../errors.js';
import type { Placement } from '../../settling/settle-sent-order.js';
import type { AlgoFacts, PauseCause } from '../record/facts.js';
import type { ChildOrder } from './child-order.js';

/** The facts, as they are on disk, that forbid a child. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly facts: AlgoFacts;
}

/** What became of a child that was to leave. */
export type SentChild =
  | { readonly kind: 'sent'; readonly child: ChildOrder; readonly placement: Placement }
  /** It did not leave: by now the record has a fact that forbids it, which another process may have added. */
  | Stopped
  /** It did not leave: something that only the user can change held it back. */
  | { readonly kind: 'held'; readonly cause: PauseCause; readonly reason: string }
  /** It did not leave, and may a moment later. `child` is there if it has a record. */
  | Later
  /** It did not leave: what was decided has changed since. */
  | { readonly kind: 'unwanted' };

export interface Later {
  readonly kind: 'later';
  readonly child: ChildOrder | null;
  readonly failure: Failure;
}

export function held(cause: PauseCause, reason: string): SentChild {
  return { kind: 'held', cause, reason };
}

export function heldBy(cause: PauseCause, { message }: Failure): SentChild {
  return held(cause, withoutPeriod(message));
}

export function later(failure: Failure): Later {
  return { kind: 'later', child: null, failure };
}
