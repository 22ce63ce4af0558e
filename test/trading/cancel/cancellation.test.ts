import { expect, it } from 'vitest';
import { isConfirmed, NO_FACTS } from '../../../src/trading/cancel/cancellation.js';

it.each([
  ['confirmed if the order says what filled', { id: '7', filled: '0.2' }, true],
  ['confirmed if nothing filled', { id: '7', filled: '0' }, true],
  [
    'unconfirmed if only the answer says what filled: the order may have filled more',
    { id: null, filled: '0.2' },
    false,
  ],
  ['unconfirmed if it is unknown what filled', { id: '7', filled: null }, false],
])('a cancellation is %s', (_, facts, expected) => {
  const cancel = { ...NO_FACTS, ...facts, outcome: 'cancelled', code: 1000, message: null, failure: null } as const;
  expect(isConfirmed(cancel)).toBe(expected);
  expect(isConfirmed({ ...cancel, outcome: 'unknown' })).toBe(false);
});
