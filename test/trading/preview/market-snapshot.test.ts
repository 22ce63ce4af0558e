import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { type ReplacedOrder, withoutOrder } from '../../../src/trading/preview/market-snapshot.js';

const BIDS = [
  { price: '100.00', amount: '2.5' },
  { price: '99', amount: '1' },
];
const ASKS = [{ price: '101', amount: '3' }];

function replaced(changes: Partial<Record<'side' | 'price' | 'amount', string>> = {}): ReplacedOrder {
  const { side = 'buy', price = '100', amount = '2' } = changes;
  return { side: side === 'buy' ? 'buy' : 'sell', price: Decimal.of(price), amount: Decimal.of(amount) };
}

describe('a book without an order', () => {
  it.each<[string, Parameters<typeof replaced>[0], object]>([
    ["loses the order's part of its level", {}, { bids: [{ price: '100.00', amount: '0.5' }, BIDS[1]], asks: ASKS }],
    ["loses a level that is the order's alone", { amount: '2.5' }, { bids: [BIDS[1]], asks: ASKS }],
    ['loses no more than the level has', { amount: '9' }, { bids: [BIDS[1]], asks: ASKS }],
    ['changes on the side of the order alone', { side: 'sell', price: '101', amount: '3' }, { bids: BIDS, asks: [] }],
    ['stays the same if it does not reach that far', { price: '98' }, { bids: BIDS, asks: ASKS }],
  ])('%s', (_, changes, left) => {
    expect(withoutOrder({ bids: BIDS, asks: ASKS }, replaced(changes))).toEqual(left);
  });
});
