import type { Refusal } from '../../domain/refusal.js';
import { Failure, Interrupted, withoutPeriod } from '../../errors.js';
import { unreachableHint } from './failures.js';
import type { NotSentReason } from './refusals.js';
import { Refused } from './response.js';
import { TransportError } from './transport.js';

/**
 * The response to a write. `notSent`: nothing of it left this machine. `refused`: the exchange refused one request; the network may
 * have sent that twice, and the first may have been executed. `lost`: it may have been sent, and no usable answer came.
 */
export type WriteResponse<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | ({ readonly kind: 'notSent' } & NotSentReason)
  | { readonly kind: 'lost'; readonly reason: string };

const MORE_TIME = 'Use --timeout SECONDS to allow more time.';

export const NO_TIME = {
  kind: 'notSent',
  reason: 'no time was left for it',
  failure: 'unreachable',
  hint: MORE_TIME,
} as const;
export const CANCELLED = { kind: 'notSent', reason: 'it was cancelled', failure: 'declined' } as const;
export const WAITED_TOO_LONG = {
  kind: 'notSent',
  reason: "waiting for the exchange's limits left no time for its answer",
  failure: 'limited',
  hint: MORE_TIME,
} as const;

/**
 * Converts an error to a response. A Failure is thrown only before anything is sent: by the limiter, the settings of the network
 * or a sandbox that could not start. After any other error the request may have arrived.
 */
export function writeResponseOf(thrown: unknown): WriteResponse<never> {
  if (thrown instanceof Interrupted) return CANCELLED;
  if (thrown instanceof Refused) return { kind: 'refused', refusal: thrown };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Failure)
    return { kind: 'notSent', reason: asPart(reason), failure: thrown.kind, hint: thrown.hints };
  return thrown instanceof TransportError && !thrown.mayHaveBeenSent
    ? { kind: 'notSent', reason, failure: 'unreachable', hint: unreachableHint(thrown) }
    : { kind: 'lost', reason };
}

/** A sentence as a part of another one. A name in capitals at its beginning stays. */
function asPart(sentence: string): string {
  return withoutPeriod(sentence.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()));
}
