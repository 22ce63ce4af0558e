import { type Advice, Failure, localTimeText, suggest } from '../../errors.js';
import { refusalFailure } from './refusals.js';
import { InvalidParameter } from './request.js';
import { BadStatus, LIMITING_STATUSES, Refused, UnexpectedResponse } from './response.js';
import { TransportError } from './transport.js';

/**
 * What went wrong with a request, as a Failure for the user. Errors of other kinds are returned as they are.
 * @param lockedUntil when a lock of this machine's address ends, if known: ms since the Unix epoch
 */
export function requestFailure(thrown: unknown, operation: string, lockedUntil?: number): unknown {
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
  if (failure.refusal !== 'locked' || lockedUntil === undefined) return failure;
  return failure.hinting(`The lock ends by itself, at ${localTimeText(lockedUntil)}.`);
}

function badStatus({ status, retryAfter, message }: BadStatus, operation: string): Failure {
  const limit = LIMITING_STATUSES.get(status);
  if (limit !== undefined)
    return new Failure('limited', `${operation}: ${message}: ${limit}`, {
      hint: [
        retryAfter === null ? 'Try again later.' : `The host takes requests again in ${retryAfter} s.`,
        // the guard may also know another reason
        ...(status === 403 ? [suggest('If it stays so, check the host', 'profile', 'show')] : []),
      ],
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
