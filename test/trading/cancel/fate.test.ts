import { expect, it } from 'vitest';
import { NO_FACTS } from '../../../src/trading/cancel/facts.js';
import { isSeen } from '../../../src/trading/cancel/fate.js';

it.each([
  ['that tells what filled is seen', { id: '7', filled: '0.2' }, true],
  ['that filled nothing is seen', { id: '7', filled: '0' }, true],
  ['of which only the answer tells is not: the record may have filled more', { id: null, filled: '0.2' }, false],
  ['that does not tell what filled is not: that is not nothing', { id: '7', filled: null }, false],
])('a cancelled order %s', (_, facts, seen) => {
  const fate = { ...NO_FACTS, ...facts, outcome: 'cancelled', code: 1000, message: null, failure: null } as const;
  expect(isSeen(fate)).toBe(seen);
  expect(isSeen({ ...fate, outcome: 'unknown' })).toBe(false);
});
