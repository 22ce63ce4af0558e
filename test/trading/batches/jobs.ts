import type { Job } from '../../../src/trading/batches/job.js';
import { type Ending, JobRun } from '../../../src/trading/batches/job-run.js';
import { resumeJob, startJob } from '../../../src/trading/batches/start-job.js';
import type { BatchLine, BatchTerms } from '../../../src/trading/journal/write.js';
import type { TestTrading } from '../support/trading.js';

export const JOB = 'job0123456789abcdef';

/** Lines with different prices. */
export function lines(count: number): BatchLine[] {
  return Array.from({ length: count }, (_, index): BatchLine => [index + 1, `${20_000 + index}`, '0.01']);
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
