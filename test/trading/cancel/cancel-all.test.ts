import { describe, expect, it } from 'vitest';
import { type CancelledAll, cancelAll } from '../../../src/trading/cancel/cancel-orders.js';
import { type CancelledMarket, cancelTargets } from '../../../src/trading/cancel/cancel-targets.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import { readOpenOrders } from '../../../src/trading/history/open-orders.js';
import { FAULTS, type FaultServer } from '../../support/fault-server.js';
import { count, query } from '../support/exchange.js';
import { MemoryCache } from '../support/memory-cache.js';
import { type ListedOrder, listOf, openOrders, serveOrders } from '../support/open-orders.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** With different ids, although the fake host's randomness is constant. */
function tradingAt({ url }: FaultServer, budgetMs = 60_000): TestTrading {
  const trading = tradingOf(url, { budgetMs, tolerance: 5_000 });
  let made = 0;
  Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
  return trading;
}

async function clear(trading: TestTrading): Promise<CancelledAll> {
  return cancelAll(trading, 'btc_usdt', await readOpenOrders(trading, 'btc_usdt'));
}

/** Cancels the orders as they are found, with a timer. */
async function cancelNow(trading: TestTrading): Promise<CancelledMarket> {
  const targets = [{ market: 'btc_usdt', timer: 'with an order' }] as const;
  const [done] = await cancelTargets(trading, targets, new AbortController().signal);
  if (done === undefined) throw new Error('nothing was done');
  return done;
}

function outcomes({ attempts }: Pick<CancelledAll, 'attempts'>): string[] {
  return attempts.map(({ result: { outcome, message } }) => (message === 'ok' ? outcome : `${outcome}: ${message}`));
}

/** Ids in the order in which their cancellations came. */
function cancelled({ requests }: FaultServer): string[] {
  const targets = requests.map(({ target }) => target).filter((target) => target.startsWith('/api/cancelOrder?'));
  return targets.map((target) => query(target).id ?? '');
}

describe('cancelling all open orders', () => {
  it('reads every page of both sides, cancels each open order once, and reads again', async () => {
    const closed: ListedOrder[] = openOrders(15, 'buy', 100).map((order) => ({ ...order, status: 2, filled: '0.01' }));
    const server = await serveOrders([...openOrders(3), ...closed, ...openOrders(12, 'sell', 50)]);
    const done = await clear(tradingAt(server));
    expect(done).toMatchObject({ stillOpen: [], failure: null });
    expect(outcomes(done)).toEqual(Array(15).fill('cancelled'));
    const sent = cancelled(server);
    expect([sent.length, new Set(sent).size]).toEqual([15, 15]);
    // two pages of each side, twice
    expect(count(server, 'getOrders')).toBe(8);
  });

  it('keeps at most eight requests under way', async () => {
    let [now, most] = [0, 0];
    const server = await serveOrders(openOrders(30));
    const trading = tradingAt(server);
    const write = trading.client.cancelOrder.bind(trading.client);
    Object.assign(trading.client, {
      cancelOrder: async (...words: Parameters<typeof write>) => {
        now += 1;
        most = Math.max(most, now);
        try {
          return await write(...words);
        } finally {
          now -= 1;
        }
      },
    });
    await clear(trading);
    expect([most, cancelled(server).length]).toEqual([8, 30]);
  });

  it('also cancels orders that are placed meanwhile', async () => {
    const server = await serveOrders(openOrders(1), {
      cancel: (id) => {
        const next = Number(id) + 1;
        if (next <= 4) server.orders.push(...openOrders(1, 'sell', next));
        return 'done';
      },
    });
    const done = await clear(tradingAt(server));
    expect([outcomes(done), done.stillOpen]).toEqual([Array(4).fill('cancelled'), []]);
  });

  it('also cancels an order that is placed while the only one fills', async () => {
    const server = await serveOrders(openOrders(1), {
      cancel: (id) => {
        if (id !== '1') return 'done';
        server.orders.push(...openOrders(1, 'sell', 2));
        return 'fills';
      },
    });
    const done = await clear(tradingAt(server));
    expect([outcomes(done), done.stillOpen]).toEqual([['refused: already filled', 'cancelled'], []]);
  });

  it('reports orders that fill or are cancelled by others meanwhile', async () => {
    const server = await serveOrders(openOrders(3), {
      cancel: (id) => {
        if (id === '1') return 'fills';
        for (const order of server.orders) if (order.id === '2') order.status = 1;
        return id === '2' ? 'tooFrequent' : 'done';
      },
    });
    const done = await clear(tradingAt(server));
    expect(done).toMatchObject({ stillOpen: [], failure: null });
    const rows = Object.fromEntries(done.attempts.map(({ result }) => [result.id, result]));
    expect(rows['1']).toMatchObject({ outcome: 'refused', code: 3001, message: 'already filled', filled: '0.01' });
    expect(rows['2']).toMatchObject({ outcome: 'cancelled' });
    expect(rows['3']).toMatchObject({ outcome: 'cancelled', message: 'ok' });
  });

  it('repeats cancellations that were refused as too frequent or lost', async () => {
    const server = await serveOrders(openOrders(3), {
      cancel: (id, time) => {
        if (time > 2) return 'done';
        return id === '1' ? 'tooFrequent' : id === '2' ? 'lost' : 'done';
      },
    });
    const trading = tradingAt(server);
    const done = await clear(trading);
    expect(outcomes(done)).toEqual(Array(3).fill('cancelled'));
    expect(cancelled(server).sort()).toEqual(['1', '1', '1', '2', '2', '2', '3']);
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(['1', '2', '3', '4'].map((id) => trading.journal.archive.wasCancelled(id))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('repeats the only cancellation if that was refused as too frequent', async () => {
    const server = await serveOrders(openOrders(1), { cancel: (_, time) => (time <= 2 ? 'tooFrequent' : 'done') });
    const done = await clear(tradingAt(server));
    expect([outcomes(done), done.stillOpen, cancelled(server)]).toEqual([['cancelled'], [], ['1', '1', '1']]);
  });

  it('never repeats a cancellation that worked without an answer', async () => {
    const server = await serveOrders(openOrders(2), { cancel: (id) => (id === '1' ? 'doneUnanswered' : 'done') });
    const trading = tradingAt(server);
    const done = await clear(trading);
    expect(done).toMatchObject({ stillOpen: [], failure: null });
    expect(done.attempts.map(({ result, failure }) => [result.outcome, failure])).toEqual([
      ['cancelled', null],
      ['cancelled', null],
    ]);
    expect([cancelled(server).length, trading.journal.unsettledEntries()]).toEqual([2, []]);
  });

  it('counts an order as cancelled that it cancels without an answer and, after a late list, once more in vain', async () => {
    const server = await serveOrders(openOrders(1), {
      cancel: (_, time) => (time === 1 ? 'doneUnanswered' : 'done'),
      // shows it as open once more
      list: (asked, side) => (side === 'buy' && asked <= 4 ? listOf(openOrders(1)) : undefined),
    });
    const done = await clear(tradingAt(server));
    expect(cancelled(server)).toEqual(['1', '1']);
    expect(done.attempts.map(({ result: { outcome, message } }) => [outcome, message])).toEqual([['cancelled', null]]);
  });

  it('ends if the exchange keeps refusing', async () => {
    const server = await serveOrders(openOrders(3), { cancel: (id) => (id === '2' ? 'refused' : 'done') });
    const done = await clear(tradingAt(server));
    expect([done.stillOpen, done.failure]).toEqual([['2'], null]);
    expect(outcomes(done)).toEqual(['cancelled', 'refused: “not to be cancelled”', 'cancelled']);
    // once with the others, and once when it was the only one
    expect(cancelled(server).filter((id) => id === '2')).toHaveLength(2);
  });

  it('ends with the budget and unknown outcomes if no answer ever comes', async () => {
    const server = await serveOrders(openOrders(2), { cancel: (id) => (id === '2' ? 'lost' : 'done') });
    const trading = tradingOf(server.url, { budgetMs: 20_000, tolerance: 60_000 });
    let made = 0;
    Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
    const done = await clear(trading);
    expect(done.stillOpen).toEqual(['2']);
    const rows = done.attempts.map(({ result, failure }) => [result.id, result.outcome, failure]);
    expect(rows).toContainEqual(['2', 'unknown', 'unknown']);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('repeats a cancellation that the exchange accepted if the order is still listed as open', async () => {
    const server = await serveOrders(openOrders(1), { cancel: (_, time) => (time < 3 ? 'accepted' : 'done') });
    const done = await clear(tradingAt(server));
    expect([done.stillOpen, cancelled(server).length]).toEqual([[], 3]);
  });

  it('confirms the answers by the list that it reads anyway, without reading single orders', async () => {
    const server = await serveOrders(openOrders(12));
    const done = await clear(tradingAt(server));
    expect(outcomes(done)).toEqual(Array(12).fill('cancelled'));
    expect(count(server, 'getOrder')).toBe(0);
  });

  it('the outcome is unknown for an order that the exchange accepts to cancel and keeps open', async () => {
    const server = await serveOrders(openOrders(2), { cancel: (id) => (id === '2' ? 'accepted' : 'done') });
    const trading = tradingOf(server.url, { budgetMs: 10_000, tolerance: 60_000 });
    let made = 0;
    Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
    const done = await clear(trading);
    expect(done.stillOpen).toEqual(['2']);
    const rows = done.attempts.map(({ result, failure }) => [result.id, result.outcome, failure]);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['1', 'cancelled', null],
        ['2', 'unknown', 'unknown'],
      ]),
    );
    expect(trading.journal.archive.wasCancelled('2')).toBe(false);
  });

  it('reports that it could not read the remaining orders', async () => {
    const list = (asked: number) => (asked > 2 ? FAULTS['an HTML page with 502'] : undefined);
    const server = await serveOrders(openOrders(2), { list });
    const done = await clear(tradingAt(server));
    expect(done.failure).toMatchObject({ kind: 'unreachable' });
    expect(outcomes(done)).toEqual(['cancelled', 'cancelled']);
  });

  it('sends nothing if no order is open', async () => {
    const server = await serveOrders([]);
    expect(await clear(tradingAt(server))).toMatchObject({ attempts: [], stillOpen: [], failure: null });
    expect(cancelled(server)).toEqual([]);
  });
});

describe('an account with many closed orders', () => {
  const closed = (count: number, from: number): ListedOrder[] =>
    openOrders(count, 'buy', from).map((order) => ({ ...order, status: 2, filled: '0.01' }));

  it('has its newest order cancelled before its second page is read', async () => {
    const server = await serveOrders([...openOrders(1), ...closed(200, 100), ...openOrders(1, 'buy', 1_000)]);
    const trading = tradingAt(server);
    const { sleep } = trading.host;
    // the answers end the wait for them, not the clock
    Object.assign(trading.host, {
      sleep: (ms: number, signal?: AbortSignal) => (ms === 500 ? new Promise(() => {}) : sleep(ms, signal)),
    });
    const done = await cancelNow(trading);
    expect(done.attempts.map(({ result }) => result.outcome)).toEqual(['cancelled', 'cancelled']);
    const sent = server.requests.map(({ target }) => target);
    const before = sent.slice(
      0,
      sent.findIndex((target) => target.startsWith('/api/cancelOrder?')),
    );
    expect(before.filter((target) => target.startsWith('/api/getOrders?')).length).toBeLessThanOrEqual(3);
  });

  it('has an order that was open before and is listed again cancelled once', async () => {
    const server = await serveOrders([...openOrders(2), ...closed(7, 100)]);
    const trading = { ...tradingAt(server), knownSides: knownSides(new MemoryCache(), 'test') };
    await readOpenOrders(trading, 'btc_usdt');
    const done = await cancelNow(trading);
    expect(done.attempts.map(({ result }) => result.outcome)).toEqual(['cancelled', 'cancelled']);
    expect(cancelled(server).sort()).toEqual(['1', '2']);
  });

  it('has the orders that were open before cancelled although its lists cannot be read', async () => {
    const server = await serveOrders([...openOrders(2), ...closed(7, 100)], {
      list: () => (isAway ? FAULTS['a reset after reading'] : undefined),
    });
    let isAway = false;
    const trading = { ...tradingAt(server), knownSides: knownSides(new MemoryCache(), 'test') };
    Object.assign(trading, { requestLifetimeMs: 0 });
    await readOpenOrders(trading, 'btc_usdt');
    isAway = true;
    const done = await cancelNow(trading);
    expect(server.orders.slice(0, 2).map(({ status }) => status)).toEqual([1, 1]);
    expect(done.failure?.message).toContain('getOrders');
  });
});
