import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { remainderOf } from '../../../src/trading/orders/terms.js';

const WANTED = {
  market: 'btc_usdt',
  side: 'buy',
  type: 'limit',
  account: 'spot',
  price: '30100',
  amount: '0',
  borrow: false,
  repay: false,
} as const;

const amount = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((units) => Decimal.fromUnits(units, 6));

describe('the remainder of an order', () => {
  it('the remainder is the wanted minus the filled amount, and never negative', () => {
    fc.assert(
      fc.property(amount, amount, (wanted, filled) => {
        const rest = Decimal.of(remainderOf({ ...WANTED, amount: wanted.toString() }, filled.toString()).amount);
        expect(rest.sign).toBeGreaterThanOrEqual(0);
        const sum = rest.plus(filled);
        expect(sum.compare(filled.compare(wanted) > 0 ? filled : wanted)).toBe(0);
      }),
    );
  });
});
