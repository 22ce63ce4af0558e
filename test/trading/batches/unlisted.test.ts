import { describe, expect, it } from 'vitest';
import { batchAnswer } from '../../../src/commands/order/batch-result.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import type { FakeHost } from '../../support/fake-host.js';
import { type Answer, respond, serveFaults } from '../../support/fault-server.js';
import { count, NOT_FOUND, query } from '../support/exchange.js';
import { tradingOf } from '../support/trading.js';
import { JOB, lines, outcomes, place, resume } from './jobs.js';
import { ModelExchange, RESET, type Treatment } from './model-exchange.js';

const NO_PATH = respond('', '404 Not Found');

/** What an exchange that does not list its orders may answer instead. */
const NO_LIST: readonly (readonly [what: string, answer: Answer])[] = [
  ['no such path', NO_PATH],
  ['an error page', respond('<html>not found</html>')],
  ['another shape', respond('{"code":1000,"message":"ok","result":{"list":[]}}')],
  ['a code', respond('{"code":1001,"message":"not supported"}')],
];

/** Serves an exchange that does not list its orders. `hidden`: the ids that getOrder does not show. */
async function unlisted(list: Answer, treatments: Treatment[] = []) {
  const exchange = new ModelExchange(treatments);
  const hidden = new Set<string>();
  const server = await serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/api/getOrders?')) return list;
      const isHidden = target.startsWith('/api/getOrder?') && hidden.has(query(target).id ?? '');
      return isHidden ? respond(NOT_FOUND) : exchange.answer(target);
    },
  });
  return { exchange, server, hidden };
}

describe('a batch on an exchange that does not list its orders', () => {
  it.each(NO_LIST)('is sent, and each order is confirmed by its id: getOrders answers %s', async (_, list) => {
    const { server, exchange } = await unlisted(list);
    const trading = tradingOf(server.url, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(25) });
    expect(ran.ending).toEqual({ kind: 'finished' });
    expect(ran.job.lines).toEqual(exchange.orders.map(({ id }) => expect.objectContaining({ state: 'placed', id })));
    expect(count(server, 'getOrder')).toBe(25);
    // what needs the list is named, and not claimed
    expect(ran.isChecked).toBe(false);
    expect(trading.warnings).toEqual([expect.stringContaining('Duplicates cannot be looked for')]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('keeps the id of an order that nothing shows: the line is unknown, and a later run confirms it', async () => {
    const { server, hidden } = await unlisted(NO_PATH);
    const second = '202202220000000002';
    hidden.add(second);
    const trading = tradingOf(server.url, { budgetMs: 10_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(3) });
    expect(outcomes(ran)).toEqual(['placed', 'unknown', 'placed']);
    expect(batchAnswer(ran.job, ran.ending)).toMatchObject({
      data: { placed: 2, unknown: 1, orders: [{}, { outcome: 'unknown', id: second }, {}] },
      failure: { kind: 'unknown' },
    });
    expect(ran.job.lines[1]).toMatchObject({ state: 'sent', namedId: second });
    const options = { state: trading.state, budgetMs: 10_000, tolerance: 60_000 };
    const later = tradingOf(server.url, options);
    // the record alone says so too
    expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown' }]);
    hidden.clear();
    expect(outcomes(await resume(tradingOf(server.url, options)))).toEqual(['placed', 'placed', 'placed']);
    expect(count(server, 'orderMoreV2')).toBe(1);
  });

  it('ends when its time is over, however many orders are left to confirm: their lines are unknown, with their ids', async () => {
    const { exchange } = await unlisted(NO_PATH);
    let host: FakeHost | undefined;
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/getOrders?')) return NO_PATH;
        if (target.startsWith('/api/getOrder?')) void host?.sleep(1_000);
        return exchange.answer(target);
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 10_000, tolerance: 60_000 });
    host = trading.host;
    const { job } = await place(trading, { lines: lines(60) });
    const { placed, unknown } = job.counts();
    expect([placed > 0, unknown > 30, placed + unknown]).toEqual([true, true, 60]);
    const ids = job.lines.map((line) => (line.state === 'placed' ? line.id : line.state === 'sent' && line.namedId));
    expect(ids).toEqual(exchange.orders.map(({ id }) => id));
    expect(count(server, 'getOrder')).toBeLessThan(20);
  });

  it('assigns each line its own order if the answer names them in reverse', async () => {
    const { server, exchange } = await unlisted(NO_PATH);
    exchange.isReversed = true;
    const trading = tradingOf(server.url, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(5) });
    expect(ran.job.lines.map((line) => (line.state === 'placed' ? line.id : ''))).toEqual(
      exchange.orders.map(({ id }) => id),
    );
  });

  it('leaves the lines of a request without an answer unknown, however late, and sends them never again', async () => {
    const { server } = await unlisted(NO_PATH, [{}, { times: 1, answer: RESET }]);
    const trading = tradingOf(server.url, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(30) });
    expect(ran.job.counts()).toEqual({ placed: 20, refused: 0, unknown: 10, notSent: 0 });
    const elapsedMs = 200_000;
    const again = await resume(tradingOf(server.url, { state: trading.state, tolerance: 60_000, elapsedMs }));
    expect(again.job.counts()).toEqual({ placed: 20, refused: 0, unknown: 10, notSent: 0 });
    expect(count(server, 'orderMoreV2')).toBe(2);
    expect(trading.journal.findJob(JOB)?.write.terms.baseline).toBeUndefined();
  });

  it('is not sent if the exchange could not be asked for its orders: that is no answer', async () => {
    const { server } = await unlisted(RESET);
    const trading = tradingOf(server.url, { budgetMs: 3_000, tolerance: 60_000 });
    await expect(place(trading, { lines: lines(3) })).rejects.toMatchObject({ kind: 'unreachable' });
    expect(count(server, 'orderMoreV2')).toBe(0);
  });
});
