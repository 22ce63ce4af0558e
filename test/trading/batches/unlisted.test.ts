import { describe, expect, it } from 'vitest';
import { batchAnswer } from '../../../src/commands/order/batch-result.js';
import type { Failure } from '../../../src/errors.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import {
  AWAY,
  GARBLED,
  LOST_DONE,
  type Outcome,
  refusedRead,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { tradingOf } from '../support/trading.js';
import { JOB, lines, outcomes, place, resume } from './jobs.js';

/** What reading a list throws at an exchange that does not list its orders. */
const NO_LIST: readonly (readonly [what: string, failure: Failure])[] = [
  ['with something else', GARBLED],
  ['that it knows no such request', refusedRead('invalid')],
];
const UNLISTED = GARBLED;

/** An exchange that does not list its orders. `hidden`: the ids that it does not show. */
function unlisted(failure = UNLISTED, outcomes: readonly Outcome[] = []) {
  const exchange = new ScriptedExchange({}, outcomes);
  const hidden = new Set<string>();
  exchange.onRequest = (request) => {
    if (request.kind === 'list') return failure;
    if (request.kind !== 'lookup') return undefined;
    return 'id' in request.order && hidden.has(request.order.id) ? 'none' : undefined;
  };
  return { exchange, hidden };
}

describe('a batch on an exchange that does not list its orders', () => {
  it.each(NO_LIST)('is sent, and each order is confirmed by its id: it answers %s', async (_, list) => {
    const { exchange } = unlisted(list);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(25) });
    expect(ran.ending).toEqual({ kind: 'finished' });
    expect(ran.job.lines).toEqual(
      exchange.has.orders.map(({ id }) => expect.objectContaining({ state: 'placed', id })),
    );
    expect(exchange.count('lookup')).toBe(25);
    // what needs the list is named, and not claimed
    expect(ran.isChecked).toBe(false);
    expect(trading.warnings).toEqual([expect.stringContaining('Duplicates cannot be looked for')]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('keeps the id of an order that nothing shows: the line is unknown, and a later run confirms it', async () => {
    const { exchange, hidden } = unlisted();
    const second = '202202220000000002';
    hidden.add(second);
    const trading = tradingOf(exchange, { budgetMs: 10_000, tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(3) });
    expect(outcomes(ran)).toEqual(['placed', 'unknown', 'placed']);
    expect(batchAnswer(ran.job, ran.ending)).toMatchObject({
      data: { placed: 2, unknown: 1, orders: [{}, { outcome: 'unknown', id: second }, {}] },
      failure: { kind: 'unknown' },
    });
    expect(ran.job.lines[1]).toMatchObject({ state: 'sent', namedId: second });
    const options = { state: trading.state, budgetMs: 10_000, tolerance: 60_000 };
    const later = tradingOf(exchange, options);
    // the record alone says so too
    expect(await resolve(later, later.journal.unsettledEntries())).toMatchObject([{ outcome: 'unknown' }]);
    hidden.clear();
    expect(outcomes(await resume(tradingOf(exchange, options)))).toEqual(['placed', 'placed', 'placed']);
    expect(exchange.count('batch')).toBe(1);
  });

  it('ends when its time is over, however many orders are left to confirm: their lines are unknown, with their ids', async () => {
    const { exchange } = unlisted();
    const { onRequest } = exchange;
    const trading = tradingOf(exchange, { budgetMs: 10_000, tolerance: 60_000 });
    exchange.onRequest = (request) => {
      if (request.kind === 'lookup') void trading.host.sleep(1_000);
      return onRequest(request);
    };
    const { job } = await place(trading, { lines: lines(60) });
    const { placed, unknown } = job.counts();
    expect([placed > 0, unknown > 30, placed + unknown]).toEqual([true, true, 60]);
    const ids = job.lines.map((line) => (line.state === 'placed' ? line.id : line.state === 'sent' && line.namedId));
    expect(ids).toEqual(exchange.has.orders.map(({ id }) => id));
    expect(exchange.count('lookup')).toBeLessThan(20);
  });

  it('assigns each line its own order if the answer names them in reverse', async () => {
    const { exchange } = unlisted();
    exchange.isReversed = true;
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(5) });
    expect(ran.job.lines.map((line) => (line.state === 'placed' ? line.id : ''))).toEqual(
      exchange.has.orders.map(({ id }) => id),
    );
  });

  it('leaves the lines of a request without an answer unknown, however late, and sends them never again', async () => {
    const { exchange } = unlisted(UNLISTED, [{}, LOST_DONE]);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    const ran = await place(trading, { lines: lines(30) });
    expect(ran.job.counts()).toEqual({ placed: 20, refused: 0, unknown: 10, notSent: 0 });
    const elapsedMs = 200_000;
    const again = await resume(tradingOf(exchange, { state: trading.state, tolerance: 60_000, elapsedMs }));
    expect(again.job.counts()).toEqual({ placed: 20, refused: 0, unknown: 10, notSent: 0 });
    expect(exchange.count('batch')).toBe(2);
    expect(trading.journal.findJob(JOB)?.write.terms.baseline).toBeUndefined();
  });

  it('is not sent if the exchange could not be asked for its orders: that is no answer', async () => {
    const { exchange } = unlisted(AWAY);
    const trading = tradingOf(exchange, { budgetMs: 3_000, tolerance: 60_000 });
    await expect(place(trading, { lines: lines(3) })).rejects.toMatchObject({ kind: 'unreachable' });
    expect(exchange.count('batch')).toBe(0);
  });
});
