import { expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import { DONE, ScriptedExchange } from '../../support/scripted-exchange.js';
import { tradingOf } from '../support/trading.js';
import { JOB, lines, place } from './jobs.js';

const EARLIER = 'job00000000000000ea';
/** Orders of another program, more than a page of the list. */
const OTHERS = 12;

/**
 * Places a batch of three orders, and then another one whose request gets the stale answer of the first.
 * @param isExecuted whether the exchange carries the second request out
 */
async function answeredAsBefore(isExecuted: boolean, others: number) {
  const exchange = new ScriptedExchange();
  const stale = () => exchange.has.orders.slice(0, 3).map(({ id }) => id);
  exchange.outcomes = [
    DONE,
    {
      times: isExecuted ? 1 : 0,
      answer: () => ({ kind: 'done', value: { ids: stale(), message: '' } }),
    },
  ];
  const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
  await place(trading, { lines: lines(3) }, EARLIER);
  for (let count = 0; count < others; count += 1) exchange.place({ price: '19000', amount: '0.02' });
  const second = lines(6).slice(3);
  const ran = await place(trading, { lines: second });
  return { exchange, trading, ran, batches: () => exchange.count('batch') };
}

it.each([0, OTHERS])(
  'a batch does not take orders of an earlier batch for its own: its lines are not on the exchange (%i orders between)',
  async (others) => {
    const { ran, trading } = await answeredAsBefore(false, others);
    expect(ran.job.counts()).toEqual({ placed: 0, refused: 0, unknown: 0, notSent: 3 });
    expect(ran.ending).toMatchObject({ kind: 'lost' });
    const entry = trading.journal.findJob(JOB);
    expect(entry && new Job(entry).counts()).toEqual(ran.job.counts());
  },
);

it.each([0, OTHERS])(
  'a batch finds its own orders if its answer names those of an earlier one (%i orders between)',
  async (others) => {
    const { ran, exchange, batches } = await answeredAsBefore(true, others);
    expect(ran.job.counts()).toMatchObject({ placed: 3, notSent: 0 });
    expect(ran.ending).toEqual({ kind: 'finished' });
    const own = exchange.has.orders.filter(({ price }) => Number(price) > 20_002).map(({ id }) => id);
    expect(ran.job.orderIds.toSorted()).toEqual(own.toSorted());
    expect([ran.isChecked, batches()]).toEqual([true, 2]);
  },
);
