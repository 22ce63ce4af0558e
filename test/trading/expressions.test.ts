import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.js';
import { Failure } from '../../src/errors.js';
import {
  type AmountTerms,
  evaluateAmount,
  evaluateOrder,
  evaluatePrice,
  parseAmount,
  parsePrice,
} from '../../src/trading/expressions.js';
import { MarketSnapshot } from '../../src/trading/preview/market-snapshot.js';
import { saying } from '../support/advice.js';
import { MARKET } from './support/market.js';

const BOOK = { bid: Decimal.of('100.01'), ask: Decimal.of('100.04') };

function price(word: string, side: 'buy' | 'sell', scale = 2): string {
  return evaluatePrice(parsePrice(word), BOOK, side, scale).toString();
}

const TERMS: AmountTerms = { side: 'buy', base: 'btc', quote: 'usdt', price: Decimal.of('30000'), scale: 4 };

/** With 1000 usdt or btc available. */
function amount(word: string, changes: Partial<AmountTerms> = {}, available = '1000'): string {
  return evaluateAmount(parseAmount(word), { ...TERMS, ...changes }, Decimal.of(available)).toString();
}

/** A positive decimal of up to so many digits before and after the point. */
function positive(whole: number, fraction: number): fc.Arbitrary<Decimal> {
  return fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** BigInt(whole + fraction) }), fc.nat(fraction))
    .map(([units, scale]) => Decimal.fromUnits(units, scale));
}

describe('a price expression', () => {
  it.each([
    ['31000.50', '31000.50', '31000.50'],
    ['0.00000001', '0.00000001', '0.00000001'],
    ['8.329e-05', '0.00008329', '0.00008329'],
    ['3.1E+4', '31000', '31000'],
    ['bid+1e-2', '100.02', '100.02'],
    ['mid-5e-1%', '99.52', '99.53'],
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
  ])('resolves %s to %s for a buy and to %s for a sell', (word, buy, sell) => {
    expect([price(word, 'buy'), price(word, 'sell')]).toEqual([buy, sell]);
  });

  it.each([
    '',
    '0',
    '0.00',
    '-1',
    '1e30',
    '1e3e3',
    '1,00',
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
    expect(() => parsePrice(word)).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringMatching(refusal) }),
    );
  });

  it.each(['bid', 'ask-1', 'bid+2ticks'])('resolves %s if the other side of the book is empty', (word) => {
    const empty = word.startsWith('bid') ? { ...BOOK, ask: null } : { ...BOOK, bid: null };
    expect(evaluatePrice(parsePrice(word), empty, 'buy', 2).toString()).toBe(price(word, 'buy'));
  });

  it.each([
    ['bid', { ...BOOK, bid: null }, 'There is no bid in the book now'],
    ['ask+1', { ...BOOK, ask: null }, 'There is no ask in the book now'],
    ['mid', { ...BOOK, bid: null }, 'There is no bid in the book now'],
    ['mid', { ...BOOK, ask: null }, 'There is no ask in the book now'],
  ])('refuses %s if the side of the book that it needs is empty', (word, book, message) => {
    expect(() => evaluatePrice(parsePrice(word), book, 'buy', 2)).toThrow(
      expect.objectContaining({ kind: 'refused', message: expect.stringContaining(message) }),
    );
  });

  it.each<[word: string, bid: string, message: string]>([
    ['mid', '105', 'The book is crossed: the best bid 105 is above the best ask 100.04, so mid has no meaning.'],
    ['mid-0.5%', '105', 'The book is crossed: the best bid 105 is above the best ask 100.04, so mid has no meaning.'],
    [
      'mid+1tick',
      '100.04',
      'The book is locked: the best bid and the best ask are both 100.04, so mid has no meaning.',
    ],
  ])('refuses %s in a book with a best bid of %s, which is crossed', (word, bid, message) => {
    const crossed = { ...BOOK, bid: Decimal.of(bid) };
    const hints = saying('Give the price as a number, or relative to bid or ask.');
    expect(() => evaluatePrice(parsePrice(word), crossed, 'buy', 2)).toThrow(
      expect.objectContaining({ kind: 'refused', message, hints }),
    );
  });

  it('resolves bid and ask in a crossed book', () => {
    const crossed = { ...BOOK, bid: Decimal.of('105') };
    const at = (word: string) => evaluatePrice(parsePrice(word), crossed, 'buy', 2).toString();
    expect([at('bid-1tick'), at('ask+1tick')]).toEqual(['104.99', '100.05']);
  });

  it.each(['28 063', '28,063', '2,8063', '28,0635', "28'063", '0,5'])(
    'refuses %s and says to write it without separators',
    (word) => {
      const hints = saying('Write the number with a point and without separators, as in 28063.5.');
      expect(() => parsePrice(word)).toThrow(expect.objectContaining({ hints }));
      expect(() => parseAmount(word)).toThrow(expect.objectContaining({ hints }));
    },
  );

  it.each(['28k', '28.5K', '28000usdt', '1e3usdt'])('refuses the price %s and says to write all digits', (word) => {
    const hints = saying('Write all digits and no unit, as in 28063.5.');
    expect(() => parsePrice(word)).toThrow(expect.objectContaining({ hints }));
  });

  it('never costs more than was asked, with the decimals of the market', () => {
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
          const word = parsePrice(`${name}${sign}${size}${unit}`);
          const [buy, sell] = [evaluatePrice(word, book, 'buy', scale), evaluatePrice(word, book, 'sell', scale)];
          expect([buy.scale, sell.scale]).toEqual([scale, scale]);
          expect(buy.compare(asked)).toBeLessThanOrEqual(0);
          expect(sell.compare(asked)).toBeGreaterThanOrEqual(0);
          expect(sell.minus(buy).compare(Decimal.fromUnits(1n, scale))).toBeLessThanOrEqual(0);
        },
      ),
    );
  });
});

describe('an amount expression', () => {
  it.each([
    ['0.5', '0.5'],
    ['0.50', '0.50'],
    ['1btc', '1'],
    ['100usdt', '0.0033'],
    ['50%', '0.0166'],
  ])('resolves %s to %s btc for a buy at 30000 with 1000 usdt available', (word, expected) => {
    expect(amount(word)).toBe(expected);
  });

  it('rounds down to the decimals of the market', () => {
    expect(amount('100USDT', { price: Decimal.of('3') })).toBe('33.3333');
    expect(amount('100%', { side: 'sell' }, '0.12349')).toBe('0.1234');
    expect(amount('33.3%', { side: 'sell' }, '1')).toBe('0.3330');
  });

  it('refuses a share of nothing, and names the coin', () => {
    expect(() => amount('50%', {}, '0')).toThrow('No usdt is available for this order.');
    expect(() => amount('50%', { side: 'sell' }, '0')).toThrow('No btc is available for this order.');
  });

  it.each([
    '',
    '0',
    '0%',
    '-1',
    '101%',
    '100.01%',
    '1e30',
    '1e5%',
    '1e3e3',
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
    expect(() => parseAmount(word)).toThrow(
      expect.objectContaining({ kind: 'usage', message: `"${word}" is not an amount.` }),
    );
  });

  it('refuses a coin that this market does not trade', () => {
    for (const word of ['5eth', '1x5']) {
      const refusal = { kind: 'usage', message: expect.stringContaining('trades btc for usdt') };
      expect(() => amount(word)).toThrow(expect.objectContaining(refusal));
    }
  });

  it('spends no more than the share and at most one lot less, with the decimals of the market', () => {
    const percent = positive(2, 3).filter((value) => value.compare(Decimal.of('100')) <= 0);
    fc.assert(
      fc.property(
        positive(9, 8),
        positive(7, 8),
        percent,
        fc.nat(10),
        fc.constantFrom('buy', 'sell' as const),
        (balance, at, share, scale, side) => {
          const size = evaluateAmount(parseAmount(`${share}%`), { ...TERMS, side, price: at, scale }, balance);
          const most = balance.times(share).times(Decimal.of('0.01'));
          const cost = (lots: Decimal) => (side === 'buy' ? lots.times(at) : lots);
          expect(size.scale).toBe(scale);
          expect(cost(size).compare(most)).toBeLessThanOrEqual(0);
          expect(cost(size).compare(balance)).toBeLessThanOrEqual(0);
          expect(cost(size.plus(Decimal.fromUnits(1n, scale))).compare(most)).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('costs no more than the value and at most one lot less, with the decimals of the market', () => {
    fc.assert(
      fc.property(positive(9, 4), positive(7, 8), fc.nat(10), (value, at, scale) => {
        const size = evaluateAmount(parseAmount(`${value}usdt`), { ...TERMS, price: at, scale }, Decimal.zero);
        expect(size.scale).toBe(scale);
        expect(size.times(at).compare(value)).toBeLessThanOrEqual(0);
        expect(size.plus(Decimal.fromUnits(1n, scale)).times(at).compare(value)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('an order with expressions', () => {
  const snapshot = (bid = '100.01') => {
    const asked: string[] = [];
    const view = { bids: [{ price: bid, amount: '1' }], asks: [{ price: '100.04', amount: '1' }], last: null };
    const parts = {
      book: () => asked.push('book') && view,
      spendable: () => asked.push('spendable') && Decimal.of('1000'),
    };
    return { asked, book: Object.assign(Object.create(MarketSnapshot.prototype) as MarketSnapshot, parts) };
  };

  it.each([
    ['30000.5', '0.5', ['30000.5', '0.5'], []],
    ['bid+1tick', '100usdt', ['100.02', '0.9998'], ['book']],
    ['30000', '50%', ['30000', '0.0166'], ['spendable']],
    ['ask', '100%', ['100.04', '9.9960'], ['book', 'spendable']],
  ])('an order at %s for %s comes to %j and reads %j', async (at, size, expected, reads) => {
    const { book, asked } = snapshot();
    const order = { side: 'buy', at: parsePrice(at), amount: parseAmount(size) } as const;
    const { price, amount } = await evaluateOrder(book, MARKET, order);
    expect([String(price), String(amount)]).toEqual(expected);
    expect(asked).toEqual(reads);
  });

  it.each([
    ['bid-100.01', '0.00'],
    ['bid-200', '-99.99'],
  ])('refuses the price %s, which comes to %s', async (at, price) => {
    const order = { side: 'buy', at: parsePrice(at), amount: parseAmount('1') } as const;
    await expect(evaluateOrder(snapshot().book, MARKET, order)).rejects.toMatchObject({
      kind: 'usage',
      message: `The price comes to ${price}, which is not above zero.`,
      hints: ['Choose a smaller offset.'],
    });
  });

  it('fails with the failure of the book or the balance that it needs', async () => {
    const failure = new Failure('unreachable', 'no answer came in time');
    const { book } = snapshot();
    const broken = Object.assign(book, { book: async () => failure, spendable: async () => failure });
    for (const [at, size] of [
      ['bid', '1'],
      ['1', '50%'],
    ] as const) {
      const order = { side: 'buy', at: parsePrice(at), amount: parseAmount(size) } as const;
      await expect(evaluateOrder(broken, MARKET, order)).rejects.toBe(failure);
    }
  });
});

describe('the hint of a refusal', () => {
  const hintOf = (act: () => unknown): unknown => {
    try {
      act();
    } catch (error) {
      return (error as Failure).hints;
    }
    return undefined;
  };

  it('says how a price or an amount is written', () => {
    expect(hintOf(() => parsePrice('last'))).toEqual(saying('bid, ask or mid with one offset: bid+2ticks'));
    expect(hintOf(() => parsePrice('bid+1.5ticks'))).toEqual(saying('Ticks are counted in whole numbers.'));
    expect(hintOf(() => parsePrice('x1,000'))).toEqual(saying('Write a number above zero'));
    expect(hintOf(() => parseAmount('many'))).toEqual(saying('a share like 50%'));
    expect(hintOf(() => parseAmount('101%'))).toEqual(saying('A share is at most 100%.'));
  });

  it('says what to do about an empty book, a missing balance and a coin of another market', () => {
    const empty = { bid: null, ask: null };
    expect(hintOf(() => evaluatePrice(parsePrice('mid'), empty, 'buy', 2))).toEqual(
      saying('Give the price as a number.'),
    );
    expect(hintOf(() => amount('50%', {}, '0'))).toEqual(
      saying(/^See what is available, and what open orders hold: pit balance$/),
    );
    expect(hintOf(() => amount('5eth'))).toEqual(saying('Write it in btc, or as a value in usdt.'));
  });
});
