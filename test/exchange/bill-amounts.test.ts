import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBillAmount, requireBillAmount } from '../../src/exchange/lists/bill-amounts.js';

describe('parseBillAmount and requireBillAmount', () => {
  it.each([
    ['+0.5BTC', 'BTC', '0.5'],
    ['-0.5BTC', 'BTC', '-0.5'],
    ['0.50000000BTC', 'BTC', '0.50000000'],
    ['+0.5btc', 'BTC', '0.5'],
    ['+0.5 BTC', 'BTC', '0.5'],
    [' + 0.5\u00a0BTC ', 'btc', '0.5'],
    ['+0.51INCH', '1INCH', '0.5'],
    ['-11INCH', '1INCH', '-1'],
    ['+1,234,567.89USDT', 'USDT', '1234567.89'],
    ['-1,000USDT', 'USDT', '-1000'],
    ['\u22120.5BTC', 'BTC', '-0.5'],
    ['+1E-8BTC', 'BTC', '0.00000001'],
    ['+.5BTC', 'BTC', '.5'.padStart(3, '0')],
    ['12', 'BTC', '12'],
    ['BTC+0.5', 'BTC', '0.5'],
    ['0BTC', 'BTC', '0'],
  ])('reads %j of %s as %s', (text, coin, amount) => {
    expect(parseBillAmount(text, coin)).toBe(amount);
  });

  it.each([
    ['+0.5ETH', 'BTC'],
    ['+0,5BTC', 'BTC'],
    ['+12,34BTC', 'BTC'],
    ['+1.234,5BTC', 'BTC'],
    ['--1BTC', 'BTC'],
    ['BTC', 'BTC'],
    ['', 'BTC'],
    ['+0.5BTC (frozen)', 'BTC'],
    ['NaN', 'BTC'],
  ])('fails for %j of %s with a message that quotes it', (text, coin) => {
    expect(parseBillAmount(text, coin)).toBeUndefined();
    expect(() => requireBillAmount(text, coin, '17')).toThrow(
      `The amount “${text}” of bill 17 (${coin}) cannot be read.`,
    );
  });

  it('reads every way to write an amount to the last digit', () => {
    const coin = fc.stringMatching(/^[0-9A-Z]{1,8}$/).filter((name) => /[A-Z]/.test(name) && !/^E/.test(name));
    const whole = fc.bigInt({ min: 0n, max: 10n ** 24n });
    const fraction = fc.stringMatching(/^(\.\d{1,20})?$/);
    fc.assert(
      fc.property(
        coin,
        whole,
        fraction,
        fc.constantFrom('+', '-', ''),
        fc.boolean(),
        (name, units, decimals, sign, group) => {
          const plain = `${sign === '-' ? '-' : ''}${units}${decimals}`;
          const digits = group ? units.toLocaleString('en') : String(units);
          const isZero = !/[1-9]/.test(plain);
          expect(parseBillAmount(`${sign}${digits}${decimals}${name}`, name)).toBe(
            isZero ? plain.replace('-', '') : plain,
          );
        },
      ),
    );
  });
});
