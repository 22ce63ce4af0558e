import { Failure, type FailureKind, Interrupted } from '../errors.js';
import { Refused } from './response.js';
import { TransportError } from './transport.js';

/**
 * The response to a write. Only `notSent` and `refused` mean that nothing was done; and the refusal may be that of a duplicate,
 * while the first request was executed. `lost`: it may have been sent, and no usable answer came.
 */
export type WriteResponse<Value> =
  | { readonly kind: 'done'; readonly value: Value }
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
 * Converts an error to a response. A Failure comes from the limiter or from a sandbox that could not start, before anything was
 * sent. After any other error the request may have arrived.
 */
export function writeResponseOf(thrown: unknown): WriteResponse<never> {
  if (thrown instanceof Interrupted) return CANCELLED;
  if (thrown instanceof Refused) return { kind: 'refused', refusal: thrown };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Failure) return { kind: 'notSent', reason: asPart(reason), failure: thrown.kind };
  const isUnsent = thrown instanceof TransportError && !thrown.mayHaveBeenSent;
  return isUnsent ? { kind: 'notSent', reason, failure: 'unreachable' } : { kind: 'lost', reason };
}

function asPart(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}
