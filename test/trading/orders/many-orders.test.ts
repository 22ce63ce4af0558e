import { describe, expect, it } from 'vitest';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { fakeHost, NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { count, NOT_FOUND, query, record } from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** An exchange that places every order and lists all of them, ten a page; `now` is its clock. */
async function exchange() {
  const orders: string[] = [];
  const clock = { now: () => NOW };
  const place = ({ price, amount }: Record<string, string>) => {
    const id = String(1_000 + orders.length);
    orders.unshift(record({ id, price: Number(price), amount: Number(amount), time: clock.now() }));
    return id;
  };
  const server = await serveFaults({
    answer: ({ target }) => {
      const { pageNumber, ...given } = query(target);
      if (target.startsWith('/api/order?')) return respond(`{"code":"1000","message":"ok","id":"${place(given)}"}`);
      const page = orders.slice(10 * (Number(pageNumber) - 1), 10 * Number(pageNumber));
      return respond(page.length === 0 ? NOT_FOUND : `[${page.join(',')}]`);
    },
  });
  return { server, clock, place };
}

async function placeMany(trading: TestTrading, name: string, many: number, pauseMs = 50): Promise<void> {
  for (let number = 0; number < many; number += 1) {
    await trading.host.sleep(pauseMs);
    const placed = await placeOrder(trading, { ...TERMS, price: `${20_000 + number}` }, { id: `${name}${number}` });
    expect(placed).toMatchObject({ outcome: 'placed', duplicates: [] });
  }
}

describe('many orders in a row', () => {
  it('take two signed requests each, however many came before', async () => {
    const { server, clock } = await exchange();
    const trading = tradingOf(server.url, { budgetMs: 600_000 });
    clock.now = trading.host.now;
    await placeMany(trading, 'one', 60);
    expect([count(server, 'order'), count(server, 'getOrders'), count(server, 'getOrder')]).toEqual([60, 60, 0]);
  });

  it('read further back once a minute, to close all whose requests have expired', async () => {
    const { server, clock } = await exchange();
    const trading = tradingOf(server.url, { budgetMs: 600_000, tolerance: 60_000 });
    clock.now = trading.host.now;
    await placeMany(trading, 'one', 60);
    await trading.host.sleep(70_000);
    await placeMany(trading, 'two', 30);
    // one of them reads the seven pages of all 61, the others one page each
    expect(count(server, 'getOrders')).toBe(60 + 29 + 7);
    expect(trading.journal.settledEntries({ market: 'btc_usdt', side: 'buy' })).toHaveLength(30);
    await trading.host.sleep(70_000);
    await placeMany(trading, 'three', 1);
    expect(trading.journal.settledEntries({ market: 'btc_usdt', side: 'buy' })).toHaveLength(1);
  });

  it('one of them reports the duplicate of another that came since', async () => {
    const { server, clock, place } = await exchange();
    const trading = tradingOf(server.url, { budgetMs: 600_000 });
    clock.now = trading.host.now;
    await placeMany(trading, 'one', 20);
    place({ price: '20003', amount: TERMS.amount });
    const placed = await placeOrder(trading, { ...TERMS, price: '19000' }, { id: 'last' });
    expect(placed).toMatchObject({ outcome: 'placed', duplicates: [{ writeId: 'one3', ids: ['1020'] }] });
  });
});

it('a clock that was set back does not keep lists from closing writes', async () => {
  const { server, clock } = await exchange();
  const trading = tradingOf(server.url, { budgetMs: 600_000, tolerance: 60_000 });
  clock.now = trading.host.now;
  const side = { market: 'btc_usdt', side: 'buy' } as const;
  await placeOrder(trading, TERMS, { id: 'first' });
  await trading.host.sleep(1_000);
  expect(trading.journal.isListDue(side, () => true)).toBe(true);
  await trading.host.sleep(59_999);
  expect(trading.journal.isListDue(side, () => true)).toBe(false);
  const before = tradingOf(server.url, { state: trading.state });
  expect(fakeHost().now()).toBeLessThan(trading.host.now());
  expect(before.journal.isListDue(side, () => true)).toBe(true);
});
