import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Failure } from '../../../src/errors.js';
import { amountTerms, evaluateAmount, parseAmount } from '../../../src/trading/expressions.js';
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
    [
      '4999.99',
      '0.001',
      'Value 4.99999 usdt is below the minimum of 5 usdt.',
      'Check the price, or use an amount of 0.0011 btc or more.',
    ],
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

describe('the hint for an order below a minimum', () => {
  const number = (whole: number, scale: number) =>
    fc.bigInt(1n, 10n ** BigInt(whole + scale)).map((units) => Decimal.fromUnits(units, scale));
  const drawn = fc.record({ priceScale: fc.nat(8), amountScale: fc.nat(8) }).chain(({ priceScale, amountScale }) =>
    fc.record({
      market: fc.record({ minAmount: number(3, 8), minNotional: number(3, 8) }).map(({ minAmount, minNotional }) => ({
        ...{ ...MARKET, priceScale, amountScale },
        ...{ minAmount: minAmount.toString(), minNotional: minNotional.toString() },
      })),
      price: number(5, priceScale),
      text: fc.tuple(number(2, 6), fc.constantFrom('', 'usdt', 'btc')).map(([value, unit]) => `${value}${unit}`),
    }),
  );

  it('names an amount that is accepted after it is rounded to lots, in the coin in which it was given', () => {
    let hinted = 0;
    const validate = (market: typeof MARKET, price: Decimal, text: string): string | undefined => {
      const given = parseAmount(text);
      const amount = evaluateAmount(given, amountTerms(market, 'buy', price), Decimal.zero);
      try {
        validateOrder(market, price, amount, given);
        return undefined;
      } catch (error) {
        if (!(error instanceof Failure) || !error.message.includes('below the minimum')) return undefined;
        return String(error.hints[0]);
      }
    };
    fc.assert(
      fc.property(drawn, ({ market, price, text }) => {
        const hint = validate(market, price, text);
        if (hint === undefined) return;
        hinted += 1;
        const [, enough = '', unit = ''] = /([\d.]+)(usdt)?( btc)? or more\.$/.exec(hint) ?? [];
        expect(unit).toBe(text.endsWith('usdt') ? 'usdt' : '');
        expect(validate(market, price, `${enough}${unit}`)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    expect(hinted).toBeGreaterThan(500);
  });
});
