import { expect, it } from 'vitest';
import type { Order } from '../../src/domain/order.js';
import type { ExchangeClient } from '../../src/exchange/exchange-client.js';
import { readOrderPages } from '../../src/exchange/lists/order-pages.js';

/** A list of orders, newest first, that gets new orders at its head after each page. */
function growing(count: number, coming: readonly number[]) {
  let ids = Array.from({ length: count }, (_, index) => `${1_000 + count - index}`);
  let next = 1_000 + count;
  const asked: number[] = [];
  const orderPage = async (_market: string, _side: string, page: number) => {
    const rows = ids.slice((page - 1) * 10, page * 10).map((id) => ({ id }) as Order);
    const fresh = Array.from({ length: coming[asked.length] ?? 0 }, () => `${++next}`).reverse();
    ids = [...fresh, ...ids];
    asked.push(page);
    return rows;
  };
  return { client: { orderPage } as unknown as ExchangeClient, asked };
}

it.each([[[0]], [[3, 7]], [[10]], [[20, 60, 10]]])(
  'returns each order once while %j orders are added',
  async (coming) => {
    const { client } = growing(45, coming);
    const pages = await readOrderPages(client, 'btc_usdt', 'buy', { from: 1, to: 1_000 });
    const first = Array.from({ length: 45 }, (_, index) => `${1_045 - index}`);
    expect(pages).toMatchObject({ more: false, failure: null });
    const ids = pages.orders.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => first.includes(id))).toEqual(first);
  },
);

it('stops if the exchange ignores page numbers', async () => {
  const rows = Array.from({ length: 10 }, (_, index) => ({ id: `${index}` }) as Order);
  let asked = 0;
  const orderPage = async () => {
    asked += 1;
    return rows;
  };
  const client = { orderPage } as unknown as ExchangeClient;
  const pages = await readOrderPages(client, 'btc_usdt', 'buy', { from: 1, to: Number.POSITIVE_INFINITY });
  expect([pages.orders.length, pages.failure?.kind, asked]).toEqual([10, 'partial', 3]);
});
