import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { isTooSmall, validateOrder } from '../../../src/trading/orders/terms.js';
import { MARKET } from '../support/market.js';

function check(price: string, amount: string): void {
  validateOrder(MARKET, Decimal.of(price), Decimal.of(amount));
}

describe('the rules of a market', () => {
  it.each([
    ['30000', '0.001'],
    ['30000.50', '0.0010'],
    // zeros beyond the scale change nothing
    ['30000.5000', '0.00100000'],
    ['5000', '0.001'],
    ['0.01', '500'],
  ])('accepts an order at %s for %s', (price, amount) => {
    expect(() => check(price, amount)).not.toThrow();
  });

  it.each([
    [
      '30000.001',
      '1',
      'The price 30000.001 has more decimals than btc_usdt takes.',
      'At most 2 decimals: a tick is 0.01.',
    ],
    [
      '30000',
      '0.00101',
      'The amount 0.00101 has more decimals than btc_usdt takes.',
      'At most 4 decimals: a lot is 0.0001.',
    ],
    ['30000', '0.0009', 'Amount 0.0009 is below the minimum of 0.001 btc.', 'Use 0.001 or more.'],
    ['30000', '0', 'Amount 0 is below the minimum of 0.001 btc.', 'Use 0.001 or more.'],
    ['4999.99', '0.001', 'Value 4.99999 usdt is below the minimum of 5 usdt.', 'Use 5 or more.'],
    ['0.00', '1', 'The price comes to 0.00, which is not above zero.', 'Choose a smaller offset.'],
    ['-1', '1', 'The price comes to -1, which is not above zero.', 'Choose a smaller offset.'],
  ])('rejects an order at %s for %s', (price, amount, message, hint) => {
    expect(() => check(price, amount)).toThrow(expect.objectContaining({ kind: 'usage', message, hints: [hint] }));
  });
});

describe('the minimum of a market', () => {
  it.each([
    ['5000', '0.001', 'allows'],
    ['30000', '0.0009', 'excludes'],
    ['4999.99', '0.001', 'excludes'],
    ['1', '0.0001', 'excludes'],
  ])('the minimum, at the price %s and the amount %s, %s the order', (price, amount, expected) => {
    expect(isTooSmall(MARKET, Decimal.of(price), Decimal.of(amount)) ? 'excludes' : 'allows').toBe(expected);
  });
});
