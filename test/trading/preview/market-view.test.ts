import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Side } from '../../../src/domain/order.js';
import {
  averagePrice,
  type BookView,
  fillsAtOnce,
  percentFrom,
  referenceOf,
} from '../../../src/trading/preview/market-view.js';

/** Best first, as a depth is read. */
const ASKS = [
  { price: '100.5', amount: '2' },
  { price: '101', amount: '3' },
  { price: '105', amount: '10' },
];
const BIDS = [
  { price: '99.5', amount: '1' },
  { price: '98', amount: '4' },
];

function walked(side: Side, price: string, amount: string, levels = side === 'buy' ? ASKS : BIDS) {
  const fills = fillsAtOnce(levels, side, Decimal.of(price), Decimal.of(amount));
  const average = averagePrice(fills, side);
  return [
    fills.amount.trimmed().toString(),
    fills.value.trimmed().toString(),
    average?.toString() ?? null,
    fills.atLeast,
  ];
}

describe('the part of an order that fills at once', () => {
  it.each<[name: string, side: Side, price: string, amount: string, expected: unknown[]]>([
    ['a part of the best level', 'buy', '100.5', '1', ['1', '100.5', '100.5', false]],
    ['exactly the best level', 'buy', '100.5', '2', ['2', '201', '100.5', false]],
    ['no more than the price reaches', 'buy', '100.5', '2.5', ['2', '201', '100.5', false]],
    // 2 x 100.5 + 3 x 101 = 504, and 504 / 5 = 100.8
    ['two levels', 'buy', '104.99', '9', ['5', '504', '100.8', false]],
    ['a level at the very price', 'buy', '105', '6', ['6', '609', '101.5', false]],
    // 504 + 2 x 105 = 714, and 714 / 7 = 102
    ['three levels at any price', 'buy', '1000000', '7', ['7', '714', '102', false]],
    ['all that is seen, and who knows what stands behind', 'buy', '105', '15.1', ['15', '1554', '103.6', true]],
    ['all that is seen, wanted no further', 'buy', '105', '15', ['15', '1554', '103.6', false]],
    ['nothing below the best ask', 'buy', '100.49', '1', ['0', '0', null, false]],
    ['the best bid for a sell', 'sell', '99.5', '2', ['1', '99.5', '99.5', false]],
    ['down the bids', 'sell', '98', '2', ['2', '197.5', '98.75', false]],
    ['nothing above the best bid', 'sell', '99.51', '1', ['0', '0', null, false]],
    ['all bids and perhaps more', 'sell', '1', '6', ['5', '491.5', '98.3', true]],
  ])('%s', (_name, side, price, amount, expected) => {
    expect(walked(side, price, amount)).toEqual(expected);
  });

  it('the part is exactly zero in an empty book', () => {
    expect(walked('buy', '100', '1', [])).toEqual(['0', '0', null, false]);
  });

  it('rounds the average against the user', () => {
    const thirds = [
      { price: '1', amount: '1' },
      { price: '2', amount: '2' },
    ];
    // 5 / 3
    expect(walked('buy', '9', '3', thirds)[2]).toBe('1.6666666667');
    expect(walked('sell', '1', '3', thirds.toReversed())[2]).toBe('1.6666666666');
  });

  it('equals what a unit-by-unit model fills', () => {
    const level = fc.record({ price: fc.integer({ min: 1, max: 30 }), amount: fc.integer({ min: 1, max: 8 }) });
    const side = fc.constantFrom('buy', 'sell' as const);
    fc.assert(
      fc.property(fc.array(level, { maxLength: 8 }), side, fc.nat(35), fc.nat(40), (levels, way, price, amount) => {
        const sorted = levels.toSorted((a, b) => (way === 'buy' ? a.price - b.price : b.price - a.price));
        const units = sorted.flatMap((each) => Array.from({ length: each.amount }, () => each.price));
        const reached = units.filter((each) => (way === 'buy' ? each <= price : each >= price)).slice(0, amount);
        const texts = sorted.map((each) => ({ price: String(each.price), amount: String(each.amount) }));
        const fills = fillsAtOnce(texts, way, Decimal.of(String(price)), Decimal.of(String(amount)));
        expect(fills.amount.toString()).toBe(String(reached.length));
        expect(fills.value.toString()).toBe(String(reached.reduce((sum, each) => sum + each, 0)));
        expect(fills.atLeast).toBe(units.length > 0 && reached.length === units.length && amount > units.length);
      }),
    );
  });
});

describe('the reference price', () => {
  const bids = [{ price: '99', amount: '2' }];
  const asks = [{ price: '101', amount: '2' }];
  const last = Decimal.of('77');
  it.each<[string, BookView, string | null]>([
    ['is the middle of the book', { bids, asks, last: null }, '100.0 mid'],
    ['is the best bid without asks', { bids, asks: [], last }, '99 the best bid'],
    ['is the best ask without bids', { bids: [], asks, last }, '101 the best ask'],
    ['is the last price if the book is empty', { bids: [], asks: [], last }, '77 the last price'],
    ['is unknown without any price', { bids: [], asks: [], last: null }, null],
    ['is never a price of zero', { bids: [{ price: '0', amount: '1' }], asks: [], last: Decimal.zero }, null],
  ])('the reference price %s', (_name, view, expected) => {
    const reference = referenceOf(view, 'buy');
    expect(reference && `${reference.price} ${reference.name}`).toBe(expected);
  });

  it.each<[book: string, bid: string, ask: string]>([
    ['crossed', '105', '100'],
    ['locked', '100', '100'],
  ])('is the best price of the other side in a book that is %s', (_, bid, ask) => {
    const view = { bids: [{ price: bid, amount: '1' }], asks: [{ price: ask, amount: '1' }], last };
    const references = (['buy', 'sell'] as const).map((side) => referenceOf(view, side));
    expect(references.map((reference) => `${reference?.price} ${reference?.name}`)).toEqual([
      `${ask} the best ask`,
      `${bid} the best bid`,
    ]);
  });

  it('rounds the distance in percent away from zero', () => {
    const percent = (price: string) => percentFrom(Decimal.of(price), Decimal.of('30'), 2).toString();
    expect([percent('31'), percent('29'), percent('30'), percent('33')]).toEqual(['3.34', '-3.34', '0.00', '10.00']);
  });
});
