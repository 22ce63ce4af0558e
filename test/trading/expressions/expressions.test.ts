import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Failure } from '../../../src/errors.js';
import { type AmountTerms, readAmount, resolveAmount } from '../../../src/trading/expressions/amount-expression.js';
import { readPrice, resolvePrice } from '../../../src/trading/expressions/price-expression.js';

const BOOK = { bid: Decimal.of('100.01'), ask: Decimal.of('100.04') };

function price(word: string, side: 'buy' | 'sell', scale = 2): string {
  return resolvePrice(readPrice(word), BOOK, side, scale).toString();
}

function terms(changes: Partial<AmountTerms> = {}): AmountTerms {
  const available = () => Promise.resolve(Decimal.of('1000'));
  return { side: 'buy', base: 'btc', quote: 'usdt', price: Decimal.of('30000'), scale: 4, available, ...changes };
}

/** A positive decimal of up to so many digits before and after the point. */
function positive(whole: number, fraction: number): fc.Arbitrary<Decimal> {
  return fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** BigInt(whole + fraction) }), fc.nat(fraction))
    .map(([units, scale]) => Decimal.fromUnits(units, scale));
}

describe('a price word', () => {
  it.each([
    ['31000.50', '31000.50', '31000.50'],
    ['0.00000001', '0.00000001', '0.00000001'],
    ['bid', '100.01', '100.01'],
    ['ASK', '100.04', '100.04'],
    // 100.025 lies between two ticks
    ['mid', '100.02', '100.03'],
    ['bid+1tick', '100.02', '100.02'],
    ['ask-2ticks', '100.02', '100.02'],
    ['ask+5', '105.04', '105.04'],
    ['bid-0.005', '100.00', '100.01'],
    // 100.025 * 0.995 = 99.524875
    ['mid-0.5%', '99.52', '99.53'],
    ['bid+1.5%', '101.51', '101.52'],
    ['bid-100%', '0.00', '0.00'],
    ['bid-200', '-99.99', '-99.99'],
  ])('%s: buys at %s, sells at %s', (word, buy, sell) => {
    expect([price(word, 'buy'), price(word, 'sell')]).toEqual([buy, sell]);
  });

  it.each([
    '',
    '0',
    '0.00',
    '-1',
    '1e3',
    '1,000',
    'last',
    'bid+',
    'bid+2 ticks',
    'bid+1ticks+1',
    'bid*2',
    'bid+1.5ticks',
    'mid 5%',
    '1\n',
    'bid\n',
    '١',
    '1'.repeat(31),
  ])('refuses %j', (word) => {
    const refusal = new RegExp(`^"${word.replace(/[+*.]/g, '\\$&')}" is not a price\\.$`);
    expect(() => readPrice(word)).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(refusal) }),
    );
  });

  it.each(['bid', 'ask-1', 'bid+2ticks'])('%s needs its own side of the book alone', (word) => {
    const empty = word.startsWith('bid') ? { ...BOOK, ask: null } : { ...BOOK, bid: null };
    expect(resolvePrice(readPrice(word), empty, 'buy', 2).toString()).toBe(price(word, 'buy'));
  });

  it.each([
    ['bid', { ...BOOK, bid: null }, 'There is no bid in the book now'],
    ['ask+1', { ...BOOK, ask: null }, 'There is no ask in the book now'],
    ['mid', { ...BOOK, bid: null }, 'There is no bid in the book now'],
    ['mid', { ...BOOK, ask: null }, 'There is no ask in the book now'],
  ])('%s means nothing where nobody is there', (word, book, message) => {
    expect(() => resolvePrice(readPrice(word), book, 'buy', 2)).toThrow(
      expect.objectContaining({ kind: 'refused', message: expect.stringContaining(message) }),
    );
  });

  it.each(['28,063.63', '28 063', "28'063", '0,5'])('%s is told to be written without separators', (word) => {
    const hints = ['Write the number with a point and without separators, as in 28063.5.'];
    expect(() => readPrice(word)).toThrow(expect.objectContaining({ hints }));
    expect(() => readAmount(word)).toThrow(expect.objectContaining({ hints }));
  });

  it('never costs more than was asked, and is always on the scale', () => {
    const anchor = fc.constantFrom('bid', 'ask', 'mid');
    const offset = fc.tuple(fc.constantFrom('+', '-'), positive(4, 4), fc.constantFrom('', '%'));
    fc.assert(
      fc.property(
        positive(6, 8),
        positive(6, 8),
        anchor,
        offset,
        fc.nat(8),
        (bid, spread, name, [sign, size, unit], scale) => {
          const book = { bid, ask: bid.plus(spread) };
          const anchors = { bid, ask: book.ask, mid: bid.plus(book.ask).times(Decimal.of('0.5')) };
          const at = anchors[name as keyof typeof anchors];
          const move = unit === '%' ? at.times(size).times(Decimal.of('0.01')) : size;
          const asked = sign === '+' ? at.plus(move) : at.minus(move);
          fc.pre(asked.sign >= 0);
          const word = readPrice(`${name}${sign}${size}${unit}`);
          const [buy, sell] = [resolvePrice(word, book, 'buy', scale), resolvePrice(word, book, 'sell', scale)];
          expect([buy.scale, sell.scale]).toEqual([scale, scale]);
          expect(buy.compare(asked)).toBeLessThanOrEqual(0);
          expect(sell.compare(asked)).toBeGreaterThanOrEqual(0);
          expect(sell.minus(buy).compare(Decimal.fromUnits(1n, scale))).toBeLessThanOrEqual(0);
        },
      ),
    );
  });
});

describe('an amount word', () => {
  it.each([
    ['0.5', {}, '0.5'],
    ['0.50', {}, '0.50'],
    ['1btc', {}, '1'],
    ['100usdt', {}, '0.0033'],
    ['100USDT', { price: Decimal.of('3') }, '33.3333'],
    ['50%', {}, '0.0166'],
    ['100%', { side: 'sell', available: () => Promise.resolve(Decimal.of('0.12349')) }, '0.1234'],
    ['33.3%', { side: 'sell', available: () => Promise.resolve(Decimal.of('1')) }, '0.3330'],
  ] as const)('%s (case %#)', async (word, changes, amount) => {
    expect((await resolveAmount(readAmount(word), terms(changes))).toString()).toBe(amount);
  });

  it.each([
    '',
    '0',
    '0%',
    '-1',
    '101%',
    '100.01%',
    '1e5',
    '1e5%',
    '1,5',
    '.5',
    '5.',
    ' 1',
    '1 btc',
    '1\n',
    '%',
    'btc',
    '1%%',
    '1b-c',
    '1'.repeat(31),
  ])('refuses %j', (word) => {
    expect(() => readAmount(word)).toThrow(
      expect.objectContaining({ kind: 'usage', message: `"${word}" is not an amount.` }),
    );
  });

  it('refuses a coin that this market does not trade', async () => {
    for (const word of ['5eth', '1x5']) {
      await expect(resolveAmount(readAmount(word), terms())).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('trades btc for usdt'),
      });
    }
  });

  it('asks for the balance only where a share needs it', async () => {
    const available = () => Promise.reject(new Failure('internal', 'asked for'));
    await resolveAmount(readAmount('100usdt'), terms({ available }));
    await resolveAmount(readAmount('1'), terms({ available }));
    await expect(resolveAmount(readAmount('1%'), terms({ available }))).rejects.toThrow('asked for');
  });

  it('a share never spends more than it says, on the scale', async () => {
    const percent = positive(2, 3).filter((value) => value.compare(Decimal.of('100')) <= 0);
    await fc.assert(
      fc.asyncProperty(
        positive(9, 8),
        positive(7, 8),
        percent,
        fc.nat(10),
        fc.constantFrom('buy', 'sell' as const),
        async (balance, at, share, scale, side) => {
          const available = () => Promise.resolve(balance);
          const amount = await resolveAmount(readAmount(`${share}%`), terms({ side, price: at, scale, available }));
          const most = balance.times(share).times(Decimal.of('0.01'));
          const cost = (size: Decimal) => (side === 'buy' ? size.times(at) : size);
          expect(amount.scale).toBe(scale);
          expect(cost(amount).compare(most)).toBeLessThanOrEqual(0);
          expect(cost(amount).compare(balance)).toBeLessThanOrEqual(0);
          // and one lot more would
          expect(cost(amount.plus(Decimal.fromUnits(1n, scale))).compare(most)).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('a value never costs more than it says, on the scale', async () => {
    await fc.assert(
      fc.asyncProperty(positive(9, 4), positive(7, 8), fc.nat(10), async (value, at, scale) => {
        const amount = await resolveAmount(readAmount(`${value}usdt`), terms({ price: at, scale }));
        expect(amount.scale).toBe(scale);
        expect(amount.times(at).compare(value)).toBeLessThanOrEqual(0);
        expect(amount.plus(Decimal.fromUnits(1n, scale)).times(at).compare(value)).toBeGreaterThan(0);
      }),
    );
  });
});
