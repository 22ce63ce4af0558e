import { expect, it } from 'vitest';
import { Failure, type FailureKind } from '../../../src/errors.js';
import { isSameRefusal } from '../../../src/trading/settling/same-refusal.js';

const refused = (code: number | null, kind: FailureKind = 'refused') => new Failure(kind, 'No.', { code });

it.each(['refused', 'credentials'] as const)(
  'a lookup shows that the write was rejected if it is %s with the same code',
  (kind) => {
    expect(isSameRefusal(refused(1009, kind), 1009)).toBe(true);
    expect(isSameRefusal(refused(1009, kind), 2009)).toBe(false);
  },
);

it.each<[string, unknown]>([
  ['a lookup without an answer', refused(1009, 'unreachable')],
  ['a lookup beyond the rate limit', refused(1009, 'limited')],
  ['an exchange in trouble', new Failure('refused', 'Later.', { code: 1009, refusal: 'inTrouble' })],
  ['an error of pit', new Error('1009')],
])('%s proves nothing about a write that was rejected with the same code', (_, error) => {
  expect(isSameRefusal(error, 1009)).toBe(false);
});

it('a lookup that was rejected without a code proves nothing about a write without one', () => {
  expect(isSameRefusal(refused(null), null)).toBe(false);
  expect(isSameRefusal(refused(null), undefined)).toBe(false);
});
