import { expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { settleManually } from '../../../src/trading/settling/manual/settle-manually.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { begin as beginJob, JOB, lines } from '../batches/jobs.js';
import { NOT_FOUND, query, record } from '../support/exchange.js';
import { TERMS } from '../support/terms.js';
import { type TradingOptions, tradingOf } from '../support/trading.js';

const NOT_SENT = { outcome: 'notSent', id: null } as const;
const placedAs = (id: string) => ({ outcome: 'done', id }) as const;
/** After the request has expired. */
const LATE = { elapsedMs: 70_000 };

/** An exchange that has these orders of 0.01 at 30000, by their ids, and no list. */
async function exchangeWith(...ids: string[]): Promise<string> {
  const { url } = await serveFaults({
    answer: ({ target }) => {
      const { id = '' } = query(target);
      return respond(ids.includes(id) ? record({ id, trade_date: NOW }) : NOT_FOUND);
    },
  });
  return url;
}

function lostOrder(url: string, options: TradingOptions = LATE) {
  const trading = tradingOf(url, options);
  trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'lost1', reqTime: NOW }).release();
  return trading;
}

it('an order is settled as the one that the user names', async () => {
  const trading = lostOrder(await exchangeWith('7'));
  await settleManually(trading, 'lost1', placedAs('7'));
  expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '7' });
  expect(trading.journal.archive.find('lost1')?.events.at(-1)?.event).toBe('placed: 7, as the user says');
});

it('an order is settled as not sent if the user says so', async () => {
  const trading = lostOrder(await exchangeWith());
  await settleManually(trading, 'lost1', NOT_SENT);
  expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'notSent', id: null });
});

it('nothing is settled by the user while the request may still be executed', async () => {
  const trading = lostOrder(await exchangeWith('7'), {});
  for (const manual of [NOT_SENT, placedAs('7')])
    await expect(settleManually(trading, 'lost1', manual)).rejects.toMatchObject({
      kind: 'usage',
      message: 'The exchange may still execute lost1, so it is too early to report its outcome.',
    });
  expect(trading.journal.unsettledEntries()).toHaveLength(1);
});

it('an order is not settled as one that the exchange does not have, that another write made, or that is not named', async () => {
  const trading = lostOrder(await exchangeWith('7', '8'));
  const other = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'other1', reqTime: NOW });
  other.settle({ outcome: 'placed', id: '6', duplicates: ['8'] }, 'placed');
  const rejected = (manual: Parameters<typeof settleManually>[2], text: string) =>
    expect(settleManually(trading, 'lost1', manual)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(text),
    });
  await rejected(placedAs('9'), 'does not show an order 9');
  await rejected(placedAs('8'), 'belongs to other1');
  await rejected({ outcome: 'done', id: null }, 'does not say which order');
  expect(trading.journal.isUnsettled('lost1')).toBe(true);
});

/** A job of the orders at 20000 to 20004 whose one request got no answer. */
async function lostJob(url: string) {
  const trading = tradingOf(url, { ...LATE });
  const job = await beginJob(trading, { lines: lines(5) });
  await job.leaving([[0, 1, 2, 3, 4]], NOW);
  job.record('lost', { kind: 'lost', request: 1 });
  job.entry.release();
  return { trading, now: () => new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>) };
}

it('the lines of a batch are settled one by one as placed, and the rest as not sent', async () => {
  const { url } = await serveFaults({
    answer: ({ target }) => {
      const { id = '' } = query(target);
      return respond(id === '' ? NOT_FOUND : record({ id, price: 20_002, trade_date: NOW }));
    },
  });
  const { trading, now } = await lostJob(url);
  await settleManually(trading, JOB, placedAs('7'));
  expect(now().outcomes()).toEqual(['unknown', 'unknown', 'placed', 'unknown', 'unknown']);
  // no other line wants an order at this price
  await expect(settleManually(trading, JOB, placedAs('8'))).rejects.toMatchObject({ kind: 'usage' });
  await settleManually(trading, JOB, NOT_SENT);
  expect(now().outcomes()).toEqual(['notSent', 'notSent', 'placed', 'notSent', 'notSent']);
  await expect(settleManually(trading, JOB, NOT_SENT)).rejects.toMatchObject({
    message: `No order of ${JOB} has an unknown outcome.`,
  });
});
