import type { Refusal, RefusalKind } from '../../domain/refusal.js';
import { type Advice, ANY_MARKET, Failure, type FailureKind, suggest } from '../../errors.js';

/** What to do about keys that the exchange refuses. */
export const WRONG_KEYS: Advice = [
  'The keys may be those of another exchange, the two may be swapped, or the exchange has deleted them.',
  'PIT_ACCESS_KEY and PIT_SECRET_KEY, if set, are used instead of stored keys.',
  suggest('See how stored keys end', 'keys', 'show'),
  suggest('Store other keys', 'keys', 'set'),
];

const HINTS: Readonly<Partial<Record<RefusalKind, Advice>>> = {
  badKey: WRONG_KEYS,
  busy: 'Another program may be using the same limit. Try this again in a moment.',
  locked: 'The lock ends by itself after an hour.',
  tooFrequent: 'Send fewer requests a second with this key.',
  invalid: suggest('List the markets of this exchange', 'markets'),
  noPermission: ['The key lacks a permission.', suggest('See what it may do', 'account')],
  insufficientFunds: suggest('See what is available', 'balance'),
  notFound: suggest('List your orders', 'orders', ANY_MARKET, '--state', 'all'),
  badPrice: [
    'If the order is PostOnly, its price must not cross the book.',
    suggest('See the book', 'depth', ANY_MARKET),
  ],
  badAmount: suggest('See the lot sizes and minimums', 'markets'),
  badOrigin: 'This key is not allowed from this IP address.',
  badPassword: 'The fund password is the one for withdrawals, not the login password. Several wrong attempts lock it.',
  passwordLocked: 'The fund password is locked after wrong attempts. It unlocks after a while, or on the website.',
  expired: "Check this machine's clock. The next request uses the time that the exchange reported.",
};

/** The failure to report for a request that the exchange refused. */
export function refusalFailureKind({ kind }: Pick<Refusal, 'kind'>): FailureKind {
  if (kind === 'badKey') return 'credentials';
  return kind === 'busy' || kind === 'tooFrequent' || kind === 'locked' ? 'limited' : 'refused';
}

/** The failure for a request that the exchange refused. @param what begins the message, for instance "order" */
export function refusalFailure(refusal: Refusal, what: string): Failure {
  const { kind, code } = refusal;
  const hint = HINTS[kind] ?? '--verbose shows the request.';
  return new Failure(refusalFailureKind(refusal), `${what}: ${refusalText(refusal)}`, {
    hint,
    refusal: kind,
    code,
  });
}

/** Why the exchange did not carry out a request, as a part of a sentence. */
export function refusalText({ kind, message }: Refusal): string {
  if (kind === 'busy') return `the exchange is busy: ${message}`;
  const isLimit = kind === 'tooFrequent' || kind === 'locked';
  return `${isLimit ? "the exchange's limit was reached" : 'rejected by the exchange'}: ${message}`;
}

/** Why a write was not sent. */
export interface NotSentReason {
  /** As a part of a sentence. */
  readonly reason: string;
  /** The kind of failure to report: `limited` if the limits left no room for it. */
  readonly failure: FailureKind;
  /** What to do about it. */
  readonly hint?: Advice | undefined;
  /** Whether a halt of the account stopped it. */
  readonly halted?: boolean | undefined;
  /** Whether it was sent in fact, and only counts as not sent: the exchange did not execute it in time. */
  readonly hasExpired?: boolean;
}

/** The failure of a write that was not sent; `what` begins the message, for instance "The order". */
export function notSentFailure(what: string, notSent: NotSentReason, clientId: string): Failure {
  const { reason, failure, hint, halted, hasExpired = false } = notSent;
  const message = `${what} ${hasExpired ? 'counts as' : 'was'} not sent: ${reason}.`;
  return new Failure(failure, message, { clientId, hint, halted });
}
