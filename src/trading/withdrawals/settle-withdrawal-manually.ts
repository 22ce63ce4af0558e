import { suggest, usage } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { certainFrom } from '../poll-until-settled.js';
import { LONGEST_PROBED_MS } from '../tolerance.js';
import { findSentWithdrawal, isObservation } from './find-withdrawal.js';
import { expiresAt, settleFound, settlePlaced } from './settle-withdrawal.js';

/**
 * Settles a withdrawal as the user reports it. What the exchange shows takes precedence, and nothing counts while the
 * request may still be executed.
 * @throws Failure `usage` if it may be
 */
export async function settleWithdrawalManually(
  account: TradingAccount,
  entry: Entry<'withdraw'>,
  word: 'done' | 'notSent',
): Promise<void> {
  const found = await findSentWithdrawal(account, entry);
  if (isObservation(found)) {
    settleFound(account, entry, found);
    account.tell('The exchange lists this withdrawal, so --as is ignored.');
    return;
  }
  const { isLearnt } = await requireLate(account, entry);
  if (found === 'nothing' && isLearnt) {
    account.tell('The exchange can be asked about this withdrawal, so --as is ignored.');
    return;
  }
  if (word === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent, as the user says');
    return;
  }
  const [record = null] = typeof found === 'object' ? found.records : [];
  settlePlaced(account, entry, record, [], 'placed, as the user says');
}

/**
 * Throws Failure `usage` until the request has expired: the withdrawal may appear in a moment. If the tolerance is unknown,
 * the longest one that is probed counts.
 */
async function requireLate(account: TradingAccount, { intent }: Entry<'withdraw'>): Promise<{ isLearnt: boolean }> {
  const { id, reqTime } = intent;
  const learnt = await expiresAt(account, intent);
  const certain = learnt ?? certainFrom(account, reqTime + LONGEST_PROBED_MS) ?? 0;
  if (certain <= account.host.now()) return { isLearnt: learnt !== null };
  throw usage(`The exchange may still execute withdrawal ${id}, so it is too early to report its outcome.`, [
    `Report it after ${new Date(certain).toISOString()}, as done or notSent.`,
    suggest('Report it', 'resolve', id, '--as', 'done'),
  ]);
}
