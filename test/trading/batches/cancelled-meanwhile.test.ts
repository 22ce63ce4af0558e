import { describe, expect, it } from 'vitest';
import { NOW } from '../../support/fake-host.js';
import { LOST_DONE, ScriptedExchange } from '../../support/scripted-exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { lines, place, resume } from './jobs.js';

const OPTIONS = { budgetMs: 2_000, tolerance: 60_000 };

/** As another command of this home does. The model goes on listing the orders, as an exchange lists cancelled ones. */
function cancelEach({ journal }: TestTrading, ids: readonly string[]): void {
  for (const id of ids) journal.noteCancelled({ market: 'btc_usdt', id });
}

/** Places three lines whose answer is lost, cancels the orders that were made, and resumes the job. */
async function cancelledThenResumed(exchange: ScriptedExchange) {
  const trading = tradingOf(exchange, OPTIONS);
  // the lists do not show the orders yet
  exchange.lag = 1_000;
  const first = await place(trading, { lines: lines(3) });
  expect(first.job.counts()).toMatchObject({ unknown: 3 });
  exchange.lag = 0;
  cancelEach(
    trading,
    exchange.has.orders.map(({ id }) => id),
  );
  const elapsedMs = trading.host.now() - NOW;
  const later = tradingOf(exchange, { ...OPTIONS, budgetMs: 200_000, state: trading.state, elapsedMs });
  const { job } = await resume(later);
  return { job, alarms: later.alarms };
}

describe('orders of a batch that were cancelled before pit knew whose they are', () => {
  it('the orders are placed, not sent again, if their request got no answer', async () => {
    const exchange = new ScriptedExchange({}, [LOST_DONE]);
    const { job, alarms } = await cancelledThenResumed(exchange);
    expect([job.counts(), alarms]).toEqual([{ placed: 3, refused: 0, unknown: 0, notSent: 0 }, []]);
    expect([exchange.count('batch'), exchange.has.orders.length]).toEqual([1, 3]);
  });

  it('the orders are duplicates if the network doubled their request', async () => {
    const exchange = new ScriptedExchange({}, [{ ...LOST_DONE, times: 2 }]);
    const { job } = await cancelledThenResumed(exchange);
    expect([job.counts().placed, job.duplicates.size]).toEqual([3, 3]);
    expect(exchange.count('batch')).toBe(1);
  });

  it('the orders belong to the batch if they were cancelled before its answer came', async () => {
    const exchange = new ScriptedExchange();
    exchange.usually = {
      answer: (given) => {
        cancelEach(
          trading,
          exchange.has.orders.map(({ id }) => id),
        );
        return given;
      },
    };
    const trading = tradingOf(exchange, { budgetMs: 200_000, tolerance: 60_000 });
    const { job } = await place(trading, { lines: lines(3) });
    expect([job.counts(), trading.alarms]).toEqual([{ placed: 3, refused: 0, unknown: 0, notSent: 0 }, []]);
    expect(exchange.count('batch')).toBe(1);
  });
});
