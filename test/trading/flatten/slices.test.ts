import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Market } from '../../../src/domain/market.js';
import { floorOf, nextSlice } from '../../../src/trading/flatten/slices.js';

const MARKET: Market = {
  ...{
    market: 'btc_usdt',
    base: 'btc',
    quote: 'usdt',
    priceScale: 2,
    amountScale: 3,
    tickSize: '0.01',
    lotSize: '0.001',
  },
  ...{ minAmount: '0.01', minNotional: '5' },
};
const BIDS = [
  { price: '100', amount: '1' },
  { price: '95', amount: '2' },
  { price: '89.99', amount: '50' },
];
const NO_LIMITS = { floor: null, maxNotional: null };

function sliceOf(left: string, limits: Partial<Record<'floor' | 'maxNotional', string>> = {}, bids = BIDS) {
  const given = Object.entries(limits).map(([name, value]) => [name, Decimal.of(value)]);
  const slice = nextSlice(MARKET, bids, Decimal.of(left), { ...NO_LIMITS, ...Object.fromEntries(given) });
  return slice && { price: slice.price.toString(), amount: slice.amount.trimmed().toString() };
}

describe('a slice of a sale', () => {
  it('is priced at the last bid that it needs and at none below', () => {
    expect(sliceOf('0.5')).toEqual({ price: '100', amount: '0.5' });
    expect(sliceOf('1')).toEqual({ price: '100', amount: '1' });
    expect(sliceOf('1.001')).toEqual({ price: '95', amount: '1.001' });
  });

  it('sells no more than the bids at the floor or better take', () => {
    expect(sliceOf('10', { floor: '90' })).toEqual({ price: '95', amount: '3' });
    expect(sliceOf('10', { floor: '89.99' })).toEqual({ price: '89.99', amount: '10' });
    expect(sliceOf('10', { floor: '100.01' })).toBeNull();
  });

  it('is no larger than the limit of one order, which counts at the best bid', () => {
    expect(sliceOf('10', { maxNotional: '250' })).toEqual({ price: '95', amount: '2.5' });
  });

  it('is rounded down to the lot, so that it never sells more than there is', () => {
    expect(sliceOf('0.5559')).toEqual({ price: '100', amount: '0.555' });
  });

  it('is none below the minimum of the market, or without a bid', () => {
    expect(sliceOf('0.009')).toBeNull();
    expect(sliceOf('0.049')).toBeNull();
    expect(sliceOf('0.05')).toEqual({ price: '100', amount: '0.05' });
    expect(sliceOf('1', {}, [])).toBeNull();
  });
});

it('the floor is the lowest tick within the price band, and there is none without a band', () => {
  expect(floorOf(MARKET, Decimal.of('33.33'), Decimal.of('0.1'))?.toString()).toBe('30.00');
  expect(floorOf(MARKET, Decimal.of('33.33'), null)).toBeNull();
});
