import { Failure, type FailureKind } from '../errors.js';
import { OBSERVED } from './observed-codes.js';
import { Refused } from './response.js';
import { TransportError } from './transport.js';

/** What became of a write. Only `notSent` and `refused` say that nothing was done; `lost` says that nobody knows yet. */
export type Verdict<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly refusal: Refused }
  | NotSent
  | { readonly kind: 'lost'; readonly reason: string };

interface NotSent {
  readonly kind: 'notSent';
  /** As a part of a sentence. */
  readonly reason: string;
  /** What kind of failure it is where nothing else can be told: `limited` where the limits left no room for it. */
  readonly failure: FailureKind;
}

export const NO_TIME: NotSent = { kind: 'notSent', reason: 'no time was left for it', failure: 'unreachable' };
export const TAKEN_BACK: NotSent = { kind: 'notSent', reason: 'it was taken back', failure: 'declined' };
export const WAITED_TOO_LONG: NotSent = {
  kind: 'notSent',
  reason: "waiting for the exchange's limits left no time for its answer",
  failure: 'limited',
};

/** A Failure here is of the limits, or of a host that could not be started. Whatever is not known to have stayed here may have arrived. */
export function verdictOf(thrown: unknown): Verdict<never> {
  if (thrown instanceof Refused) return { kind: 'refused', refusal: thrown };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Failure) return { kind: 'notSent', reason: asPart(reason), failure: thrown.kind };
  const stayed = thrown instanceof TransportError && !thrown.sent;
  return stayed ? { kind: 'notSent', reason, failure: 'unreachable' } : { kind: 'lost', reason };
}

function asPart(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

/** Refused for what came before it: the request itself was not looked at. */
export function isUnread({ code, busy }: Refused): boolean {
  return busy || code === OBSERVED.tooFrequent || code === OBSERVED.locked;
}
