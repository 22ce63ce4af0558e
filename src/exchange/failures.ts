import { type Advice, ANY_MARKET, Failure, type FailureKind, localTimeText, suggest } from '../errors.js';
import { REJECTS_KEYS, RETURN_CODES } from './observed-codes.js';
import { InvalidParameter } from './request.js';
import { BadStatus, Refused, UnexpectedResponse } from './response.js';
import { TransportError } from './transport.js';

/** Hints for the codes of rate limits. */
const RATE_CODES: Readonly<Record<number, string>> = {
  [RETURN_CODES.locked]: 'The lock ends by itself after an hour.',
  [RETURN_CODES.tooFrequent]: 'Send fewer requests a second with this key.',
};

/** Hints for codes, by their observed meanings. */
const CODE_HINTS: Readonly<Record<number, Advice>> = {
  [RETURN_CODES.general]: suggest('List the markets of this exchange', 'markets'),
  [RETURN_CODES.noPermission]: ['The key lacks a permission.', suggest('See what it may do', 'account')],
  [RETURN_CODES.insufficientBalance]: suggest('See what is available', 'balance'),
  [RETURN_CODES.orderNotFound]: suggest('List your orders', 'orders', ANY_MARKET),
  [RETURN_CODES.badPrice]: [
    'If the order is PostOnly, its price must not cross the book.',
    suggest('See the book', 'depth', ANY_MARKET),
  ],
  [RETURN_CODES.badAmount]: suggest('See the lot sizes and minimums', 'markets'),
  [RETURN_CODES.badAddress]: 'This key is not allowed from this IP address.',
  [RETURN_CODES.expired]: "Check this machine's clock. The next request uses the time that the exchange reported.",
};

const WRONG_KEYS: Advice = [
  'The profile or the environment may hold keys of another exchange, the two keys may be swapped, or the exchange has deleted the key.',
  suggest('See how the stored keys end', 'keys', 'show'),
  suggest('Store other keys', 'keys', 'set'),
];

/**
 * What went wrong with a request, as a Failure for the user. Errors of other kinds are returned as they are.
 * @param lockedUntil when a lock of this machine's address ends, if known: ms since the Unix epoch
 */
export function failureOf(thrown: unknown, operation: string, lockedUntil?: number): unknown {
  if (thrown instanceof Refused) return withLockEnd(refusalFailure(thrown, operation), lockedUntil);
  if (thrown instanceof TransportError) {
    return new Failure('unreachable', `${operation}: ${thrown.message}`, {
      hint: unreachableHint(thrown),
      cause: thrown,
    });
  }
  if (thrown instanceof BadStatus) return badStatus(thrown, operation);
  if (thrown instanceof UnexpectedResponse) {
    return new Failure('internal', thrown.message, { hint: unexpectedResponseHint(thrown), cause: thrown });
  }
  if (thrown instanceof InvalidParameter) return new Failure('usage', `${operation}: ${thrown.message}`);
  return thrown;
}

function withLockEnd(failure: Failure, lockedUntil: number | undefined): Failure {
  if (failure.code !== RETURN_CODES.locked || lockedUntil === undefined) return failure;
  return failure.hinting(`The lock ends by itself, at ${localTimeText(lockedUntil)}.`);
}

/** What kind of failure a code is that rejected a request. */
export function rejectionKind(code: number | null): FailureKind {
  return REJECTS_KEYS.has(code) ? 'credentials' : 'refused';
}

/** What to do about such a code. @param otherwise if it does not reject the keys */
export function rejectionHint(code: number | null, otherwise: Advice): Advice {
  return REJECTS_KEYS.has(code) ? WRONG_KEYS : otherwise;
}

/** The failure for a request that the exchange rejected with a code other than 1000. */
export function refusalFailure({ code, message, busy }: Refused, operation: string): Failure {
  if (busy) {
    const hint = 'Another program may be using the same limit. Try this again in a moment.';
    return new Failure('limited', `${operation}: the exchange is busy: ${message}`, { hint });
  }
  const rate = code === null ? undefined : RATE_CODES[code];
  if (rate !== undefined && code !== null) {
    return new Failure('limited', `${operation}: the exchange's limit was reached: ${message}`, { code, hint: rate });
  }
  const hint = rejectionHint(code, CODE_HINTS[code ?? 0] ?? '--verbose shows the request.');
  const details = code === null ? { hint } : { hint, code };
  return new Failure(rejectionKind(code), `${operation}: rejected by the exchange: ${message}`, details);
}

/** Why a write was not sent. */
export interface NotSent {
  /** As a part of a sentence. */
  readonly reason: string;
  /** The kind of failure to report: `limited` if the limits left no room for it. */
  readonly failure: FailureKind;
  /** What to do about it. */
  readonly hint?: Advice | undefined;
  /** Whether it was sent in fact, and only counts as not sent: the exchange did not execute it in time. */
  readonly hasExpired?: boolean;
}

/** The failure of a write that was not sent; `what` begins the message, for instance "The order". */
export function notSentFailure(what: string, notSent: NotSent, clientId: string): Failure {
  const { reason, failure, hint, hasExpired = false } = notSent;
  return new Failure(failure, `${what} ${hasExpired ? 'counts as' : 'was'} not sent: ${reason}.`, { clientId, hint });
}

function badStatus({ status, retryAfter, message }: BadStatus, operation: string): Failure {
  if (status === 429)
    return new Failure('limited', `${operation}: ${message}: too many requests`, {
      hint: retryAfter === null ? 'Try again later.' : `The host takes requests again in ${retryAfter} s.`,
    });
  if (status >= 500)
    return new Failure('unreachable', `${operation}: ${message}`, { hint: 'The exchange may be down for a while.' });
  return new Failure('internal', `${operation}: ${message}, which is not part of the exchange's API`, {
    hint: suggest('Check the host', 'profile', 'show'),
  });
}

/** What to do if the exchange could not be reached. */
export function unreachableHint({ fault, hint }: TransportError): Advice {
  if (hint !== undefined) return hint;
  if (fault === 'hostNotFound' || fault === 'connectionRefused')
    return suggest('Check the host and the network', 'profile', 'show');
  if (fault === 'proxy')
    return 'Write HTTPS_PROXY or ALL_PROXY like http://proxy.example.com:3128. NO_PROXY names the hosts that are reached without one.';
  return 'Nothing was changed by this call.';
}

function unexpectedResponseHint({ form }: UnexpectedResponse): Advice {
  return form === 'html'
    ? [
        'Such a page usually means that the exchange is down, or that the host does not serve its API.',
        'Nothing was changed by this call.',
      ]
    : [suggest('Check the host', 'profile', 'show'), '--verbose shows the requests.'];
}
