import { cpSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { MarketTraders } from '../../../src/sandbox/simulator/traders.js';
import { ExchangeFixture, START, temporaryDirectory } from '../support/exchange-fixture.js';

/** What a customer does, second by second. */
function trade(one: ExchangeFixture, second: number): void {
  const { exchange, account } = one;
  const { bid, ask } = exchange.market.ticker('btc_usdt');
  const price = second % 2 === 0 ? ask : bid;
  const side = second % 3 === 0 ? 'sell' : 'buy';
  const id = exchange.orders.place(account, { market: 'btc_usdt', side, type: 'limit', price, amount: '0.05' });
  if (second % 5 === 0 && exchange.orders.order(account, 'btc_usdt', { id }).state === 'open') {
    exchange.orders.cancel(account, 'btc_usdt', { id });
  }
}

test('the same seed, start and calls give the same exchange, in steps of any length', async () => {
  const isSimulated = true;
  const [one, other] = [await ExchangeFixture.open({ isSimulated }), await ExchangeFixture.open({ isSimulated })];
  for (let second = 0; second < 15; second += 1) {
    one.pass(1_000, 70);
    other.pass(1_000);
    trade(one, second);
    trade(other, second);
  }
  // beyond the end of a minute
  one.pass(70_000, 333);
  other.pass(70_000);
  expect(one.everything()).toEqual(other.everything());
});

test('another seed gives another exchange', async () => {
  const [one, other] = [await ExchangeFixture.open(), await ExchangeFixture.open({ seed: 2 })];
  expect(one.everything()).not.toEqual(other.everything());
});

test('a restart changes nothing', async () => {
  const [one, other] = [await ExchangeFixture.open(), await ExchangeFixture.open()];
  for (const clocked of [one, other]) {
    clocked.pass(10_000);
    for (let second = 0; second < 10; second += 1) trade(clocked, second);
  }
  await other.exchange.close();
  const again = await ExchangeFixture.open({ directory: other.directory, seed: 99, time: other.clock.time });
  expect(again.everything()).toEqual(one.everything());
  one.pass(70_000, 1_000);
  again.pass(70_000);
  expect(again.everything()).toEqual(one.everything());
});

test('the files of a running exchange open at its last commit, with book, time priority, balances, trades and price path', async () => {
  const one = await ExchangeFixture.open();
  for (let round = 0; round < 2; round += 1) {
    one.pass(40_000);
    for (let second = 0; second < 10; second += 1) trade(one, second);
    await one.exchange.durable();
    const copied = temporaryDirectory();
    cpSync(one.directory, copied, { recursive: true });
    const copy = await ExchangeFixture.open({ directory: copied, time: one.clock.time });
    expect(copy.everything()).toEqual(one.everything());
    copy.pass(10_000);
    one.pass(10_000);
    expect(copy.everything()).toEqual(one.everything());
  }
});

test('a long gap is simulated in coarse steps for up to a day, and prices stay flat before', async () => {
  const hour = 3_600_000;
  const one = await ExchangeFixture.open();
  one.pass(80 * hour);
  const { exchange } = one;
  const candles = exchange.market.candles('btc_usdt', '1hour', { since: START + 2 * hour, size: 1_000 });
  const traded = candles.filter(({ volume }) => Number(volume) > 0);
  expect(candles.length).toBe(78);
  expect(traded.length).toBeGreaterThanOrEqual(24);
  expect(traded.length).toBeLessThanOrEqual(26);
  expect(exchange.market.depth('btc_usdt', { size: 1_000 }).bids.length).toBeGreaterThanOrEqual(60);
  expect(exchange.market.candles('btc_usdt', '1min', { size: 1 })[0]?.close).toBe(
    exchange.market.ticker('btc_usdt').last,
  );
});

test('after a long gap, simulated traders quote in the last ten seconds only, and the book is as deep as ever', async () => {
  const one = await ExchangeFixture.open();
  const sizes = () => {
    const { bids, asks } = one.exchange.market.depth('btc_usdt', { size: 1_000 });
    return [bids.length, asks.length];
  };
  const before = sizes();
  const steps = vi.spyOn(MarketTraders.prototype, 'step');
  try {
    one.pass(3_600_000);
    expect(steps).toHaveBeenCalledTimes(20 * one.exchange.markets.size);
  } finally {
    steps.mockRestore();
  }
  for (const [side, size] of sizes().entries()) expect(size).toBeGreaterThan((before[side] ?? 0) * 0.9);
});
