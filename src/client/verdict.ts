import { Failure } from '../errors.js';
import { Refused } from '../protocol/response.js';
import { TransportError } from './transport.js';

/** What became of a write. Only `notSent` and `refused` say that nothing was done; `lost` says that nobody knows yet. */
export type Verdict<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly refusal: Refused }
  | { readonly kind: 'notSent'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

/** A Failure here is of a host that could not be started. Whatever is not known to have stayed here may have arrived. */
export function verdictOf(thrown: unknown): Verdict<never> {
  if (thrown instanceof Refused) return { kind: 'refused', refusal: thrown };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const stayed = thrown instanceof Failure || (thrown instanceof TransportError && !thrown.sent);
  return { kind: stayed ? 'notSent' : 'lost', reason };
}
