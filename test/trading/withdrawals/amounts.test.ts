import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { type AmountContext, amountsOf, parseWithdrawAmount } from '../../../src/trading/withdrawals/amounts.js';

const CHAIN = { chain: 'BTC', mainChain: 'BTC', fee: '0.0005', canWithdraw: true, usesMemo: false };
const TERMS: AmountContext = { coin: 'btc', scale: 8, available: '2.5', chain: CHAIN, fee: undefined, place: 'inside' };

function sums(word: string, changes: Partial<AmountContext> = {}) {
  return amountsOf(parseWithdrawAmount(word), { ...TERMS, ...changes });
}

describe('the amounts of a withdrawal', () => {
  it.each<[string, Partial<AmountContext>, string, string, string, string]>([
    ['1', {}, '1', '0.0005', '0.9995', '1'],
    ['1.50', {}, '1.50', '0.0005', '1.4995', '1.5'],
    ['1', { place: 'onTop' }, '1', '0.0005', '1', '1.0005'],
    ['1', { fee: '0.001' }, '1', '0.001', '0.999', '1'],
    ['1', { fee: '0.0015' }, '1', '0.0015', '0.9985', '1'],
    ['100%', {}, '2.5', '0.0005', '2.4995', '2.5'],
    ['100%', { place: 'onTop' }, '2.4995', '0.0005', '2.4995', '2.5'],
    ['33%', { scale: 2 }, '0.82', '0.0005', '0.8195', '0.82'],
    ['2.5', {}, '2.5', '0.0005', '2.4995', '2.5'],
  ])(
    'the amount %s with %j is %s, a fee of %s, %s received and %s taken',
    (word, changes, amount, fee, receives, taken) => {
      expect(sums(word, changes)).toEqual({ amount, fee, receives, taken });
    },
  );

  it.each<[string, Partial<AmountContext>, RegExp]>([
    ['0.0005', {}, /Nothing would arrive of 0.0005 btc: the fee on BTC is 0.0005/],
    ['0.0004', {}, /Nothing would arrive/],
    ['2.50000001', {}, /takes 2.50000001 btc, but 2.5 btc is available/],
    ['2.5', { place: 'onTop' }, /takes 2.5005 btc/],
    ['1.123456789', {}, /more decimals than btc allows/],
    ['1', { fee: '0.00049' }, /below that of BTC, 0.0005/],
    ['1', { fee: '0.000500001' }, /The fee 0.000500001 has more decimals/],
    ['1', { fee: '0.00150001' }, /more than 3 times that of BTC, 0.0005 btc; nothing was sent/],
    ['0.05', { fee: '3', place: 'onTop', available: '20' }, /The fee 3 btc is more than 3 times/],
    ['1', { fee: '0.1', chain: { ...CHAIN, fee: '0' } }, /more than 3 times that of BTC, 0 btc/],
    ['0.01%', { available: '0.001', place: 'onTop' }, /comes to nothing/],
  ])('refuses an amount of %s with %j: %s', (word, changes, message) => {
    expect(() => sums(word, changes)).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) }),
    );
  });

  it.each([
    ['1e-05', { amount: '0.00001' }],
    ['2.5E-1btc', { amount: '0.25', coin: 'btc' }],
    ['5e1%', { percent: '50' }],
  ])('can be given with an exponent, as %s', (word, amount) => {
    expect(parseWithdrawAmount(word)).toEqual(amount);
  });

  it.each(['', '0', '-1', '1e30', '1e3e3', '1,5', '101%', '1e3%', '0%', '.5', '5.', '1 btc', '1%%'])(
    'cannot be read from %j',
    (word) => {
      expect(() => parseWithdrawAmount(word)).toThrow(expect.objectContaining({ kind: 'usage' }));
    },
  );

  it('never exceed the available balance with a share, and add up exactly', () => {
    const places = fc.constantFrom('inside' as const, 'onTop' as const);
    const percents = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), percents, places, fc.nat(8), (units, percent, place, scale) => {
        const available = Decimal.fromUnits(units, 8);
        let found: ReturnType<typeof sums>;
        try {
          found = sums(`${percent}%`, { available: available.toString(), place, scale, chain: { ...CHAIN, fee: '0' } });
        } catch {
          return;
        }
        const [amount, fee, receives, taken] = [found.amount, found.fee, found.receives, found.taken].map(Decimal.of);
        if (amount === undefined || fee === undefined || receives === undefined || taken === undefined)
          throw new Error();
        expect(taken.compare(available)).toBeLessThanOrEqual(0);
        expect(receives.plus(fee).compare(taken)).toBe(0);
        expect(amount.significantScale).toBeLessThanOrEqual(scale);
      }),
    );
  });
});
