import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { FOLLOWED } from '../../../src/exchange/channels/followed.js';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import type { OrderUpdate } from '../../../src/exchange/stream/events.js';
import { NOW } from '../../support/fake-host.js';

const MARKET = 'btc_usdt';
const LONG_AGO = NOW - 86_400_000;

const order = (id: number, state: Order['state'] = 'filled', time = NOW) =>
  ({ id: String(id), market: MARKET, side: 'buy', state, filled: state === 'open' ? '0' : '1', time }) as Order;
const update = (one: Order): OrderUpdate => ({ ...one, lastTrade: null });

interface Listed {
  readonly buys: Readonly<Record<string, readonly Order[]>>;
  readonly known?: readonly Order[];
  /** The order that the channel's reader has named. */
  readonly named?: Order;
  readonly from?: number | null;
}

/** What HTTP shows of orders, of markets whose buys are these, newest first. */
async function snapshotOf({ buys, known = [], named, from = null }: Listed) {
  const pages: number[] = [];
  const client = {
    now: () => NOW,
    orderPage: async (market: string, side: string, page: number) => {
      pages.push(page);
      return side === 'buy' ? (buys[market] ?? []).slice((page - 1) * 10, page * 10) : [];
    },
    findOrder: async (_: string, { id }: { readonly id: string }) => (id === named?.id ? named : undefined),
  } as unknown as ExchangeClient;
  const markets = Object.keys(buys);
  const request =
    markets.length > 1 ? {} : { market: MARKET, ...(named === undefined ? {} : { orders: [{ id: named.id }] }) };
  const snapshot = await FOLLOWED.orders.snapshot?.(request, {
    ...{ client, from, now: NOW, base: undefined, orderMarkets: async () => markets },
    known: known.map(update),
  });
  if (snapshot === undefined) throw new Error('orders are not read');
  return { ...snapshot, ids: snapshot.data.map(({ id }) => id), pages };
}

describe('the first read of orders', () => {
  it('finds the open orders of all pages, and remembers those that ended', async () => {
    const buys = [order(30, 'open'), ...Array.from({ length: 14 }, (_, index) => order(29 - index)), order(1, 'open')];
    const { ids, scope, past, unrecoverable } = await snapshotOf({ buys: { [MARKET]: buys } });
    expect([ids, scope, past?.length, unrecoverable]).toEqual([['30', '1'], 'snapshot', 14, null]);
  });

  it('reads at most 200 orders of a side, and says that older ones may be open', async () => {
    const buys = Array.from({ length: 400 }, (_, index) => order(1_000 - index));
    const { pages, scope, unrecoverable } = await snapshotOf({ buys: { [MARKET]: buys } });
    expect(Math.max(...pages)).toBe(20);
    expect([scope, unrecoverable]).toEqual(['delta', expect.stringContaining('the latest 200 of a side')]);
  });

  it('includes the order that was named, also if it has ended', async () => {
    const { data } = await snapshotOf({ buys: { [MARKET]: [order(3, 'open'), order(2)] }, named: order(1) });
    expect(data.map(({ id, state }) => [id, state])).toEqual([
      ['3', 'open'],
      ['1', 'filled'],
    ]);
  });
});

describe('a read of orders after a gap', () => {
  const from = NOW - 10_000;

  it('reads only what is newer, names all open orders and finds what became of others', async () => {
    const known = [order(5, 'open', LONG_AGO), order(4, 'open', LONG_AGO), order(6, 'open')];
    const older = Array.from({ length: 30 }, (_, index) => order(3_000 - index, 'filled', LONG_AGO));
    const buys = { [MARKET]: [order(7), order(6, 'cancelled'), order(5, 'open', LONG_AGO), ...older] };
    const { ids, scope, pages } = await snapshotOf({ buys, known, named: order(4, 'filled', LONG_AGO), from });
    expect([ids, scope]).toEqual([['7', '6', '5', '4'], 'snapshot']);
    expect(Math.max(...pages)).toBe(1);
  });

  it('finds what was placed and has ended at any moment of a long gap, and leaves out what is older', async () => {
    const hours = (count: number) => NOW - count * 3_600_000;
    const buys = [order(9, 'filled', hours(0.1)), order(8, 'cancelled', hours(1.9)), order(7, 'filled', hours(2.1))];
    const { ids, past } = await snapshotOf({ buys: { [MARKET]: buys }, from: hours(2) });
    expect([ids, past?.map(({ id }) => id)]).toEqual([
      ['9', '8'],
      ['9', '8', '7'],
    ]);
  });

  it('keeps a new order that HTTP does not show yet, and no older one that the exchange does not know any more', async () => {
    const known = [order(5, 'open', NOW - 5_000), order(4, 'open', LONG_AGO)];
    const { ids } = await snapshotOf({ buys: { [MARKET]: [] }, known, from });
    expect(ids).toEqual(['5']);
  });

  it('reads the markets of the journal and those of open orders', async () => {
    const buys = { btc_usdt: [order(1, 'open')], eth_usdt: [{ ...order(2, 'open'), market: 'eth_usdt' }], ltc_qc: [] };
    const { ids, scope } = await snapshotOf({ buys, known: [order(1, 'open')], from });
    expect([ids, scope]).toEqual([['1', '2'], 'snapshot']);
  });
});
