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
    feeCoin: changes.feeDiscount === true ? null : changes.side === 'sell' ? 'usdt' : 'btc',
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
  it('the fee is in the base coin for a buy and in the quote coin for a sell (observed)', () => {
    expect(estimated('buy', '0.5', record({}))).toBe('0.001 btc');
    // 60 of 30000 is 0.2 %
    expect(estimated('sell', '15000', record({ side: 'sell', fee: '60' }))).toBe('30 usdt');
  });

  it('averages the rates of earlier orders, weighted by what they received', () => {
    const records = [record({ filled: '1', fee: '0.002' }), record({ filled: '3', fee: '0.002' })];
    // 0.004 of 4
    expect(estimated('buy', '1', ...records)).toBe('0.001 btc');
  });

  it('rounds the fee up to eight decimals', () => {
    expect(estimated('buy', '1', record({ filled: '3', fee: '0.001' }))).toBe('0.00033334 btc');
  });

  it.each<[string, Order[]]>([
    ['there is no order', []],
    ['no order filled', [record({ filled: '0', fee: '0' })]],
    ['the exchange reports no fees', [record({ fee: null })]],
    ['the discount coin paid the fees', [record({ feeDiscount: true })]],
    ['all orders are of the other side', [record({ side: 'sell' })]],
  ])('the fee is unknown if %s', (_name, records) => {
    expect(estimated('buy', '1', ...records)).toBeNull();
  });

  it('the fee is zero if earlier orders paid nothing', () => {
    expect(estimated('buy', '1', record({ fee: '0' }))).toBe('0 btc');
  });
});
