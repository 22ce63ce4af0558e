import { describe, expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import { startJob } from '../../../src/trading/batches/start-job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { settleManually } from '../../../src/trading/settling/manual/settle-manually.js';
import { NOW } from '../../support/fake-host.js';
import { AWAY, answered, LOST_DONE, ScriptedExchange } from '../../support/scripted-exchange.js';
import { tradingOf } from '../support/trading.js';
import { JOB, lines, outcomes, place, resume, runJob } from './jobs.js';

/** An answer that names these orders. */
const answer = (ids: readonly string[]) => ({ kind: 'done', value: { ids, message: '' } }) as const;
/** Shorter than the tolerance of the exchange. */
const BUDGET_MS = 30_000;

describe('a batch', () => {
  it('matches the ids of an incomplete answer to its lines by price and amount, not by position', async () => {
    const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair !== 0 && pair !== 7 }]);
    const ran = await place(tradingOf(exchange), { lines: lines(20) });
    const expected = Array.from({ length: 20 }, (_, line) => (line === 0 || line === 7 ? 'refused' : 'placed'));
    expect(outcomes(ran)).toEqual(expected);
    expect(ran.job.lines[0]).toMatchObject({ state: 'refused', reason: '“some were refused”', code: null });
    const ids = new Map(exchange.has.orders.map(({ id, price }) => [price, id]));
    expect(ran.job.lines[8]).toMatchObject({ state: 'placed', id: ids.get('20008') });
    // no refused line is sent again
    expect(exchange.count('batch')).toBe(1);
  });

  it('stays unknown after an incomplete answer until the lists show its orders', async () => {
    const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair > 3 }]);
    exchange.lag = 100;
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    expect(ran.job.counts()).toMatchObject({ unknown: 20 });
    exchange.lag = 0;
    const elapsedMs = trading.host.now() - NOW;
    const again = await resume(tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs }));
    expect(again.job.counts()).toMatchObject({ placed: 16, refused: 4 });
  });

  it('stays unknown as a whole if no list shows the orders that an incomplete answer names, however late', async () => {
    const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair > 3 }]);
    exchange.lag = 1_000;
    const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    // a list that lacks existing orders does not prove that the others do not exist
    expect(ran.job.counts()).toEqual({ placed: 0, refused: 0, unknown: 20, notSent: 0 });
    expect([trading.host.now() - NOW > 60_000, trading.warnings]).toEqual([true, []]);
    exchange.lag = 0;
    const options = { state: trading.state, budgetMs: 30_000, tolerance: 60_000 };
    const last = tradingOf(exchange, { ...options, elapsedMs: trading.host.now() - NOW });
    expect((await resume(last)).job.counts()).toEqual({ placed: 16, refused: 4, unknown: 0, notSent: 0 });
  });

  it('a line does not count as refused because the answer lacks its id and no list shows it yet', async () => {
    const exchange = new ScriptedExchange();
    exchange.usually = { answer: () => answer(exchange.has.orders.slice(0, 15).map(({ id }) => id)) };
    exchange.lag = 1_000;
    const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
    expect((await place(trading, { lines: lines(20) })).job.counts()).toMatchObject({ placed: 0, unknown: 20 });
    exchange.lag = 0;
    const options = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW };
    expect((await resume(tradingOf(exchange, options))).job.counts()).toMatchObject({ placed: 20 });
  });

  it('is settled by the user if an incomplete answer names an order that the exchange does not have', async () => {
    const exchange = new ScriptedExchange();
    exchange.usually = {
      accepts: (pair) => pair > 3,
      answer: () => answer([...exchange.has.orders.slice(0, -1).map(({ id }) => id), '99']),
    };
    const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
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
    const exchange = new ScriptedExchange({}, [answered({ ids: ['71', '72', '73'], message: '' })]);
    const earlier = tradingOf(exchange, { elapsedMs: -ms });
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
    const trading = tradingOf(exchange, { state: earlier.state, budgetMs: 3_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(3) });
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 3 });
    expect(ran.job.lines.flatMap((line) => (line.state === 'sent' ? (line.namedId ?? []) : []))).toEqual(named);
    expect(exchange.count('batch')).toBe(1);
  });

  it('looks a batch up if its answer is that of an earlier batch in another market', async () => {
    const exchange = new ScriptedExchange({}, [
      {},
      { times: 0, answer: () => answer(exchange.has.orders.map(({ id }) => id)) },
    ]);
    const options = { budgetMs: 3_000, tolerance: 60_000 };
    const earlier = tradingOf(exchange, options);
    const plan = { market: 'eth_usdt', side: 'buy', account: 'spot', lines: lines(3) } as const;
    await runJob(earlier, await startJob(earlier, plan, 'job0000000000000001'));
    const ran = await place(tradingOf(exchange, { ...options, state: earlier.state }), { lines: lines(3) });
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 3 });
  });

  it('is left to the user if its answer is a stale one that names orders of the other side', async () => {
    const exchange = new ScriptedExchange({}, [answered({ ids: ['71', '72'], message: '' })]);
    exchange.place({ id: '71', side: 'sell', price: '1', amount: '1' });
    exchange.place({ id: '72', side: 'sell', price: '1', amount: '1' });
    const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(3) });
    expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 3 });
    await settleManually(trading, JOB, { outcome: 'notSent', id: null });
    const options = { state: trading.state, tolerance: 60_000, elapsedMs: trading.host.now() - NOW };
    expect((await resume(tradingOf(exchange, options))).job.counts()).toMatchObject({ placed: 3 });
    expect(exchange.has.orders.filter(({ side }) => side === 'buy')).toHaveLength(3);
  });

  it('stays unknown if the answered ids cannot be read', async () => {
    const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair > 3 }]);
    exchange.onRequest = ({ kind }) => (kind === 'lookup' ? AWAY : undefined);
    exchange.lag = 1_000;
    const trading = tradingOf(exchange, { budgetMs: 100_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(20) });
    expect(ran.job.counts()).toMatchObject({ unknown: 20 });
  });

  it.each([
    ['less than a request', 7, [], 2],
    ['of one full request', 20, [], 4],
    ['of several requests', 130, [], 14],
    ['with its first answer lost', 60, [LOST_DONE], 7],
    ['with a request that is executed twice', 60, [{}, { times: 2 }], 10],
  ])('assigns each line its own order if the ids come in reverse order: %s', async (_, orders, treatments, most) => {
    const exchange = new ScriptedExchange({}, treatments);
    exchange.isReversed = true;
    exchange.place({ price: '20000', amount: '0.01' });
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(orders) });
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    const prices = new Map(exchange.has.orders.map(({ id, price }) => [id, price]));
    const own = ran.job.lines.map((now) => now.state === 'placed' && prices.get(now.id));
    expect(own).toEqual(lines(orders).map(([, price]) => price));
    expect(new Set([...ran.job.orderIds, exchange.has.orders[0]?.id]).size).toBe(exchange.has.orders.length);
    expect(exchange.count('list')).toBeLessThan(1 + 3 + 2 * most);
    // its record gives the same results
    const entry = trading.journal.findJob(JOB);
    expect(entry && new Job(entry).lines).toEqual(ran.job.lines);
  });

  it('assigns each line its own order if the ids come in reverse order and the exchange changed a price', async () => {
    const exchange = new ScriptedExchange();
    exchange.isReversed = true;
    // the order is at another price by the time of the answer
    exchange.usually = {
      answer: (given) => {
        Object.assign(exchange.has.orders[0] ?? {}, { price: '20000.5' });
        return given;
      },
    };
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(20) });
    expect(exchange.has.orders[0]?.price).toBe('20000.5');
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    expect(ran.job.orderIds).toEqual(exchange.has.orders.map(({ id }) => id));
  });

  it('keeps the answered ids if the exchange lists all orders at other prices', async () => {
    const exchange = new ScriptedExchange();
    exchange.usually = {
      answer: (given) => {
        for (const order of exchange.has.orders) order.price = `${Number(order.price) + 0.5}`;
        return given;
      },
    };
    const trading = tradingOf(exchange);
    const ran = await place(trading, { lines: lines(20) });
    expect(ran).toMatchObject({ ending: { kind: 'finished' }, isChecked: true });
    expect([exchange.has.orders[0]?.price, trading.warnings]).toEqual(['20000.5', []]);
    expect(ran.job.orderIds).toEqual(exchange.has.orders.map(({ id }) => id));
    expect(exchange.count('list')).toBe(1 + 3 + 3);
  });
});
