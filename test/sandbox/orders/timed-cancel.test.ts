import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ExchangeFixture, temporaryDirectory } from '../support/exchange-fixture.js';

const BTC = 'btc_usdt';
const far = { market: BTC, side: 'buy', type: 'limit', price: '20000', amount: '0.01' } as const;

function states({ exchange, account }: ExchangeFixture, ...ids: string[]): string[] {
  return ids.map((id) => exchange.orders.order(account, BTC, { id }).state);
}

describe('cancelAllAfter', () => {
  test('cancels every open order of the market after a minute, and none before', async () => {
    const clocked = await ExchangeFixture.open();
    const { exchange, account, clock } = clocked;
    const before = exchange.funds.balances(account);
    const buy = exchange.orders.place(account, far);
    expect(exchange.orders.cancelAllAfter(account, BTC)).toBe(clock.time + 60_000);
    const sell = exchange.orders.place(account, { ...far, side: 'sell', price: '60000' });
    const elsewhere = exchange.orders.place(account, { ...far, market: 'eth_usdt', price: '500', amount: '0.1' });
    clocked.pass(59_999);
    expect(states(clocked, buy, sell)).toEqual(['open', 'open']);
    clocked.pass(1);
    expect(states(clocked, buy, sell)).toEqual(['cancelled', 'cancelled']);
    expect(exchange.orders.order(account, 'eth_usdt', { id: elsewhere }).state).toBe('open');
    exchange.orders.cancel(account, 'eth_usdt', { id: elsewhere });
    expect(exchange.funds.balances(account)).toEqual(before);
    const later = exchange.orders.place(account, far);
    clocked.pass(120_000);
    expect(states(clocked, later)).toEqual(['open']);
  });

  test('restarts the minute with each further call', async () => {
    const clocked = await ExchangeFixture.open();
    const { exchange, account } = clocked;
    const id = exchange.orders.place(account, far);
    for (let call = 0; call < 3; call += 1) {
      exchange.orders.cancelAllAfter(account, BTC);
      clocked.pass(45_000);
    }
    expect(states(clocked, id)).toEqual(['open']);
    clocked.pass(14_999);
    expect(states(clocked, id)).toEqual(['open']);
    clocked.pass(1);
    expect(states(clocked, id)).toEqual(['cancelled']);
  });

  test('happens at its time even without requests, so that nothing trades afterwards', async () => {
    const [one, other] = [await ExchangeFixture.open(), await ExchangeFixture.open()];
    for (const clocked of [one, other]) {
      const { exchange, account } = clocked;
      const { ask } = exchange.market.ticker(BTC);
      exchange.orders.place(account, {
        ...far,
        side: 'sell',
        price: `${Number(ask.slice(0, -3)) + 1}.00`,
        amount: '0.5',
      });
      exchange.orders.cancelAllAfter(account, BTC);
    }
    one.pass(280_000, 500);
    other.pass(280_000);
    expect(other.everything()).toEqual(one.everything());
  });

  test('survives a kill, also if its minute ends meanwhile', async () => {
    const clocked = await ExchangeFixture.open();
    const { exchange, account } = clocked;
    const id = exchange.orders.place(account, far);
    exchange.orders.cancelAllAfter(account, BTC);
    await exchange.durable();
    const [early, late] = [temporaryDirectory(), temporaryDirectory()];
    for (const directory of [early, late]) cpSync(clocked.directory, directory, { recursive: true });
    const waiting = await ExchangeFixture.open({ directory: early, time: clocked.clock.time + 59_999 });
    expect(states(waiting, id)).toEqual(['open']);
    waiting.pass(1);
    expect(states(waiting, id)).toEqual(['cancelled']);
    expect(states(await ExchangeFixture.open({ directory: late, time: clocked.clock.time + 61_000 }), id)).toEqual([
      'cancelled',
    ]);
  });
});
