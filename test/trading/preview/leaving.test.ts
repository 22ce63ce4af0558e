import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { type Leaving, withLeaving, withoutLeaving } from '../../../src/trading/preview/leaving.js';

const BIDS = [
  { price: '100.00', amount: '2.5' },
  { price: '99', amount: '1' },
];
const ASKS = [{ price: '101', amount: '3' }];

function leaving(changes: Partial<Record<'side' | 'price' | 'amount', string>> = {}): Leaving {
  const { side = 'buy', price = '100', amount = '2' } = changes;
  const held = { coin: 'usdt', amount: Decimal.of('200') };
  return { side: side === 'buy' ? 'buy' : 'sell', price: Decimal.of(price), amount: Decimal.of(amount), held };
}

describe('an order that is leaving', () => {
  it.each<[string, Parameters<typeof leaving>[0], object]>([
    ['takes its part of its level', {}, { bids: [{ price: '100.00', amount: '0.5' }, BIDS[1]], asks: ASKS }],
    ['takes the level that is its own', { amount: '2.5' }, { bids: [BIDS[1]], asks: ASKS }],
    ['takes no more than is there', { amount: '9' }, { bids: [BIDS[1]], asks: ASKS }],
    ['is on its own side alone', { side: 'sell', price: '101', amount: '3' }, { bids: BIDS, asks: [] }],
    ['is not in a book that does not reach so far', { price: '98' }, { bids: BIDS, asks: ASKS }],
  ])('%s', (_, changes, left) => {
    expect(withoutLeaving({ bids: BIDS, asks: ASKS }, leaving(changes))).toEqual(left);
  });

  it('gives back what it holds, of a coin that nothing else was available of as well', () => {
    const available = new Map([['btc', Decimal.of('1')]]);
    const then = withLeaving(available, leaving());
    expect([...then].map(([coin, amount]) => `${amount} ${coin}`)).toEqual(['1 btc', '200 usdt']);
    expect(withLeaving(then, leaving()).get('usdt')?.toString()).toBe('400');
    expect([...available.keys()]).toEqual(['btc']);
  });
});
