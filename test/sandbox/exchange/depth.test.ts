import { expect, test } from 'vitest';
import { MarketService } from '../../../src/sandbox/exchange/market-service.js';
import { ExchangeFixture } from '../support/exchange-fixture.js';
import { OrderFixture } from '../support/order-fixture.js';

const BTC = 'btc_usdt';

test('the depth is cached until the book changes', () => {
  const fixture = new OrderFixture(['ann', 'ben']);
  const view = new MarketService(new Map([[BTC, fixture.venue]]), () => 0);
  const shown = () => {
    const { bids, asks } = view.depth(BTC, { size: 5 });
    expect(view.depth(BTC, { size: 5 }).bids).toBe(bids);
    return [...asks, ['|'], ...bids].map((row) => row.join(' ')).join(', ');
  };
  expect(shown()).toBe('|');
  const sell = fixture.place('ben', 'sell', 'limit', 110, 5);
  expect(shown()).toBe('1.10 0.000005, |');
  fixture.place('ann', 'buy', 'limit', 100, 7);
  expect(shown()).toBe('1.10 0.000005, |, 1.00 0.000007');
  fixture.place('ann', 'buy', 'ioc', 110, 2);
  expect(shown()).toBe('1.10 0.000003, |, 1.00 0.000007');
  fixture.cancel(sell);
  expect(shown()).toBe('|, 1.00 0.000007');
  expect(() => fixture.place('ben', 'sell', 'postOnly', 100, 1)).toThrow();
  fixture.place('ben', 'sell', 'ioc', 100, 7);
  expect(shown()).toBe('|');
});

test('depths of different sizes and steps are cached separately', () => {
  const fixture = new OrderFixture(['ann']);
  const view = new MarketService(new Map([[BTC, fixture.venue]]), () => 0);
  for (const price of [101, 102, 113]) fixture.place('ann', 'buy', 'limit', price, 1);
  const rows = (size: number, merge: string) =>
    view
      .depth(BTC, { size, merge })
      .bids.map((row) => row.join(' '))
      .join(', ');
  for (let again = 0; again < 2; again += 1) {
    expect(rows(1, '0.01')).toBe('1.13 0.000001');
    expect(rows(2, '0.01')).toBe('1.13 0.000001, 1.02 0.000001');
    expect(rows(2, '0.1')).toBe('1.10 0.000001, 1.00 0.000002');
  }
});

test('after every step of the simulation the depth matches the ticker and the orders', async () => {
  const clocked = await ExchangeFixture.open();
  const { exchange, account } = clocked;
  for (let step = 0; step < 100; step += 1) {
    clocked.pass(500);
    const { bid, ask } = exchange.market.ticker(BTC);
    // the ticker reads the book itself
    const { bids, asks } = exchange.market.depth(BTC, { size: 50 });
    expect([bids[0]?.[0], asks[0]?.[0]]).toEqual([bid, ask]);
    const order = { market: BTC, side: 'buy', type: 'limit', price: bid, amount: '0.001' } as const;
    const before = BigInt((bids[0]?.[1] ?? '').replace('.', ''));
    const id = exchange.orders.place(account, order);
    expect(BigInt((exchange.market.depth(BTC, { size: 50 }).bids[0]?.[1] ?? '').replace('.', ''))).toBe(
      before + 1_000n,
    );
    exchange.orders.cancel(account, BTC, { id });
    expect(exchange.market.depth(BTC, { size: 50 }).bids).toEqual(bids);
  }
});
