import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import type { PageSpan } from '../../../src/exchange/lists/growing-pages.js';
import { eachOrderPage } from '../../../src/exchange/lists/order-pages.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import { readOpenOfSide } from '../../../src/trading/history/open-orders.js';
import { openSince, readListBackTo, readOrderList } from '../../../src/trading/settling/order-list.js';
import { NOW } from '../../support/fake-host.js';
import { orderOf } from '../history/account.js';
import { MemoryCache } from '../support/memory-cache.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
/** When a request of NOW has expired. */
const EXPIRED = 65_001;
/** How many orders were placed after the settled one, a second apart, before the list is read. */
const NEWER = 35;

/** A context with a settled order of NOW, of a side with newer orders, and the pages of its list that were read. */
function withSettled() {
  const trading = tradingOf('http://127.0.0.1:1');
  trading.journal
    .begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine1', reqTime: NOW })
    .settle({ outcome: 'placed', id: '100', duplicates: [] }, 'placed');
  const pages: number[] = [];
  const requests: string[] = [];
  const clock = { setMs: 0 };
  const orders: Order[] = Array.from({ length: 60 + NEWER }, (_, index) =>
    orderOf(index + 41, index === 0 ? 'open' : 'filled', NOW + (index - 59) * 1_000),
  ).reverse();
  const source = {
    orderPage: async (_: string, __: string, page: number) => {
      pages.push(page);
      return orders.slice((page - 1) * 10, page * 10);
    },
  };
  const client = {
    facts: trading.client.facts,
    now: () => trading.host.now() + clock.setMs,
    orderPages: (market: string, side: 'buy', isEnough: (rows: readonly Order[]) => boolean, span: PageSpan) =>
      eachOrderPage(source, market, side, isEnough, span),
    findOrder: async (_: string, { id }: { id: string }) => {
      requests.push(id);
      return orders.find((order) => order.id === id);
    },
  };
  const kept = knownSides(new MemoryCache(), 'test');
  return {
    trading: { ...trading, client: client as unknown as Exchange, knownSides: kept },
    orders,
    requests,
    /** By how much the clock of the exchange was set. */
    clock,
    /** The pages that were read since the last call. */
    pages: () => pages.splice(0),
  };
}

describe('the list that a command reads anyway', () => {
  it('goes back to a settled order once its request has expired, to close it', async () => {
    const { trading, pages } = withSettled();
    await trading.host.sleep(EXPIRED);
    const list = await readOrderList(trading, BUYS);
    expect(pages()).toEqual([1, 2, 3, 4, 5]);
    expect(list.since).toBeLessThanOrEqual(openSince(trading, BUYS));
  });

  it('is one page before that', async () => {
    const { trading, pages } = withSettled();
    await trading.host.sleep(EXPIRED - 1);
    await readOrderList(trading, BUYS);
    expect(pages()).toEqual([1]);
  });

  it('goes back so far once a minute, so that many orders in a row do not each read what all of them made', async () => {
    const { trading, pages } = withSettled();
    await trading.host.sleep(EXPIRED);
    await readOrderList(trading, BUYS);
    await trading.host.sleep(59_999);
    pages();
    await readOrderList(trading, BUYS);
    expect(pages()).toEqual([1]);
    await trading.host.sleep(1);
    await readOrderList(trading, BUYS);
    expect(pages()).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes back to a moment that the command needs, however often it is read', async () => {
    const { trading, pages } = withSettled();
    await readOrderList(trading, BUYS, openSince(trading, BUYS));
    await readOrderList(trading, BUYS, openSince(trading, BUYS));
    expect(pages()).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
  });

  it('is one page if every settled order is closed', async () => {
    const { trading, pages } = withSettled();
    trading.journal.close(BUYS, new Map([['mine1', 'over']]));
    await trading.host.sleep(EXPIRED);
    await readOrderList(trading, BUYS);
    expect(pages()).toEqual([1]);
  });
});

describe('the list of a side whose orders are known', () => {
  it('ends at a page behind which every order is known, and has what was known there', async () => {
    const { trading, orders, pages, requests } = withSettled();
    await trading.host.sleep(200_000);
    await readOpenOfSide(trading, BUYS);
    pages();
    const list = await readOrderList(trading, BUYS, Number.NEGATIVE_INFINITY);
    expect([pages(), requests]).toEqual([[1], []]);
    expect(list.orders).toEqual(orders);
    expect(list.since).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is read from the exchange all the same if it is to prove that an order is not there', async () => {
    const { trading, pages } = withSettled();
    await trading.host.sleep(200_000);
    await readOpenOfSide(trading, BUYS);
    pages();
    await readListBackTo(trading, BUYS, ({ time }) => time < NOW, { isWhole: true });
    expect(pages()).toEqual([1, 2, 3, 4]);
  });

  it('is known to the moment of that reading from then on', async () => {
    const { trading, orders, pages } = withSettled();
    await trading.host.sleep(200_000);
    await readOpenOfSide(trading, BUYS);
    orders.unshift(...Array.from({ length: 25 }, (_, i) => orderOf(500 - i, 'filled', NOW + 199_000 - i * 100)));
    await trading.host.sleep(100_000);
    await readOrderList(trading, BUYS, NOW);
    expect(pages().slice(-3)).toEqual([1, 2, 3]);
    await readOrderList(trading, BUYS, NOW);
    expect(pages()).toEqual([1]);
  });

  it('has the orders that the exchange lists no more', async () => {
    const { trading, orders } = withSettled();
    await trading.host.sleep(200_000);
    await readOpenOfSide(trading, BUYS);
    const gone = orders.splice(20);
    const list = await readOrderList(trading, BUYS, NOW - 10_000);
    expect(list.orders.map(({ id }) => id)).toEqual(expect.arrayContaining([orders[0]?.id, gone[0]?.id, '100']));
  });

  it('is read whole if it is known from a later moment than now, because the exchange has set its clock back', async () => {
    const { trading, orders, clock, pages } = withSettled();
    await trading.host.sleep(300_000);
    await readOpenOfSide(trading, BUYS);
    pages();
    clock.setMs = -250_000;
    const list = await readOrderList(trading, BUYS, Number.NEGATIVE_INFINITY);
    expect(pages()).toContain(10);
    expect(list.orders).toEqual(orders);
  });
});
