import { Failure, type FailureKind, Interrupted } from '../errors.js';
import { Refused } from './response.js';
import { TransportError } from './transport.js';

/**
 * The outcome of sending a write. Only `notSent` and `refused` mean that nothing was done, and a refusal may even answer a
 * duplicate of a request that was executed.
 *
 * The words for a write whose outcome is not clear, from the request to the user:
 *
 * | word | where | meaning |
 * |---|---|---|
 * | `lost` | this outcome | The request left, or may have, and no usable answer came. |
 * | `undecided` | `trading` | An answer came that proves nothing: only the order itself shows the outcome. |
 * | `mismatch` | `trading/orders` | An order has the client id, but other terms: it may be another one. |
 * | `ambiguity` | `trading/withdrawals` | A record may be the withdrawal or something else: only the user can tell. |
 * | `unknown` | the user | The time is over and none of this was cleared up. The journal keeps the write open. |
 */
export type WriteResponse<Value> =
  | { readonly kind: 'done'; readonly response: Value }
  | { readonly kind: 'refused'; readonly refusal: Refused }
  | NotSent
  | { readonly kind: 'lost'; readonly reason: string };

interface NotSent {
  readonly kind: 'notSent';
  /** As a part of a sentence. */
  readonly reason: string;
  /** The kind of failure to report: `limited` if the limits left no room for it. */
  readonly failure: FailureKind;
}

export const NO_TIME: NotSent = { kind: 'notSent', reason: 'no time was left for it', failure: 'unreachable' };
export const CANCELLED: NotSent = { kind: 'notSent', reason: 'it was cancelled', failure: 'declined' };
export const WAITED_TOO_LONG: NotSent = {
  kind: 'notSent',
  reason: "waiting for the exchange's limits left no time for its answer",
  failure: 'limited',
};

/**
 * Maps an error to an outcome. Failures come from the limiter or from a sandbox that could not start; after any other error the
 * request may have arrived.
 */
export function outcomeOf(thrown: unknown): WriteResponse<never> {
  if (thrown instanceof Interrupted) return CANCELLED;
  if (thrown instanceof Refused) return { kind: 'refused', refusal: thrown };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Failure) return { kind: 'notSent', reason: asPart(reason), failure: thrown.kind };
  const stayed = thrown instanceof TransportError && !thrown.mayHaveBeenSent;
  return stayed ? { kind: 'notSent', reason, failure: 'unreachable' } : { kind: 'lost', reason };
}

function asPart(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}
