import { expect, it } from 'vitest';
import { positiveDecimal } from '../../src/commands/inputs.js';
import { readAmount } from '../../src/trading/expressions.js';

it.each(['0.3', '3', '007', '.3', '3.', '0', '0.0', '-1', '+1', '1e3', '1,5', ' 1', '', '1'.repeat(31)])(
  'positiveDecimal and readAmount agree whether %j is a number',
  (word) => {
    const takes = (read: (word: string) => unknown) => {
      try {
        read(word);
        return true;
      } catch {
        return false;
      }
    };
    expect(takes(positiveDecimal('--amount'))).toBe(takes(readAmount));
  },
);
