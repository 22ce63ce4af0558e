import { expect, it } from 'vitest';
import type { RefusalKind } from '../../src/domain/refusal.js';
import { refusalFailure, refusalFailureKind } from '../../src/exchange/requests/refusals.js';
import { Refused, readResponse } from '../../src/exchange/requests/response.js';

it.each<readonly [RefusalKind, ...(readonly number[])]>([
  ['invalid', 1001],
  ['inTrouble', 1002, 1009],
  ['badKey', 1003, 3004],
  ['passwordLocked', 1004],
  ['badPassword', 1005],
  ['closed', 1006, 1010, 1013, 1014, 3010],
  ['noPermission', 1012],
  ['insufficientFunds', 2001, 2005, 2009],
  ['notFound', 3001, 3008],
  ['badPrice', 3002],
  ['badAmount', 3003],
  ['badAddress', 3005],
  ['badOrigin', 3006],
  ['expired', 3007],
  ['locked', 4001],
  ['tooFrequent', 4002],
  ['other', 1111],
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
