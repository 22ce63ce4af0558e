import type { OperationName } from '../operations/index.js';

/** Whom a permit is for: some are kept free for cancellations, which must get through when everything else is waiting. */
export type Lane = 'common' | 'cancel';

/** What takes orders off the exchange: it may be all that can still limit a loss. */
const CANCELLING: ReadonlySet<string> = new Set<OperationName>(['cancelOrder', 'cancelAllOrdersAfter']);

export function laneOf(operation: string): Lane {
  return CANCELLING.has(operation) ? 'cancel' : 'common';
}

/**
 * The right to send one request. It counts from here until a second after its answer. To give it back never fails: that
 * would hide the answer to the request.
 */
export interface Permit {
  /** The answer is there, or nothing more can come of the request. */
  done(): Promise<void>;
  /** The request did not leave after all: the next one may have it at once. */
  unused(): Promise<void>;
}

/** What a look for a permit gives: one, or how long to wait before the next look, in milliseconds. */
export type Claim = { readonly permit: Permit } | { readonly waitMs: number };

/**
 * The permits of one limit: N at a time, each of which comes back a second after its request was answered.
 *
 * Why that keeps "at most N a second" exactly, however long requests are on their way: a request arrives between its
 * claim and its answer. Of all that arrive within one second take the one that was claimed last, at time t. Each of the
 * others was answered after t - 1 s, so its permit was still out at t, and no more than N permits are ever out.
 */
export interface Permits {
  /** Looks for a permit, once. */
  claim(lane: Lane): Promise<Claim>;
}

export interface PermitTerms {
  /** How many requests may arrive within a second. */
  readonly count: number;
  /** How many of them only cancellations take. */
  readonly reserved: number;
}

/** How long a permit stays out after the answer: a second, and what two clocks may run apart within it. */
export const HOLD_MS = 1_010;
/** Between two looks while every permit is out and none is known to come back, in milliseconds. */
export const POLL_MS = 25;
