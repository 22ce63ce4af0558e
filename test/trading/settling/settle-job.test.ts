import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import {
  addLateOrders,
  bringSummaryUpToDate,
  duplicateEvents,
  endJob,
  outcomeOf,
  settleJob,
} from '../../../src/trading/settling/settle-job.js';
import { NOW } from '../../support/fake-host.js';
import { lines } from '../batches/jobs.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** A job of three lines: two in the first request, one in the second. */
async function jobOf(trading: TestTrading, sent: readonly (readonly number[])[] = [[0, 1], [2]]) {
  const terms = {
    market: 'btc_usdt',
    side: 'buy',
    account: 'spot',
    count: 3,
    lines: lines(3),
    baseline: ['1'],
  } as const;
  const job = new Job(trading.journal.begin<'batch'>({ operation: 'batch', terms }, { id: 'job1', reqTime: NOW }));
  await job.leaving(sent, NOW);
  return job;
}

const answer = (job: Job, request: number, ids: readonly string[], message: string | null = null) =>
  job.record('', { kind: 'answered', request, ids, message });
const close = (job: Job, request: number, outcome: 'refused' | 'notSent') =>
  job.record('', { kind: 'closed', request, outcome, reason: 'no', code: null });
const find = (job: Job, line: number, id: string) => job.record('', { kind: 'found', orders: [[line, id]] });
const lastEvent = (job: Job) => job.entry.events.at(-1)?.event;

describe('a job as one write', () => {
  it.each<[string, (job: Job) => void, string]>([
    ['placed if all its orders are', (job) => [answer(job, 1, ['7', '8']), answer(job, 2, ['9'])], 'placed'],
    ['partial if only some are', (job) => [answer(job, 1, ['7', '8']), close(job, 2, 'notSent')], 'partial'],
    ['refused if all were', (job) => [close(job, 1, 'refused'), close(job, 2, 'refused')], 'refused'],
    [
      'not sent if none exists and some were not sent',
      (job) => [close(job, 1, 'refused'), close(job, 2, 'notSent')],
      'notSent',
    ],
    ['unknown while a line is, though others are placed', (job) => [answer(job, 1, ['7', '8'])], 'unknown'],
  ])('is %s', async (_, record, outcome) => {
    const job = await jobOf(tradingOf('http://127.0.0.1:1'));
    record(job);
    expect(outcomeOf(job)).toBe(outcome);
  });

  it('cannot be settled while a line is unknown', async () => {
    const job = await jobOf(tradingOf('http://127.0.0.1:1'));
    expect(() => settleJob(job)).toThrow('a job with an unknown outcome cannot be closed');
  });

  it('is in the archive with its counts, its duplicates and what all of them cost, but without its lines', async () => {
    const trading = tradingOf('http://127.0.0.1:1');
    const job = await jobOf(trading);
    answer(job, 1, ['7', '8']);
    close(job, 2, 'refused');
    job.record('', { kind: 'duplicated', orders: [[1, '10']] });
    settleJob(job, NOW + 5);
    expect(trading.journal.archive.find('job1')).toMatchObject({
      ...{ outcome: 'partial', id: null, duplicates: ['10'], notional: '600.02' },
      write: { terms: { count: 3, lines: [], baseline: [] } },
    });
    expect(lastEvent(job)).toBe('2 of 3 placed, 1 refused');
    const settled = trading.journal.findSettledJob('job1') as JournalEntry<'batch'>;
    expect(settled.events.at(-1)?.settled).toEqual({
      outcome: 'partial',
      id: null,
      duplicates: ['10'],
      checkedTo: NOW + 5,
    });
  });
});

describe('a job whose command ends', () => {
  it.each<[string, (job: Job) => void, boolean, string]>([
    [
      'is settled if nothing is left to do',
      (job) => [answer(job, 1, ['7', '8']), answer(job, 2, ['9'])],
      false,
      '3 of 3 placed',
    ],
    [
      'is settled if nothing of it was ever placed',
      (job) => [close(job, 1, 'notSent'), close(job, 2, 'notSent')],
      false,
      '0 of 3 placed, 3 not sent',
    ],
    [
      'stays open if a line can still be sent',
      (job) => [answer(job, 1, ['7', '8']), close(job, 2, 'notSent')],
      true,
      'stopped (finished): 2 of 3 placed, 1 not sent',
    ],
    [
      'stays open if some were refused and others not sent',
      (job) => [close(job, 1, 'refused'), close(job, 2, 'notSent')],
      true,
      'stopped (finished): 0 of 3 placed, 2 refused, 1 not sent',
    ],
    [
      'stays open if a line can still be sent, and of the others one is placed and one refused',
      (job) => [find(job, 0, '7'), close(job, 1, 'refused'), close(job, 2, 'notSent')],
      true,
      'stopped (finished): 1 of 3 placed, 1 refused, 1 not sent',
    ],
    [
      'stays open while a line is unknown',
      (job) => answer(job, 1, ['7', '8']),
      true,
      'stopped (finished): 2 of 3 placed, 1 unknown',
    ],
  ])('%s', async (_, record, isOpen, event) => {
    const trading = tradingOf('http://127.0.0.1:1');
    const job = await jobOf(trading);
    record(job);
    endJob(job, 'finished');
    expect([trading.journal.isUnsettled('job1'), lastEvent(job)]).toEqual([isOpen, event]);
  });
});

describe('orders that a request made twice', () => {
  it('are the order of a line that was refused, and duplicates of one that is placed', async () => {
    const job = await jobOf(tradingOf('http://127.0.0.1:1'));
    answer(job, 1, ['7', '8']);
    close(job, 2, 'refused');
    expect(
      duplicateEvents(job, [
        [2, '10'],
        [0, '11'],
        [2, '12'],
      ]),
    ).toEqual([
      ['there after a refusal: 10', { kind: 'found', orders: [[2, '10']] }],
      [
        'duplicates: 11, 12',
        {
          kind: 'duplicated',
          orders: [
            [0, '11'],
            [2, '12'],
          ],
        },
      ],
    ]);
    expect(duplicateEvents(job, [[2, '10']]).map(([event]) => event)).toEqual(['there after a refusal: 10']);
    expect(duplicateEvents(job, [[0, '11']]).map(([event]) => event)).toEqual(['duplicates: 11']);
    expect(duplicateEvents(job, [])).toEqual([]);
  });
});

describe('orders of a settled job that are found later', () => {
  const report = (ids: readonly string[], line?: number) => ({
    ...{ writeId: 'job1', terms: TERMS, orderId: null, ids, shown: [], isProven: false },
    ...(line === undefined ? {} : { line }),
  });

  /** Two lines are placed, and one was not sent. */
  const twoPlaced = (job: Job) => [answer(job, 1, ['7', '8']), close(job, 2, 'notSent')];
  /** One line is placed, and two were not sent. */
  const onePlaced = (job: Job) => [close(job, 1, 'notSent'), answer(job, 2, ['9'])];

  async function settled(record: (job: Job) => void = twoPlaced) {
    const trading = tradingOf('http://127.0.0.1:1');
    const job = await jobOf(trading);
    record(job);
    settleJob(job);
    const { archive } = trading.journal;
    const summary = archive.find('job1');
    if (summary === undefined) throw new Error('the job is not in the archive');
    const folder = path.join(trading.state, 'journal', 'test');
    return { trading, job, archive, summary, folder };
  }

  it('are in its record and its summary, and each only once', async () => {
    const { trading, job, archive } = await settled();
    for (let count = 0; count < 2; count += 1)
      addLateOrders(trading.journal, job, [report(['9'], 2), report(['10'], 0), report(['11'])]);
    expect(archive.find('job1')).toMatchObject({ outcome: 'placed', duplicates: ['10'], notional: '800.03' });
    const { events = [] } = trading.journal.findSettledJob('job1') ?? {};
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['there after a refusal: 9', 'duplicates: 10']);
  });

  it('count for the limit of its day, also if the job stays partial', async () => {
    const { trading, job, archive, summary } = await settled(onePlaced);
    expect(summary).toMatchObject({ outcome: 'partial', notional: '200.02' });
    addLateOrders(trading.journal, job, [report(['10'], 0)]);
    expect(archive.find('job1')).toMatchObject({ outcome: 'partial', duplicates: [], notional: '400.02' });
  });

  it('that only the summary has stay there, and it never counts for less than before', async () => {
    const { trading, job, archive, summary } = await settled();
    archive.add({ ...summary, duplicates: ['12'], notional: '1000' });
    addLateOrders(trading.journal, job, [report(['10'], 0)]);
    expect(archive.find('job1')).toMatchObject({ outcome: 'partial', duplicates: ['12', '10'], notional: '1000' });
    addLateOrders(trading.journal, job, [report(['9'], 2)]);
    expect(archive.find('job1')).toMatchObject({ outcome: 'placed', duplicates: ['12', '10'], notional: '1000' });
  });

  it('add nothing to the archive if its summary has them', async () => {
    const { trading, archive } = await settled();
    const add = vi.spyOn(archive, 'add');
    bringSummaryUpToDate(trading.journal, 'job1');
    bringSummaryUpToDate(trading.journal, 'other1');
    expect(add).not.toHaveBeenCalled();
  });

  it('are left to the command that has resumed the job meanwhile', async () => {
    const { trading, job, archive, summary } = await settled();
    trading.journal.reopen('job1');
    addLateOrders(trading.journal, job, [report(['10'], 0)]);
    bringSummaryUpToDate(trading.journal, 'job1');
    expect(archive.find('job1')).toEqual(summary);
    expect(trading.journal.findUnsettled('job1')?.events.at(-1)?.event).toBe('2 of 3 placed, 1 not sent');
  });

  it('are in its record alone once the archive no longer keeps its summary', async () => {
    const { trading, job, archive, folder } = await settled();
    rmSync(path.join(folder, 'archive'), { recursive: true });
    addLateOrders(trading.journal, job, [report(['10'], 0)]);
    expect(archive.find('job1')).toBeUndefined();
    expect(trading.journal.findSettledJob('job1')?.events.at(-1)?.event).toBe('duplicates: 10');
  });

  it('leave its summary as it was while its record lacks an answer', async () => {
    const { trading, archive, summary, folder } = await settled();
    const [name = ''] = readdirSync(path.join(folder, 'jobs'));
    const file = path.join(folder, 'jobs', name);
    const recorded = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, recorded.filter((line) => !line.includes('"answered"')).join('\n'));
    bringSummaryUpToDate(trading.journal, 'job1');
    expect(archive.find('job1')).toEqual(summary);
  });
});
