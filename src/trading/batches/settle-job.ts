import type { DuplicateOrders } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Outcome } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { endJob, outcomeOf, settleJobRecord } from './close-job.js';
import { findDuplicates } from './find-duplicates.js';
import { Job } from './job.js';
import { duplicatesOf, settleEarlier } from './reconcile-job.js';

interface SettledJob {
  readonly outcome: Outcome;
  readonly duplicates: readonly DuplicateOrders[];
}

/**
 * Looks up the orders of a job that no process owns, and sends none. If some orders were not sent, the job stays open and
 * can be resumed, unless it is to be closed as it is.
 */
export async function settleJob(
  trading: TradingContext,
  entry: JournalEntry<'batch'>,
  closeUnfinished: boolean,
): Promise<SettledJob> {
  const before = new Job(entry);
  const isKnown = before.isRecordComplete && before.pendingRequests.size === 0;
  if (!closeUnfinished && isKnown && before.unsent().length > 0) return { outcome: outcomeOf(before), duplicates: [] };
  if (!entry.claim()) return { outcome: 'unknown', duplicates: [] };
  const job = new Job(entry);
  const isSettled = (await settleEarlier(trading, job)) === undefined;
  const checked = isSettled && job.counts().placed > 0 ? await findDuplicates(trading, job) : undefined;
  const outcome = outcomeOf(job);
  if (isSettled && closeUnfinished) settleJobRecord(job, checked);
  else endJob(job, outcome === 'unknown' ? outcome : 'settled', checked);
  return { outcome, duplicates: duplicatesOf(job) };
}
