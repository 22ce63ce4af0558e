import { expect, it } from 'vitest';
import type { RefusalKind } from '../../src/domain/refusal.js';
import type { Failure } from '../../src/errors.js';
import { requestFailure } from '../../src/exchange/requests/failures.js';
import { refusalFailure, refusalFailureKind } from '../../src/exchange/requests/refusals.js';
import { InvalidParameter } from '../../src/exchange/requests/request.js';
import { BadStatus, Refused, readResponse, UnexpectedResponse } from '../../src/exchange/requests/response.js';
import { saying } from '../support/advice.js';

it.each<readonly [RefusalKind, ...(readonly number[])]>([
  ['invalid', 1001],
  ['inTrouble', 1002, 1009],
  ['badKey', 1003, 3004],
  ['passwordLocked', 1004],
  ['badPassword', 1005],
  ['closed', 1006, 1010, 1013, 1014, 3010],
  ['noPermission', 1012],
  ['insufficientFunds', 2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009],
  ['notFound', 3001, 3008],
  ['badPrice', 3002],
  ['badAmount', 3003],
  ['badAddress', 3005],
  ['badOrigin', 3006],
  ['expired', 3007],
  ['locked', 4001],
  ['tooFrequent', 4002],
  ['other', 1007, 1111, 2010, 4003],
])('reads a response as the refusal %s', (kind, ...codes) => {
  for (const code of codes) {
    const body = JSON.stringify({ code, message: 'no' });
    expect(() => readResponse('getAccountInfo', body)).toThrow(
      expect.objectContaining({ kind, code, message: '“no”' }),
    );
  }
});

it('keeps the code and the words of the exchange in the failure of a refusal', () => {
  const failure = refusalFailure(new Refused(2009, '“Insufficient balance”'), 'order');
  expect(failure).toMatchObject({ kind: 'refused', refusal: 'insufficientFunds', code: 2009 });
  expect(failure.message).toBe('order: rejected by the exchange: “Insufficient balance”');
  expect(failure.hints).toEqual([{ argv: ['balance'], note: 'See what is available' }]);
});

it.each([
  ['busy', 'limited'],
  ['tooFrequent', 'limited'],
  ['locked', 'limited'],
  ['badKey', 'credentials'],
  ['noPermission', 'refused'],
  ['other', 'refused'],
] as const)('reports the refusal %s as %s', (kind, failure) => {
  expect(refusalFailureKind({ kind })).toBe(failure);
});

it.each<readonly [status: number, retryAfter: number | null, kind: string, message: string, hint: string]>([
  [299, null, 'internal', "HTTP 299, which is not part of the exchange's API", 'pit profile show'],
  [300, null, 'internal', 'a redirect (HTTP 300), which is not part', 'pit profile show'],
  [399, null, 'internal', 'a redirect (HTTP 399), which is not part', 'pit profile show'],
  [400, null, 'internal', 'answered with HTTP 400, which is not part', 'pit profile show'],
  [499, null, 'internal', 'answered with HTTP 499, which is not part', 'pit profile show'],
  [500, null, 'unreachable', 'answered with HTTP 500', 'The exchange may be down for a while.'],
  [429, null, 'limited', 'HTTP 429: too many requests', 'Try again later.'],
  [429, 7, 'limited', 'HTTP 429: too many requests', 'The host takes requests again in 7 s.'],
  [403, 7, 'limited', 'HTTP 403: a guard in front of the exchange', 'pit profile show'],
])('reports the status %i with a retry after %s s as %s', (status, retryAfter, kind, message, hint) => {
  expect(requestFailure(new BadStatus(status, retryAfter), 'getOrders')).toMatchObject({
    kind,
    message: expect.stringContaining(message),
    hints: saying(hint),
  });
});

it('names a host to check only for the limiting status of a guard', () => {
  const hints = [403, 418, 429].map(
    (status) => (requestFailure(new BadStatus(status, null), 'x') as Failure).hints.length,
  );
  expect(hints).toEqual([2, 1, 1]);
});

it('says when a lock ends, of a lock whose end is known and of no other refusal', () => {
  const end = Date.UTC(2026, 10, 21, 12);
  const hintOf = (code: number, lockedUntil?: number) =>
    (requestFailure(new Refused(code, '“no”'), 'order', lockedUntil) as Failure).hints;
  expect(hintOf(4001, end)).toEqual([expect.stringMatching(/^The lock ends by itself, at .*12:00/)]);
  expect(hintOf(4001)).toEqual(['The lock ends by itself after an hour.']);
  expect(hintOf(4002, end)).toEqual(['Send fewer requests a second with this key.']);
});

it.each<readonly [what: string, thrown: Error, kind: string, hints: readonly string[]]>([
  ['a page', new UnexpectedResponse('It is an HTML page.', 'html'), 'internal', ['is down', 'Nothing was changed']],
  ['another form', new UnexpectedResponse('It is empty.', 'empty'), 'internal', ['pit profile show', '--verbose']],
  ['a wrong parameter', new InvalidParameter('amount', 'is missing'), 'usage', []],
])('reports %s with what helps', (_, thrown, kind, hints) => {
  const failure = requestFailure(thrown, 'order') as Failure;
  expect(failure.kind).toBe(kind);
  for (const hint of hints) expect(failure.hints).toEqual(saying(hint));
});

it('passes on what is no failure of a request', () => {
  const error = new RangeError('a defect');
  expect(requestFailure(error, 'order')).toBe(error);
});
