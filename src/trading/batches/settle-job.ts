import type { TradingAccount } from '../account.js';
import type { DuplicateOrders } from '../duplicates.js';
import type { Entry } from '../journal/entry.js';
import type { Outcome } from '../journal/intent.js';
import { closeJob, endJob, outcomeOf } from './closing.js';
import { Job } from './job.js';
import { duplicatesOf, settleEarlier } from './reconcile-job.js';
import { findRepeated } from './repeated.js';

interface SettledJob {
  readonly outcome: Outcome;
  readonly duplicates: readonly DuplicateOrders[];
}

/**
 * Finds out what became of the orders of a job that no process is at, and sends none. Where orders are left that were not
 * sent it stays open, to be gone on with, unless it is to be ended as it is.
 */
export async function settleJob(
  account: TradingAccount,
  entry: Entry<'orderMoreV2'>,
  end: boolean,
): Promise<SettledJob> {
  const before = new Job(entry);
  const isKnown = before.isWhole && before.pendingRequests.size === 0;
  if (!end && isKnown && before.unsent().length > 0) return { outcome: outcomeOf(before), duplicates: [] };
  if (!entry.takeUp()) return { outcome: 'unknown', duplicates: [] };
  const job = new Job(entry);
  const isSettled = (await settleEarlier(account, job)) === undefined;
  const checked = isSettled && job.counts().placed > 0 ? await findRepeated(account, job) : undefined;
  const outcome = outcomeOf(job);
  if (isSettled && end) closeJob(job, checked);
  else endJob(job, outcome === 'unknown' ? outcome : 'settled', checked);
  return { outcome, duplicates: duplicatesOf(job) };
}
