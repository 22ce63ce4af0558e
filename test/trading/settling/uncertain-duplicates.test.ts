import { expect, it } from 'vitest';
import { jobToResume, resumeJob } from '../../../src/trading/batches/start-job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { refuseIdenticalOrder } from '../../../src/trading/orders/place.js';
import { resolveJob } from '../../../src/trading/settling/resolve.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { LOST, LOST_DONE, ScriptedExchange } from '../../support/scripted-exchange.js';
import { begin, JOB, lines, place, resume, timesPlaced } from '../batches/jobs.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { unknownIn } from '../support/unknown.js';

const OPTIONS = { budgetMs: 2_000, tolerance: 60_000 };

/** The error for a batch with a line that another write may have placed. */
function refusalFor(line: string, id = JOB) {
  return {
    kind: 'usage',
    clientId: id,
    message: `An order identical to ${line} may already be placed; nothing was sent.`,
    hints: saying(`Find its outcome: pit resolve ${id}`),
  };
}

/** The same trading context at its current time, with a new budget. */
function later(trading: TestTrading & { readonly state: string }, exchange: ScriptedExchange, budgetMs = 200_000) {
  return tradingOf(exchange, { ...OPTIONS, budgetMs, state: trading.state, elapsedMs: trading.host.now() - NOW });
}

it('orders that may belong to another unknown job are not assigned to refused lines', async () => {
  const exchange = new ScriptedExchange({}, [{ accepts: (pair) => pair < 18 }, LOST, LOST_DONE]);
  const trading = tradingOf(exchange, OPTIONS);
  const first = await place(trading, { lines: lines(40) });
  expect(first.job.counts()).toEqual({ placed: 18, refused: 2, unknown: 20, notSent: 0 });
  // the refused lines once more: they are placed, but no list shows them in time
  exchange.lag = 1_000;
  const again = tradingOf(exchange, {
    ...OPTIONS,
    state: trading.state,
    elapsedMs: trading.host.now() - NOW,
  });
  const second = await place(again, { lines: lines(20).slice(18) }, 'job2');
  expect(second.job.counts()).toMatchObject({ unknown: 2 });
  exchange.lag = 0;
  const next = later(again, exchange);
  const { job, isChecked } = await resume(next);
  expect([job.counts(), isChecked, next.alarms]).toEqual([
    { placed: 38, refused: 2, unknown: 0, notSent: 0 },
    true,
    [],
  ]);
  // the list that settled the one job settled the other too
  expect(next.journal.isUnsettled('job2')).toBe(false);
  expect(next.journal.archive.find('job2')).toMatchObject({ outcome: 'placed' });
  expect([next.alarms, exchange.count('batch')]).toEqual([[], 4]);
  expect(new Set(timesPlaced(exchange).values())).toEqual(new Set([1]));
});

it('a batch is refused while its lines may be placed by another job, and accepted once they are not', async () => {
  const exchange = new ScriptedExchange({}, [LOST]);
  const trading = tradingOf(exchange, OPTIONS);
  const first = await place(trading, { lines: lines(20) });
  expect(first.job.counts()).toMatchObject({ unknown: 20 });
  const cases = [
    [lines(19), 'line 1 (and to 18 more)'],
    [
      [
        [7, '30000', '0.5'],
        [8, '20019.0', '0.010'],
      ],
      'line 8',
    ],
  ] as const;
  for (const [other, line] of cases)
    await expect(begin(trading, { lines: other }, 'job2')).rejects.toMatchObject(refusalFor(line));
  expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([JOB]);
  for (const [id, other] of [
    ['job3', { side: 'sell' }],
    ['job4', { account: 'cross' }],
    ['job5', { lines: lines(41).slice(20) }],
  ] as const)
    await begin(trading, { lines: lines(19), ...other }, id);
  const settled = later(trading, exchange);
  await resolveJob(settled, settled.journal.findUnsettled(JOB) as JournalEntry<'batch'>, false);
  expect((await place(settled, { lines: lines(19) }, 'job6')).job.counts()).toMatchObject({ placed: 19 });
  expect(exchange.count('batch')).toBe(2);
});

it('a batch is refused while an order identical to one of its lines may be placed', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange, OPTIONS);
  const terms = {
    ...TERMS,
    market: 'btc_usdt',
    side: 'buy',
    account: 'spot',
    price: '20004.00',
    amount: '0.010',
  } as const;
  const entry = trading.journal.begin<'order'>({ operation: 'order', terms }, { id: 'mine0001', reqTime: NOW });
  // while its process runs, that order does not block the batch
  await begin(trading, { lines: lines(20) }, 'job2');
  entry.release();
  await expect(begin(trading, { lines: lines(19) }, 'job3')).rejects.toMatchObject(refusalFor('line 5', 'mine0001'));
  expect(exchange.count('order', 'batch')).toBe(0);
});

it('an order is refused once the answer for an identical line is lost, even while the job runs', async () => {
  const trading = tradingOf(new ScriptedExchange(), OPTIONS);
  const job = await begin(trading, { lines: lines(40) });
  await job.leaving([[0], [1]], NOW);
  job.record('no answer', { kind: 'lost', request: 1 });
  const like = (price: string) => () => refuseIdenticalOrder(trading, { ...TERMS, price, amount: '0.01' });
  expect(trading.journal.findUnsettled(JOB)?.isUnderWay).toBe(true);
  // the answer to the other request may still arrive
  expect(like('20001')).not.toThrow();
  expect(like('20000')).toThrow(/identical order has an unknown outcome/);
  expect(unknownIn(trading, 'btc_usdt')).toEqual([
    saying(`Some orders of ${JOB} (buy) may have been placed. Find out: pit resolve`),
  ]);
  expect(unknownIn(trading, 'eth_usdt')).toEqual([]);
  job.entry.release();
  // a process that takes over gets no answer either
  expect(trading.journal.findUnsettled(JOB)?.claim()).toBe(true);
  expect(like('20001')).toThrow(/identical order has an unknown outcome/);
  expect(like('20002')).not.toThrow();
});

it('a job does not resume while an identical order of another write is unknown, but its own unknown lines do not block it', async () => {
  const exchange = new ScriptedExchange({}, [{}, LOST]);
  const trading = tradingOf(exchange, OPTIONS);
  expect((await place(trading, { lines: lines(40) })).job.counts()).toMatchObject({ placed: 20, unknown: 20 });
  const terms = { ...TERMS, market: 'btc_usdt', side: 'buy', account: 'spot', price: '20030', amount: '0.01' } as const;
  const single = trading.journal.begin<'order'>({ operation: 'order', terms }, { id: 'mine0001', reqTime: NOW });
  single.release();
  const error = expect.objectContaining(refusalFor('line 31', 'mine0001'));
  const next = later(trading, exchange);
  expect(() => jobToResume(next, JOB, { market: 'btc_usdt', side: 'buy' })).toThrow(error);
  await expect(resumeJob(next, JOB)).rejects.toEqual(error);
  expect(next.journal.findUnsettled(JOB)?.isUnderWay).toBe(false);
  next.journal.findUnsettled('mine0001')?.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
  expect((await resume(next)).job.counts()).toMatchObject({ placed: 40 });
  expect(exchange.has.orders).toHaveLength(40);
});
