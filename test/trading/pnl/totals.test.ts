import { expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { BookTotals } from '../../../src/trading/pnl/book.js';
import {
  averageCost,
  daysHeld,
  netOf,
  sumsByCoin,
  unrealisedOf,
  unrealisedOfCoin,
} from '../../../src/trading/pnl/totals.js';

const of = Decimal.of;

/** Totals with this position and nothing else. */
function totalsOf(amount: string, cost: string, withoutCost = '0'): BookTotals {
  const position = { amount: of(amount), cost: of(cost), withoutCost: of(withoutCost) };
  return { position } as unknown as BookTotals;
}

it('values what has a known cost at the price, and nothing without a price', () => {
  const totals = totalsOf('3', '20', '1');
  expect(unrealisedOf(totals, of('15'))?.toString()).toBe('10');
  expect(unrealisedOf(totals, null)).toBeNull();
});

it('reports no gain of zero for a coin of which no cost is known', () => {
  expect(unrealisedOfCoin(totalsOf('3', '0', '3'), of('15'))).toBeNull();
  expect(unrealisedOfCoin(totalsOf('0', '0'), null)?.sign).toBe(0);
});

it('averages the cost over what has one, rounded down, and has no average of nothing', () => {
  expect(averageCost(totalsOf('4', '10', '1').position)?.toString()).toBe('3.33333333');
  expect(averageCost(totalsOf('1', '0', '1').position)).toBeNull();
});

it('makes a sum unknown if a part of it is', () => {
  expect(netOf(of('5'), of('-2'), of('1'))?.toString()).toBe('2');
  expect(netOf(of('5'), null, of('1'))).toBeNull();
  expect(netOf(of('5'), of('1'), null)).toBeNull();
  const fee = (coin: string, value: string | null) => ({
    coin,
    amount: of('1'),
    value: value === null ? null : of(value),
  });
  const sums = sumsByCoin([fee('btc', '10'), fee('usdt', '1'), fee('btc', null)]);
  expect(sums.map(({ coin, amount, value }) => [coin, amount.toString(), value?.toString() ?? null])).toEqual([
    ['btc', '2', null],
    ['usdt', '1', '1'],
  ]);
});

it('counts whole days, and none without a purchase or a cost', () => {
  const lot = (opened: number | null, cost: string | null) =>
    ({ opened, closed: 3 * 86_400_000 - 1, cost: cost === null ? null : of(cost) }) as Parameters<typeof daysHeld>[0];
  expect([daysHeld(lot(0, '1')), daysHeld(lot(null, '1')), daysHeld(lot(0, null))]).toEqual([2, null, null]);
});
