import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { OrdersSource } from '../../../src/exchange/stream/orders-source.js';
import { streamProtocol } from '../../../src/exchange/stream/protocol.js';
import { NOW } from '../../support/fake-host.js';

const MARKET = 'btc_usdt';

const order = (id: number, state: Order['state'] = 'filled') =>
  ({ id: String(id), market: MARKET, side: 'buy', state, filled: state === 'open' ? '0' : '1', time: NOW }) as Order;
const update = (one: Order) => ({ ...one, lastTrade: null });

/** The orders of a market whose buys are these, newest first. */
function sourceOf(buys: readonly Order[], named?: Order) {
  const pages: number[] = [];
  const client = {
    now: () => NOW,
    orderPage: async (_: string, side: string, page: number) => {
      pages.push(page);
      return side === 'buy' ? buys.slice((page - 1) * 10, page * 10) : [];
    },
    findOrder: async (_: string, { id }: { readonly id: string }) => (id === named?.id ? named : undefined),
  } as unknown as ExchangeClient;
  const source = new OrdersSource(
    { kind: 'orders', market: MARKET, ...(named === undefined ? {} : { order: { id: named.id } }) },
    {
      ...{ client, now: () => NOW, orderMarkets: async () => [], marketNamed: () => undefined },
      protocol: streamProtocol(),
    },
  );
  return { source, pages };
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('the first read of orders', () => {
  it('begins with the newest page of each side, and reads older pages after that', async () => {
    const buys = [order(30, 'open'), ...Array.from({ length: 14 }, (_, index) => order(29 - index)), order(1, 'open')];
    const { source, pages } = sourceOf(buys);
    const first = await source.read(null);
    expect([ids(first.data), first.scope, pages]).toEqual([['30'], 'delta', [1, 1]]);
    source.deduplicate(first);
    first.onDelivered?.();
    // placed while the rest is read
    source.deduplicate({ data: [update(order(31, 'open'))], time: null });
    const rest = await first.readRemaining?.();
    expect([ids(rest?.data ?? []).sort(), rest?.scope]).toEqual([['1', '30', '31'], 'snapshot']);
    expect(rest?.unrecoverable).toBeNull();
  });

  it('reads at most 200 orders of a side, and says that older ones may be open', async () => {
    const { source, pages } = sourceOf(Array.from({ length: 400 }, (_, index) => order(1_000 - index)));
    const rest = await (await source.read(null)).readRemaining?.();
    expect(Math.max(...pages)).toBe(20);
    expect(rest).toMatchObject({ scope: 'delta', unrecoverable: expect.stringContaining('the latest 200 of a side') });
  });

  it('an order that was open before and is on none of the pages is not called open', async () => {
    const { source } = sourceOf(Array.from({ length: 400 }, (_, index) => order(1_000 - index)));
    source.deduplicate({ data: [update(order(5, 'open'))], time: null });
    const first = await source.read(NOW);
    source.deduplicate(first);
    const rest = await first.readRemaining?.();
    expect(ids([...first.data, ...(rest?.data ?? [])])).not.toContain('5');
  });

  it('includes the order that was named, also if it has ended', async () => {
    const { source } = sourceOf([order(3, 'open'), order(2)], order(1));
    expect((await source.read(null)).data.map(({ id, state }) => [id, state])).toEqual([
      ['3', 'open'],
      ['1', 'filled'],
    ]);
  });

  it('knows orders that ended shortly before, so that a later read does not take them for news', async () => {
    const { source } = sourceOf([order(2), order(1)]);
    const first = await source.read(null);
    first.onDelivered?.();
    expect((await source.read(NOW)).data).toEqual([]);
  });
});

describe('a read after a gap', () => {
  it('keeps an open order of the newest page that has not changed, if older pages are read too', async () => {
    const { source } = sourceOf([order(30, 'open'), ...Array.from({ length: 14 }, (_, index) => order(29 - index))]);
    source.deduplicate({ data: [update(order(30, 'open'))], time: null });
    const first = await source.read(NOW);
    source.deduplicate(first);
    const rest = await first.readRemaining?.();
    expect([ids(rest?.data ?? []), rest?.scope]).toEqual([['30'], 'snapshot']);
  });

  it('keeps the open orders of a market that was read whole, if another one has older pages', async () => {
    const buys: Record<string, Order[]> = {
      btc_usdt: [order(1, 'open')],
      eth_usdt: [],
    };
    const client = {
      now: () => NOW,
      orderPage: async (market: string, side: string, page: number) =>
        side === 'buy' ? (buys[market] ?? []).slice((page - 1) * 10, page * 10) : [],
      findOrder: async () => undefined,
    } as unknown as ExchangeClient;
    const context = {
      client,
      now: () => NOW,
      orderMarkets: async () => Object.keys(buys),
      marketNamed: () => undefined,
    };
    const source = new OrdersSource({ kind: 'orders' }, { ...context, protocol: streamProtocol() });
    const start = await source.read(null);
    source.deduplicate(start);
    start.onDelivered?.();
    source.forget();
    source.deduplicate({ data: [update(order(1, 'open'))], time: null });
    buys.eth_usdt = Array.from({ length: 12 }, (_, index) => ({ ...order(50 - index, 'open'), market: 'eth_usdt' }));
    const first = await source.read(NOW);
    source.deduplicate(first);
    const rest = await first.readRemaining?.();
    expect(rest?.scope).toBe('snapshot');
    expect(ids(rest?.data ?? [])).toContain('1');
    expect(rest?.data).toHaveLength(13);
  });
});
