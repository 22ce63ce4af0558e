import { describe, expect, test } from 'vitest';
import type { OrderListKind } from '../../../src/sandbox/orders/order-repository.js';
import { ExchangeFixture } from '../support/exchange-fixture.js';

const BTC = 'btc_usdt';
const far = { market: BTC, side: 'buy', type: 'limit', price: '20000', amount: '0.001' } as const;

/** Forty orders of every outcome, with their ids by outcome, newest first. */
async function history() {
  const clocked = await ExchangeFixture.open();
  const { exchange, account } = clocked;
  const ids: Record<OrderListKind, string[]> = { buy: [], sell: [], open: [], traded: [], all: [] };
  for (let index = 0; index < 40; index += 1) {
    const side = index % 3 === 0 ? 'sell' : 'buy';
    const { bid, ask } = exchange.market.ticker(BTC);
    const outcome = (['trade', 'rest', 'cancel'] as const)[index % 4] ?? 'rest';
    const prices = outcome === 'trade' ? { buy: ask, sell: bid } : { buy: '20000', sell: '60000' };
    const id = exchange.orders.place(account, { ...far, side, price: prices[side] });
    if (outcome === 'cancel') exchange.orders.cancel(account, BTC, { id });
    if (index === 20) await exchange.durable();
    ids.all.unshift(id);
    ids[side].unshift(id);
    if (outcome === 'trade') ids.traded.unshift(id);
    if (outcome === 'rest') ids.open.unshift(id);
  }
  return { clocked, ids };
}

describe('lists of orders', () => {
  test.each(['buy', 'sell', 'open', 'traded', 'all'] as const)(
    'the list "%s" gives pages, newest first',
    async (list) => {
      const { clocked, ids } = await history();
      const page = ({ exchange, account }: ExchangeFixture, index: number) =>
        exchange.orders.list(account, BTC, { list, page: index, pageSize: 10 }).map(({ id }) => id);
      const expected = [1, 2, 3, 4, 5].map((index) => ids[list].slice((index - 1) * 10, index * 10));
      expect([1, 2, 3, 4, 5].map((index) => page(clocked, index))).toEqual(expected);
      expect(clocked.exchange.orders.list(clocked.account, 'eth_usdt', { list, page: 1, pageSize: 10 })).toEqual([]);
      await clocked.exchange.close();
      const again = await ExchangeFixture.open({ directory: clocked.directory, time: clocked.clock.time });
      expect([1, 2, 3, 4, 5].map((index) => page(again, index))).toEqual(expected);
    },
  );

  test('a resting order is on the list of traded orders once, from its first trade', async () => {
    const clocked = await ExchangeFixture.open();
    const { exchange, account } = clocked;
    const { bid, ask } = exchange.market.ticker(BTC);
    const middle = ((BigInt(bid.replace('.', '')) + BigInt(ask.replace('.', ''))) / 2n + 1n).toString();
    const price = `${middle.slice(0, -2)}.${middle.slice(-2)}`;
    const resting = exchange.orders.place(account, { ...far, side: 'sell', price });
    const traded = () =>
      exchange.orders.list(account, BTC, { list: 'traded', page: 1, pageSize: 10 }).map(({ id }) => id);
    const filled = () => exchange.orders.order(account, BTC, { id: resting }).filled;
    expect([traded(), filled()]).toEqual([[], '0.000000']);
    const taken = [1, 2].map(() => exchange.orders.place(account, { ...far, type: 'ioc', price, amount: '0.0004' }));
    expect([traded(), filled()]).toEqual([[taken[1], taken[0], resting].sort().reverse(), '0.000800']);
  });
});
