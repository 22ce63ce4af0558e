import type { BatchEvent } from '../../../src/trading/batches/batch-event.js';
import { Job } from '../../../src/trading/batches/job.js';
import { type Ending, JobRun } from '../../../src/trading/batches/job-run.js';
import { resumeJob, startJob } from '../../../src/trading/batches/start-job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { BatchLine, BatchTerms, JournalEvent } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import type { ScriptedExchange } from '../../support/scripted-exchange.js';
import type { TestTrading } from '../support/trading.js';

export const JOB = 'job0123456789abcdef';

/** Lines with different prices. */
export function lines(count: number): BatchLine[] {
  return Array.from({ length: count }, (_, index): BatchLine => [index + 1, `${20_000 + index}`, '0.01']);
}

/** A job whose record holds these events, as far as a job reads them. */
export function recordedJob(
  wanted: readonly BatchLine[],
  batchEvents: readonly BatchEvent[],
  others: Partial<JournalEvent>[] = [],
  parts: Partial<BatchTerms> = {},
): Job {
  const common = { market: 'btc_usdt', side: 'buy', account: 'spot', baseline: [], ...parts };
  const events = [
    { time: NOW, event: 'recorded' },
    ...batchEvents.map((batchEvent) => ({ time: NOW, event: '', batchEvent })),
    ...others.map((other) => ({ time: NOW, event: '', ...other })),
  ];
  const terms = { ...common, count: wanted.length, lines: wanted };
  const write = { operation: 'batch', id: 'job1', time: NOW, reqTime: NOW, terms };
  return new Job({ write, events, mayBeAbandoned: true } as unknown as JournalEntry<'batch'>);
}

type Terms = Partial<Pick<BatchTerms, 'side' | 'account' | 'lines' | 'ladder'>>;

export interface RanJob {
  readonly job: Job;
  readonly ending: Ending;
  readonly isChecked: boolean | null;
}

export function begin(trading: TestTrading, terms: Terms, id = JOB): Promise<Job> {
  const plan = { market: 'btc_usdt', side: 'buy', account: 'spot', lines: lines(100), ...terms } as const;
  return startJob(trading, plan, id);
}

export async function place(trading: TestTrading, terms: Terms, id = JOB): Promise<RanJob> {
  return runJob(trading, await begin(trading, terms, id));
}

export async function resume(trading: TestTrading, id = JOB): Promise<RanJob> {
  return runJob(trading, await resumeJob(trading, id));
}

export async function runJob(trading: TestTrading, job: Job): Promise<RanJob> {
  const run = new JobRun(trading, job, new AbortController().signal);
  const ending = await run.run();
  return { job, ending, isChecked: run.isChecked };
}

/** The outcome of every line. */
export function outcomes({ job }: RanJob): string[] {
  return job.outcomes();
}

/** How often the exchange has an order, for each price and amount that it has. */
export function timesPlaced({ has }: ScriptedExchange): Map<string, number> {
  const times = new Map<string, number>();
  for (const { price, amount } of has.orders) {
    const key = `${Number(price)} ${Number(amount)}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return times;
}
