import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Side } from '../../../src/domain/words.js';
import type { OrderRecord } from '../../../src/exchange/operations/trading.js';
import { estimateFee } from '../../../src/trading/preview/preview.js';

function record(changes: Partial<OrderRecord>): OrderRecord {
  return {
    id: '1',
    currency: 'btc_usdt',
    price: '30000',
    total_amount: '1',
    trade_amount: '1',
    trade_money: '30000',
    trade_date: 0,
    status: 2,
    type: 1,
    fees: '0.002',
    useXxFee: false,
    ...changes,
  };
}

function estimated(side: Side, receives: string, ...records: OrderRecord[]): string | null {
  const estimate = estimateFee(records, side, Decimal.of(receives));
  return estimate && `${estimate.fee} ${estimate.coin}`;
}

describe('an estimated fee', () => {
  it('of a buy is paid in base, a sell pays quote (observed)', () => {
    expect(estimated('buy', '0.5', record({}))).toBe('0.001 btc');
    // 60 of 30000 is 0.2 %
    expect(estimated('sell', '15000', record({ type: 0, fees: '60' }))).toBe('30 usdt');
  });

  it('follows all orders that tell, each with the weight of what it received', () => {
    const records = [record({ trade_amount: '1', fees: '0.002' }), record({ trade_amount: '3', fees: '0.002' })];
    // 0.004 of 4
    expect(estimated('buy', '1', ...records)).toBe('0.001 btc');
  });

  it('is rounded up to what a balance can hold', () => {
    expect(estimated('buy', '1', record({ trade_amount: '3', fees: '0.001' }))).toBe('0.00033334 btc');
  });

  it.each<[string, OrderRecord[]]>([
    ['there is no order', []],
    ['none was filled', [record({ trade_amount: '0', fees: '0' })]],
    ['the exchange tells no fees', [record({ fees: null })]],
    ['the discount coin paid, whose name nobody tells', [record({ useXxFee: true })]],
    ['all are of the other side', [record({ type: 0 })]],
  ])('is not known where %s', (_name, records) => {
    expect(estimated('buy', '1', ...records)).toBeNull();
  });

  it('of nothing is nothing where others paid nothing', () => {
    expect(estimated('buy', '1', record({ fees: '0' }))).toBe('0 btc');
  });
});
