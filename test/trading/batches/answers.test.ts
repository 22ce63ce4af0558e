import { describe, expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import { startJob } from '../../../src/trading/batches/start-job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { settleManually } from '../../../src/trading/settling/manual/settle-manually.js';
import { NOW } from '../../support/fake-host.js';
import { FAULTS, respond, serveFaults } from '../../support/fault-server.js';
import { count, NOT_FOUND, query, record } from '../support/exchange.js';
import { tradingOf } from '../support/trading.js';
import { JOB, lines, outcomes, place, resume, runJob } from './jobs.js';
import { ModelExchange, RESET } from './model-exchange.js';

/** Shorter than the tolerance of the exchange. */
const BUDGET_MS = 30_000;

describe('a batch', () => {
  it('matches the ids of an incomplete answer to its lines by price and amount, not by position', async () => {
    const exchange = new ModelExchange([{ accepts: (pair) => pair !== 0 && pair !== 7 }]);
    const server = await exchange.serve();
    const ran = await place(tradingOf(server.url), { lines: lines(20) });
    const expected = Array.from({ length: 20 }, (_, line) => (line === 0 || line === 7 ? 'refused' : 'placed'));
    expect(outcomes(ran)).toEqual(expected);
    expect(ran.job.lines[0]).toMatchObject({ state: 'refused', reason: '“some were refused”', code: null });
    const ids = new Map(exchange.orders.map(({ id, price }) => [price, id]));
    expect(ran.job.lines[8]).toMatchObject({ state: 'placed', id: ids.get('20008') });
    // no refused line is sent again
    expect(count(server, 'orderMoreV2')).toBe(1);
  });

  it('stays unknown after an incomplete answer until the lists show its orders', async () => {
    const exchange = new ModelExchange([{ accepts: (pair) => pair > 3 }]);
    const server = await exchange.serve();
    exchange.lag = 100;
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    expect(ran.job.counts()).toMatchObject({ unknown: 20 });
    exchange.lag = 0;
    const elapsedMs = trading.host.now() - NOW;
    const again = await resume(tradingOf(server.url, { state: trading.state, tolerance: 60_000, elapsedMs }));
    expect(again.job.counts()).toMatchObject({ placed: 16, refused: 4 });
  });

  it('stays unknown as a whole if no list shows the orders that an incomplete answer names, however late', async () => {
    const exchange = new ModelExchange([{ accepts: (pair) => pair > 3 }]);
    const server = await exchange.serve();
    exchange.lag = 1_000;
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    // a list that lacks existing orders does not prove that the others do not exist
    expect(ran.job.counts()).toEqual({ placed: 0, refused: 0, unknown: 20, notSent: 0 });
    expect([trading.host.now() - NOW > 60_000, trading.warnings]).toEqual([true, []]);
    exchange.lag = 0;
    const options = { state: trading.state, budgetMs: 30_000, tolerance: 60_000 };
    const last = tradingOf(server.url, { ...options, elapsedMs: trading.host.now() - NOW });
    expect((await resume(last)).job.counts()).toEqual({ placed: 16, refused: 4, unknown: 0, notSent: 0 });
  });

  it('a line does not count as refused because the answer lacks its id and no list shows it yet', async () => {
    const exchange = new ModelExchange();
    const server = await serveFaults({
      answer: ({ target }) => {
        const answer = exchange.answer(target);
        const ids = exchange.orders.slice(0, 15).map(({ id }) => id);
        const text = `{"code":"1000","message":"","data":[${ids.join(',')}]}`;
        return target.startsWith('/api/orderMoreV2?') ? respond(text) : answer;
      },
    });
    exchange.lag = 1_000;
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    expect((await place(trading, { lines: lines(20) })).job.counts()).toMatchObject({ placed: 0, unknown: 20 });
    exchange.lag = 0;
    const options = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW };
    expect((await resume(tradingOf(server.url, options))).job.counts()).toMatchObject({ placed: 20 });
  });

  it('is settled by the user if an incomplete answer names an order that the exchange does not have', async () => {
    const exchange = new ModelExchange([{ accepts: (pair) => pair > 3 }]);
    const server = await serveFaults({
      answer: ({ target }) => {
        const isBatch = target.startsWith('/api/orderMoreV2?');
        const answer = exchange.answer(target);
        const ids = [...exchange.orders.slice(0, -1).map(({ id }) => id), '99'];
        return isBatch ? respond(`{"code":"1000","message":"","data":[${ids.join(',')}]}`) : answer;
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    // the order that the answer does not name exists as well
    expect(ran.job.counts()).toEqual({ placed: 16, refused: 0, unknown: 4, notSent: 0 });
    await settleManually(trading, JOB, { outcome: 'notSent', id: null });
    expect(trading.journal.findJob(JOB)).toBeDefined();
    expect(new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>).counts()).toMatchObject({
      placed: 16,
      unknown: 0,
      notSent: 4,
    });
  });

  it.each([
    [3_659_000, 'before, with the minute that the log may be out of order: it is no answer to this one', []],
    [3_661_000, 'longer before: the lines keep the ids of the answer', ['71', '72', '73']],
  ])('stays unknown if its answer names an order that another market got %i ms %s', async (ms, _, named) => {
    const server = await serveFaults({
      answer: ({ target }) =>
        target.startsWith('/api/orderMoreV2?')
          ? respond('{"code":"1000","message":"","data":[71,72,73]}')
          : respond('{"code":3001,"message":"order not found"}'),
    });
    const earlier = tradingOf(server.url, { elapsedMs: -ms });
    const terms = {
      market: 'eth_usdt',
      side: 'sell',
      type: 'limit',
      account: 'spot',
      price: '9',
      amount: '1',
    } as const;
    const write = { operation: 'order', terms: { ...terms, borrow: false, repay: false } } as const;
    const other = earlier.journal.begin<'order'>(write, { id: 'other1', reqTime: NOW - ms });
    other.settle({ outcome: 'placed', id: '72', duplicates: [] }, 'placed');
    const trading = tradingOf(server.url, { state: earlier.state, budgetMs: 3_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(3) });
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 3 });
    expect(ran.job.lines.flatMap((line) => (line.state === 'sent' ? (line.namedId ?? []) : []))).toEqual(named);
    expect(count(server, 'orderMoreV2')).toBe(1);
  });

  it('looks a batch up if its answer is that of an earlier batch in another market', async () => {
    const exchange = new ModelExchange();
    const server = await serveFaults({
      answer: ({ target }) => {
        if (query(target).market !== 'btc_usdt') return exchange.answer(target);
        const ids = exchange.orders.map(({ id }) => id).join(',');
        const isBatch = target.startsWith('/api/orderMoreV2?');
        return respond(isBatch ? `{"code":"1000","message":"","data":[${ids}]}` : NOT_FOUND);
      },
    });
    const options = { budgetMs: 3_000, tolerance: 60_000 };
    const earlier = tradingOf(server.url, options);
    const plan = { market: 'eth_usdt', side: 'buy', account: 'spot', lines: lines(3) } as const;
    await runJob(earlier, await startJob(earlier, plan, 'job0000000000000001'));
    const ran = await place(tradingOf(server.url, { ...options, state: earlier.state }), { lines: lines(3) });
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 3 });
  });

  it('is left to the user if its answer is a stale one that names orders of the other side', async () => {
    const exchange = new ModelExchange();
    let isStale = true;
    const server = await serveFaults({
      answer: ({ target }) => {
        const { id } = query(target);
        if (id !== undefined && ['71', '72'].includes(id))
          return respond(record({ id, side: 'sell', price: 1, amount: '1', time: NOW }));
        if (!target.startsWith('/api/orderMoreV2?') || !isStale) return exchange.answer(target);
        isStale = false;
        return respond('{"code":"1000","message":"","data":[71,72]}');
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(3) });
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 3 });
    await settleManually(trading, JOB, { outcome: 'notSent', id: null });
    const options = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW };
    expect((await resume(tradingOf(server.url, options))).job.counts()).toMatchObject({ placed: 3 });
    expect(exchange.orders).toHaveLength(3);
  });

  it('stays unknown if the answered ids cannot be read', async () => {
    const exchange = new ModelExchange([{ accepts: (pair) => pair > 3 }]);
    const isOrderRead = (target: string) => query(target).id !== undefined;
    const server = await serveFaults({
      answer: ({ target }) => (isOrderRead(target) ? FAULTS['an HTML page with 502'] : exchange.answer(target)),
    });
    exchange.lag = 1_000;
    const trading = tradingOf(server.url, { budgetMs: 100_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    expect(ran.job.counts()).toMatchObject({ unknown: 20 });
  });

  it.each(['0', '0,0'])('reconciles a batch as if unanswered if the answer contains %s among its ids', async (none) => {
    const exchange = new ModelExchange([{ accepts: (pair) => pair > 0 }]);
    const server = await serveFaults({
      answer: ({ target }) => {
        const answer = exchange.answer(target);
        const ids = [...exchange.orders.map(({ id }) => id), none];
        const text = `{"code":"1000","message":"","data":[${ids.join(',')}]}`;
        return target.startsWith('/api/orderMoreV2?') && exchange.batches.length === 1 ? respond(text) : answer;
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    expect(ran.job.lines.some((now) => now.state === 'placed' && now.id === '0')).toBe(false);
    expect(ran.job.counts()).toEqual({ placed: 19, refused: 0, unknown: 0, notSent: 1 });
  });

  it.each([
    ['less than a request', 7, [], 2],
    ['of one full request', 20, [], 4],
    ['of several requests', 130, [], 14],
    ['with its first answer lost', 60, [{ answer: RESET }], 7],
    ['with a request that is executed twice', 60, [{}, { times: 2 }], 10],
  ])('assigns each line its own order if the ids come in reverse order: %s', async (_, orders, treatments, most) => {
    const exchange = new ModelExchange(treatments);
    exchange.isReversed = true;
    exchange.place('20000', '0.01');
    const server = await exchange.serve();
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(orders) });
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    const prices = new Map(exchange.orders.map(({ id, price }) => [id, price]));
    const own = ran.job.lines.map((now) => now.state === 'placed' && prices.get(now.id));
    expect(own).toEqual(lines(orders).map(([, price]) => price));
    expect(new Set([...ran.job.orderIds, exchange.orders[0]?.id]).size).toBe(exchange.orders.length);
    expect(exchange.lists).toBeLessThan(1 + 3 + 2 * most);
    // its record gives the same results
    const entry = trading.journal.findJob(JOB);
    expect(entry && new Job(entry).lines).toEqual(ran.job.lines);
  });

  it('assigns each line its own order if the ids come in reverse order and the exchange changed a price', async () => {
    const exchange = new ModelExchange();
    exchange.isReversed = true;
    const server = await serveFaults({
      answer: ({ target }) => exchange.answer(target.replace('5B20000%', '5B20000.5%')),
    });
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(20) });
    expect(exchange.orders[0]?.price).toBe('20000.5');
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    expect(ran.job.orderIds).toEqual(exchange.orders.map(({ id }) => id));
  });

  it('keeps the answered ids if the exchange lists all orders at other prices', async () => {
    const exchange = new ModelExchange();
    const server = await serveFaults({
      answer: ({ target }) =>
        exchange.answer(target.replaceAll(/%5B(\d+)%2C/g, (_, price) => `%5B${Number(price) + 0.5}%2C`)),
    });
    const trading = tradingOf(server.url);
    const ran = await place(trading, { lines: lines(20) });
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    expect([exchange.orders[0]?.price, trading.warnings]).toEqual(['20000.5', []]);
    expect(ran.job.orderIds).toEqual(exchange.orders.map(({ id }) => id));
    expect(exchange.lists).toBe(1 + 3 + 3);
  });
});
