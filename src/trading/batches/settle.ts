import type { TradingAccount } from '../account.js';
import type { Extra } from '../duplicates/extra-orders.js';
import type { Entry } from '../journal/entry.js';
import type { Outcome } from '../journal/intent.js';
import { closeJob, endJob, outcomeOf } from './closing.js';
import { copiesOf } from './copies.js';
import { Job } from './job.js';
import { settleEarlier } from './look.js';
import { findRepeated } from './repeated.js';

interface SettledJob {
  readonly outcome: Outcome;
  readonly extras: readonly Extra[];
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
  const isKnown = before.isWhole && before.doubts.size === 0;
  if (!end && isKnown && before.unsent().length > 0) return { outcome: outcomeOf(before), extras: [] };
  if (!entry.takeUp()) return { outcome: 'unknown', extras: [] };
  const job = new Job(entry);
  const isSettled = (await settleEarlier(account, job)) === undefined;
  const checked = isSettled && job.counts().placed > 0 ? await findRepeated(account, job) : undefined;
  const outcome = outcomeOf(job);
  if (isSettled && end) closeJob(job, checked);
  else endJob(job, outcome === 'unknown' ? outcome : 'settled', checked);
  return { outcome, extras: copiesOf(job) };
}
