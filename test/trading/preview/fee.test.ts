import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Order, Side } from '../../../src/domain/order.js';
import { estimateFee } from '../../../src/trading/preview/preview.js';

function record(changes: Partial<Order>): Order {
  return {
    id: '1',
    clientId: null,
    market: 'btc_usdt',
    side: 'buy',
    type: 'limit',
    price: '30000',
    amount: '1',
    filled: '1',
    filledValue: '30000',
    fee: '0.002',
    feeDiscount: false,
    time: 0,
    state: 'filled',
    status: 2,
    ...changes,
  };
}

function estimated(side: Side, receives: string, ...records: Order[]): string | null {
  const estimate = estimateFee(records, side, Decimal.of(receives));
  return estimate && `${estimate.fee} ${estimate.coin}`;
}

describe('an estimated fee', () => {
  it('of a buy is paid in base, a sell pays quote (observed)', () => {
    expect(estimated('buy', '0.5', record({}))).toBe('0.001 btc');
    // 60 of 30000 is 0.2 %
    expect(estimated('sell', '15000', record({ side: 'sell', fee: '60' }))).toBe('30 usdt');
  });

  it('follows all orders that tell, each with the weight of what it received', () => {
    const records = [record({ filled: '1', fee: '0.002' }), record({ filled: '3', fee: '0.002' })];
    // 0.004 of 4
    expect(estimated('buy', '1', ...records)).toBe('0.001 btc');
  });

  it('is rounded up to what a balance can hold', () => {
    expect(estimated('buy', '1', record({ filled: '3', fee: '0.001' }))).toBe('0.00033334 btc');
  });

  it.each<[string, Order[]]>([
    ['there is no order', []],
    ['none was filled', [record({ filled: '0', fee: '0' })]],
    ['the exchange tells no fees', [record({ fee: null })]],
    ['the discount coin paid, whose name nobody tells', [record({ feeDiscount: true })]],
    ['all are of the other side', [record({ side: 'sell' })]],
  ])('is not known where %s', (_name, records) => {
    expect(estimated('buy', '1', ...records)).toBeNull();
  });

  it('of nothing is nothing where others paid nothing', () => {
    expect(estimated('buy', '1', record({ fee: '0' }))).toBe('0 btc');
  });
});
