import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { referenceText } from '../../../src/domain/order.js';
import { type CancelledAll, cancelAll } from '../../../src/trading/cancel/cancel-all.js';
import { type CancelledMarket, cancelTargets } from '../../../src/trading/cancel/cancel-targets.js';
import { knownSides } from '../../../src/trading/history/known-side.js';
import { readOpenOrders } from '../../../src/trading/history/open-orders.js';
import {
  AWAY,
  CODES,
  DONE,
  LOST,
  LOST_DONE,
  NOT_SENT,
  refused,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { MemoryCache } from '../support/memory-cache.js';
import { accepted, cancelling, filledBefore, openOrders } from '../support/open-orders.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const FILLED = { state: 'filled', filled: '0.01' } as const;

/** With different ids, although the fake host's randomness is constant. */
function tradingAt(exchange: ScriptedExchange, budgetMs = 60_000) {
  const trading = tradingOf(exchange, { budgetMs, tolerance: 5_000 });
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
function cancelled(exchange: ScriptedExchange): string[] {
  return exchange.arrived('cancel').map(({ order }) => referenceText(order));
}

describe('cancelling all open orders', () => {
  it('reads every page of both sides, cancels each open order once, and reads again', async () => {
    const closed = openOrders(15, FILLED, 100);
    const exchange = new ScriptedExchange({
      orders: [...openOrders(3), ...closed, ...openOrders(12, { side: 'sell' }, 50)],
    });
    const done = await clear(tradingAt(exchange));
    expect(done).toMatchObject({ stillOpen: [], failure: null });
    expect(outcomes(done)).toEqual(Array(15).fill('cancelled'));
    const sent = cancelled(exchange);
    expect([sent.length, new Set(sent).size]).toEqual([15, 15]);
    // two pages of each side, twice
    expect(exchange.count('list')).toBe(8);
  });

  it('keeps at most eight requests under way', async () => {
    let [now, most] = [0, 0];
    const exchange = new ScriptedExchange({ orders: openOrders(30) });
    exchange.onRequest = async ({ kind }) => {
      if (kind !== 'cancel') return undefined;
      now += 1;
      most = Math.max(most, now);
      await turn();
      now -= 1;
      return undefined;
    };
    const trading = tradingAt(exchange);
    await clear(trading);
    expect([most, cancelled(exchange).length]).toEqual([8, 30]);
  });

  it('also cancels orders that are placed meanwhile', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, ({ id }) => {
      const next = Number(id) + 1;
      if (next <= 4) exchange.has.orders.push(...openOrders(1, { side: 'sell' }, next));
      return DONE;
    });
    const done = await clear(tradingAt(exchange));
    expect([outcomes(done), done.stillOpen]).toEqual([Array(4).fill('cancelled'), []]);
  });

  it('also cancels an order that is placed while the only one fills', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, (order) => {
      if (order.id !== '1') return DONE;
      exchange.has.orders.push(...openOrders(1, { side: 'sell' }, 2));
      return filledBefore(order);
    });
    const done = await clear(tradingAt(exchange));
    expect([outcomes(done), done.stillOpen]).toEqual([['refused: already filled', 'cancelled'], []]);
  });

  it('reports orders that fill or are cancelled by others meanwhile', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(3) });
    cancelling(exchange, (order) => {
      if (order.id === '1') return filledBefore(order);
      if (order.id === '2') order.state = 'cancelled';
      return order.id === '2' ? refused('tooFrequent') : DONE;
    });
    const done = await clear(tradingAt(exchange));
    expect(done).toMatchObject({ stillOpen: [], failure: null });
    const rows = Object.fromEntries(done.attempts.map(({ result }) => [result.id, result]));
    expect(rows['1']).toMatchObject({
      outcome: 'refused',
      code: CODES.notFound,
      message: 'already filled',
      filled: '0.01',
    });
    expect(done.attempts.map(({ failure }) => failure).sort()).toEqual([null, null, 'refused']);
    expect(rows['2']).toMatchObject({ outcome: 'cancelled' });
    expect(rows['3']).toMatchObject({ outcome: 'cancelled', message: 'ok' });
  });

  it('reports an IOC order, whose rest the exchange itself cancels, as cancelled before', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1, { type: 'ioc' }) });
    cancelling(exchange, (order) => {
      order.state = 'cancelled';
      return refused('notFound');
    });
    expect(outcomes(await clear(tradingAt(exchange)))).toEqual(['cancelled: was already cancelled']);
  });

  it('counts what is cancelled as progress, and no refusal and no lost answer', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(5) });
    cancelling(exchange, (order) => {
      if (['1', '5'].includes(order.id)) return filledBefore(order);
      if (order.id === '2') order.state = 'cancelled';
      return order.id === '2' ? refused('notFound') : order.id === '3' ? LOST_DONE : DONE;
    });
    let progress = 0;
    await cancelAll(tradingAt(exchange), 'btc_usdt', undefined, { onProgress: () => (progress += 1) });
    expect(progress).toBe(2);
  });

  it('repeats a cancellation that may work later although the exchange never cancels another order', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, ({ id }, time) =>
      id === '2' ? refused('invalid') : time < 4 ? refused('tooFrequent') : DONE,
    );
    const done = await clear(tradingAt(exchange));
    expect([exchange.has.orders[0]?.state, done.stillOpen]).toEqual(['cancelled', ['2']]);
  });

  it('repeats cancellations that were refused as too frequent or lost', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(3) });
    cancelling(exchange, ({ id }, time) => {
      if (time > 2) return DONE;
      return id === '1' ? refused('tooFrequent') : id === '2' ? LOST : DONE;
    });
    const trading = tradingAt(exchange);
    const done = await clear(trading);
    expect(outcomes(done)).toEqual(Array(3).fill('cancelled'));
    expect(cancelled(exchange).sort()).toEqual(['1', '1', '1', '2', '2', '2', '3']);
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(['1', '2', '3', '4'].map((id) => trading.journal.archive.wasCancelled(id))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('an order that the exchange refuses to cancel because it is final counts as cancelled, though an earlier request was refused', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, (order, time) => {
      if (time === 1) return refused('tooFrequent');
      order.state = 'cancelled';
      return refused('notFound');
    });
    const done = await clear(tradingAt(exchange));
    expect(outcomes(done)).toEqual(['cancelled: cancelled; the exchange answered that it was final already']);
  });

  it('reports the refusal for an order that no list shows any more', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, () => {
      exchange.has.orders.splice(0);
      return refused('notFound', 'no such order');
    });
    const done = await clear(tradingAt(exchange));
    expect([outcomes(done), done.stillOpen]).toEqual([['refused: “no such order”'], []]);
  });

  it('repeats cancellations that could not be sent', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, ({ id }, time) => (id === '1' && time <= 2 ? NOT_SENT : DONE));
    const done = await clear(tradingAt(exchange));
    expect([outcomes(done), done.stillOpen]).toEqual([['cancelled', 'cancelled'], []]);
  });

  it('repeats the only cancellation if that was refused as too frequent', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, (_, time) => (time <= 2 ? refused('tooFrequent') : DONE));
    const done = await clear(tradingAt(exchange));
    expect([outcomes(done), done.stillOpen, cancelled(exchange)]).toEqual([['cancelled'], [], ['1', '1', '1']]);
  });

  it('never repeats a cancellation that worked without an answer', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, ({ id }) => (id === '1' ? LOST_DONE : DONE));
    const trading = tradingAt(exchange);
    const done = await clear(trading);
    expect(done).toMatchObject({ stillOpen: [], failure: null });
    expect(done.attempts.map(({ result, failure }) => [result.outcome, failure])).toEqual([
      ['cancelled', null],
      ['cancelled', null],
    ]);
    expect([cancelled(exchange).length, trading.journal.unsettledEntries()]).toEqual([2, []]);
  });

  it('counts an order as cancelled that it cancels without an answer and, after a late list, once more in vain', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, (_, time) => (time === 1 ? LOST_DONE : DONE));
    // shows it as open once more
    exchange.onRequest = (request) =>
      request.kind === 'list' && request.side === 'buy' && exchange.count('list') <= 4 ? openOrders(1) : undefined;
    const done = await clear(tradingAt(exchange));
    expect(cancelled(exchange)).toEqual(['1', '1']);
    expect(done.attempts.map(({ result: { outcome, message } }) => [outcome, message])).toEqual([['cancelled', null]]);
  });

  it('ends if the exchange keeps refusing', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(3) });
    cancelling(exchange, ({ id }) => (id === '2' ? refused('notFound', 'not to be cancelled') : DONE));
    const done = await clear(tradingAt(exchange));
    expect([done.stillOpen, done.failure]).toEqual([['2'], null]);
    expect(outcomes(done)).toEqual(['cancelled', 'refused: “not to be cancelled”', 'cancelled']);
    // once with the others, and once when it was the only one
    expect(cancelled(exchange).filter((id) => id === '2')).toHaveLength(2);
  });

  it('ends with the budget and unknown outcomes if no answer ever comes', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, ({ id }) => (id === '2' ? LOST : DONE));
    const trading = tradingOf(exchange, { budgetMs: 20_000, tolerance: 60_000 });
    let made = 0;
    Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
    const done = await clear(trading);
    expect(done.stillOpen).toEqual(['2']);
    const rows = done.attempts.map(({ result, failure }) => [result.id, result.outcome, failure]);
    expect(rows).toContainEqual(['2', 'unknown', 'unknown']);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('the outcome is unknown for an order whose first cancellation may still arrive, though the next one is refused', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, (_, time) => (time === 1 ? LOST : refused('invalid')));
    const trading = tradingOf(exchange, { budgetMs: 10_000, tolerance: 60_000 });
    const done = await clear(trading);
    expect([cancelled(exchange), done.stillOpen]).toEqual([['1', '1'], ['1']]);
    expect(done.attempts).toMatchObject([{ result: { id: '1', outcome: 'unknown' }, failure: 'unknown' }]);
  });

  it('repeats a cancellation that the exchange accepted if the order is still listed as open', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    cancelling(exchange, (order, time) => (time < 3 ? accepted(order) : DONE));
    const done = await clear(tradingAt(exchange));
    expect([done.stillOpen, cancelled(exchange).length]).toEqual([[], 3]);
  });

  it('confirms the answers by the list that it reads anyway, without reading single orders', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(12) });
    const done = await clear(tradingAt(exchange));
    expect(outcomes(done)).toEqual(Array(12).fill('cancelled'));
    expect(exchange.count('lookup')).toBe(0);
  });

  it('the outcome is unknown for an order that the exchange accepts to cancel and keeps open', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    cancelling(exchange, (order) => (order.id === '2' ? accepted(order) : DONE));
    const trading = tradingOf(exchange, { budgetMs: 10_000, tolerance: 60_000 });
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
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    exchange.onRequest = ({ kind }) => (kind === 'list' && exchange.count('list') > 2 ? AWAY : undefined);
    const done = await clear(tradingAt(exchange));
    expect(done.failure).toMatchObject({ kind: 'unreachable' });
    expect(outcomes(done)).toEqual(['cancelled', 'cancelled']);
  });

  it('sends nothing if no order is open', async () => {
    const exchange = new ScriptedExchange({ orders: [] });
    expect(await clear(tradingAt(exchange))).toMatchObject({ attempts: [], stillOpen: [], failure: null });
    expect(cancelled(exchange)).toEqual([]);
  });
});

describe('an account with many closed orders', () => {
  const closed = (count: number, from: number) => openOrders(count, FILLED, from);

  it('has its newest order cancelled before its second page is read', async () => {
    const exchange = new ScriptedExchange({
      orders: [...openOrders(1), ...closed(200, 100), ...openOrders(1, {}, 1_000)],
    });
    const trading = tradingAt(exchange);
    const { sleep } = trading.host;
    // the answers end the wait for them, not the clock
    Object.assign(trading.host, {
      sleep: (ms: number, signal?: AbortSignal) => (ms === 500 ? new Promise(() => {}) : sleep(ms, signal)),
    });
    const done = await cancelNow(trading);
    expect(done.attempts.map(({ result }) => result.outcome)).toEqual(['cancelled', 'cancelled']);
    const sent = exchange.requests.map(({ kind }) => kind);
    const before = sent.slice(0, sent.indexOf('cancel'));
    expect(before.filter((kind) => kind === 'list').length).toBeLessThanOrEqual(3);
  });

  it('has an order that was open before and is listed again cancelled once', async () => {
    const exchange = new ScriptedExchange({ orders: [...openOrders(2), ...closed(7, 100)] });
    const trading = { ...tradingAt(exchange), knownSides: knownSides(new MemoryCache(), 'test') };
    await readOpenOrders(trading, 'btc_usdt');
    const done = await cancelNow(trading);
    expect(done.attempts.map(({ result }) => result.outcome)).toEqual(['cancelled', 'cancelled']);
    expect(cancelled(exchange).sort()).toEqual(['1', '2']);
  });

  it('has the orders that were open before cancelled although its lists cannot be read', async () => {
    const exchange = new ScriptedExchange({ orders: [...openOrders(2), ...closed(7, 100)] });
    exchange.onRequest = ({ kind }) => (kind === 'list' && isAway ? AWAY : undefined);
    let isAway = false;
    const trading = { ...tradingAt(exchange), knownSides: knownSides(new MemoryCache(), 'test') };
    Object.assign(trading, { requestLifetimeMs: 0 });
    await readOpenOrders(trading, 'btc_usdt');
    isAway = true;
    const done = await cancelNow(trading);
    expect(exchange.has.orders.slice(0, 2).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(done.failure).toMatchObject({ kind: 'unreachable' });
  });
});
