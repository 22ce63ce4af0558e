import { describe, expect, it } from 'vitest';
import { NOW } from '../../support/fake-host.js';
import { serveFaults } from '../../support/fault-server.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { lines, place, resume } from './jobs.js';
import { ModelExchange, RESET } from './model-exchange.js';

const OPTIONS = { budgetMs: 2_000, tolerance: 60_000 };

/** As another command of this home does. The model goes on listing the orders, as an exchange lists cancelled ones. */
function cancelEach({ journal }: TestTrading, ids: readonly string[]): void {
  for (const id of ids) journal.noteCancelled({ market: 'btc_usdt', id });
}

/** Places three lines whose answer is lost, cancels the orders that were made, and resumes the job. */
async function cancelledThenResumed(exchange: ModelExchange) {
  const server = await exchange.serve();
  const trading = tradingOf(server.url, OPTIONS);
  // the lists do not show the orders yet
  exchange.lag = 1_000;
  const first = await place(trading, { lines: lines(3) });
  expect(first.job.counts()).toMatchObject({ unknown: 3 });
  exchange.lag = 0;
  cancelEach(
    trading,
    exchange.orders.map(({ id }) => id),
  );
  const elapsedMs = trading.host.now() - NOW;
  const later = tradingOf(server.url, { ...OPTIONS, budgetMs: 200_000, state: trading.state, elapsedMs });
  const { job } = await resume(later);
  return { job, alarms: later.alarms };
}

describe('orders of a batch that were cancelled before pit knew whose they are', () => {
  it('the orders are placed, not sent again, if their request got no answer', async () => {
    const exchange = new ModelExchange([{ answer: RESET }]);
    const { job, alarms } = await cancelledThenResumed(exchange);
    expect([job.counts(), alarms]).toEqual([{ placed: 3, refused: 0, unknown: 0, notSent: 0 }, []]);
    expect([exchange.batches.length, exchange.orders.length]).toEqual([1, 3]);
  });

  it('the orders are duplicates if the network doubled their request', async () => {
    const exchange = new ModelExchange([{ times: 2, answer: RESET }]);
    const { job } = await cancelledThenResumed(exchange);
    expect([job.counts().placed, job.duplicates.size]).toEqual([3, 3]);
    expect(exchange.batches.length).toBe(1);
  });

  it('the orders belong to the batch if they were cancelled before its answer came', async () => {
    const exchange = new ModelExchange();
    const server = await serveFaults({
      answer: ({ target }) => {
        const answer = exchange.answer(target);
        if (target.startsWith('/api/orderMoreV2?'))
          cancelEach(
            trading,
            exchange.orders.map(({ id }) => id),
          );
        return answer;
      },
    });
    const trading = tradingOf(server.url, { budgetMs: 200_000, tolerance: 60_000 });
    const { job } = await place(trading, { lines: lines(3) });
    expect([job.counts(), trading.alarms]).toEqual([{ placed: 3, refused: 0, unknown: 0, notSent: 0 }, []]);
    expect(exchange.batches.length).toBe(1);
  });
});
