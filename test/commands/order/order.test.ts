import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { DECIMAL, ID, TEXT, useWorld } from '../pit-home.js';
import { type Balance, balances, ORDER_ROW, type OrderRow, place, product, same, shown, sum } from './order-rows.js';

const pit = useWorld({ markets: STILL_MARKETS });

async function btcAndUsdt(): Promise<{ btc: Balance; usdt: Balance }> {
  const all = await balances(pit);
  const [btc, usdt] = [all.get('btc'), all.get('usdt')];
  if (btc === undefined || usdt === undefined) throw new Error('the play account owns both');
  return { btc, usdt };
}

/** The sandbox charges 0.2 % of what a trade yields, a part of a unit whole, for each trade of the order. */
function expectFee({ fee }: OrderRow, received: string): void {
  const exact = Decimal.of(product(received, '0.002'));
  expect(Decimal.of(fee).compare(exact)).toBeGreaterThanOrEqual(0);
  // an order of this size meets a handful of others at most, and each adds less than one unit
  expect(Decimal.of(fee).minus(exact).compare(Decimal.of('0.0000002'))).toBeLessThan(0);
}

describe('pit order', () => {
  it('prints every field of the contract', async () => {
    const order = await place(pit, 'buy btc_usdt 0.01 --at ask+1%');
    expect(order).toStrictEqual({
      outcome: 'placed',
      id: ID,
      clientId: expect.stringMatching(/^[A-Za-z0-9]{4,36}$/),
      market: 'btc_usdt',
      side: 'buy',
      type: 'limit',
      account: 'spot',
      price: DECIMAL,
      amount: '0.01',
      notional: product(order.price, '0.01'),
      duplicates: [],
      state: 'filled',
      filled: '0.010000',
      filledValue: DECIMAL,
      averagePrice: DECIMAL,
      fee: DECIMAL,
      feeCoin: 'btc',
      existing: false,
    });
  });

  it('accounts for a buy that fills at once to the last digit, with the fee in the base coin', async () => {
    const before = await btcAndUsdt();
    const row = await shown(pit, await place(pit, 'buy btc_usdt 0.02 --at ask+1%'));
    const after = await btcAndUsdt();
    expect(row).toStrictEqual({ ...ORDER_ROW, averagePrice: DECIMAL, state: 'filled', status: 2 });
    expect(same(row.filled, '0.02') && same(row.remaining, '0')).toBe(true);
    expect(Decimal.of(row.averagePrice ?? '0').compare(Decimal.of(row.price))).toBeLessThanOrEqual(0);
    expectFee(row, row.filled);
    expect(same(after.btc.total, sum(before.btc.total, row.filled, `-${row.fee}`))).toBe(true);
    expect(same(after.usdt.total, sum(before.usdt.total, `-${row.filledValue}`))).toBe(true);
    expect(after.usdt.frozen).toBe(before.usdt.frozen);
  });

  it('accounts for a sell that fills at once to the last digit', async () => {
    const before = await btcAndUsdt();
    const row = await shown(pit, await place(pit, 'sell btc_usdt 0.015 --at bid-1% --ioc'));
    const after = await btcAndUsdt();
    expect(row).toMatchObject({ side: 'sell', type: 'ioc', state: 'filled', feeCoin: 'usdt' });
    expectFee(row, row.filledValue);
    expect(same(after.btc.available, sum(before.btc.available, '-0.015'))).toBe(true);
    expect(same(after.usdt.available, sum(before.usdt.available, row.filledValue, `-${row.fee}`))).toBe(true);
  });

  it('freezes the value of a resting order, and a cancellation releases it', async () => {
    const before = await btcAndUsdt();
    const order = await place(pit, 'buy btc_usdt 0.03 --at bid-20% --post-only');
    const held = await btcAndUsdt();
    expect(await shown(pit, order)).toStrictEqual({ ...ORDER_ROW, type: 'postOnly', status: 3 });
    expect(same(held.usdt.frozen, sum(before.usdt.frozen, order.notional))).toBe(true);
    expect(same(held.usdt.available, sum(before.usdt.available, `-${order.notional}`))).toBe(true);
    expect(same(held.usdt.total, before.usdt.total)).toBe(true);
    const cancelled = await pit.json(`cancel btc_usdt ${order.id}`);
    expect(cancelled).toStrictEqual([
      {
        outcome: 'cancelled',
        id: order.id,
        clientId: null,
        market: 'btc_usdt',
        price: order.price,
        amount: expect.stringMatching(/^0\.030*$/),
        filled: expect.stringMatching(/^0(\.0+)?$/),
        filledValue: expect.stringMatching(/^0(\.0+)?$/),
        code: 1000,
        message: TEXT,
      },
    ]);
    expect(await shown(pit, order)).toMatchObject({ state: 'cancelled', status: 1 });
    expect(await btcAndUsdt()).toEqual(before);
  });

  it('succeeds with --ioc that fills nothing', async () => {
    const before = await btcAndUsdt();
    const row = await shown(pit, await place(pit, 'sell btc_usdt 0.01 --at ask+20% --ioc'));
    expect(row).toMatchObject({ type: 'ioc', state: 'cancelled', averagePrice: null });
    expect(same(row.filled, '0')).toBe(true);
    expect(await btcAndUsdt()).toEqual(before);
  });

  it('refuses --post-only that would fill at once, and nothing changes', async () => {
    const before = await btcAndUsdt();
    // the guard would hold it back before the exchange is asked
    const error = await pit.failure('order buy btc_usdt 0.01 --at ask+1% --post-only --override post-only --yes', 3);
    expect(error).toMatchObject({ kind: 'refused', code: 3002, clientId: TEXT });
    expect(await btcAndUsdt()).toEqual(before);
  });

  it('the exchange rejects an order for more than the balance', async () => {
    // so large a notional is held back by two guards before the exchange is asked
    const guards = '--override order-notional,day-notional';
    const error = await pit.failure(`order sell btc_usdt 5000 --at ask+20% ${guards} --yes`, 3);
    expect(error).toMatchObject({ kind: 'refused', code: 2009 });
  });

  it('finds an order by your own id', async () => {
    const order = await place(pit, 'sell btc_usdt 0.01 --at ask+20% --id myOrder1');
    expect(order).toMatchObject({ clientId: 'myOrder1' });
    const row = await pit.json('order show btc_usdt --id myOrder1');
    expect(row).toMatchObject({ id: order.id, clientId: 'myOrder1', side: 'sell', feeCoin: 'usdt' });
    expect(await pit.json('cancel btc_usdt --id myOrder1')).toMatchObject([
      { outcome: 'cancelled', id: order.id, clientId: 'myOrder1' },
    ]);
    expect(await shown(pit, order)).toMatchObject({ state: 'cancelled', clientId: 'myOrder1' });
  });

  it('refuses borrowing on spot, a missing price and contradicting types', async () => {
    for (const words of ['--at 20000 --borrow', '--at 20000 --repay', '', '--at 20000 --ioc --post-only'])
      await pit.failure(`order buy btc_usdt 0.01 ${words} --yes`.replace('  ', ' '), 2);
  });
});
