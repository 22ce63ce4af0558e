import { localTimeText, suggest, usage } from '../../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { certainAt } from '../poll-until-settled.js';
import { LONGEST_TRIED_MS } from '../request-lifetime.js';
import type { TradingContext } from '../trading-context.js';
import { findSentWithdrawal, isFound } from './find-withdrawal.js';
import { settleFound, settlePlaced, whenCertain } from './settle-withdrawal.js';

/**
 * Settles a withdrawal as the user reports it. What the exchange shows takes precedence, and nothing counts while the
 * request may still be executed.
 * @throws Failure `usage` if it may be
 */
export async function settleWithdrawalManually(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  word: 'done' | 'notSent',
): Promise<void> {
  const found = await findSentWithdrawal(trading, entry);
  if (isFound(found)) {
    settleFound(trading, entry, found);
    trading.reportProgress('The exchange lists this withdrawal, so --as is ignored.');
    return;
  }
  const { isLearnt: isLifetimeKnown } = await requireExpired(trading, entry);
  if (found === 'none' && isLifetimeKnown) {
    trading.reportProgress('The exchange can be asked about this withdrawal, so --as is ignored.');
    return;
  }
  if (word === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent, as the user says');
    return;
  }
  const [record = null] = typeof found === 'object' ? found.records : [];
  settlePlaced(trading, entry, record, [], 'placed, as the user says');
}

/**
 * Throws Failure `usage` until the request has expired: the withdrawal may appear in a moment. If the request lifetime is unknown,
 * the longest one that is probed counts.
 */
async function requireExpired(
  trading: TradingContext,
  { write }: JournalEntry<'withdraw'>,
): Promise<{ isLearnt: boolean }> {
  const { id, reqTime } = write;
  const learnt = await whenCertain(trading, write);
  const certain = learnt ?? certainAt(trading, reqTime + LONGEST_TRIED_MS) ?? 0;
  if (certain <= trading.host.now()) return { isLearnt: learnt !== null };
  throw usage(`The exchange may still execute withdrawal ${id}, so it is too early to report its outcome.`, [
    `Report it after ${localTimeText(certain)}, as done or notSent.`,
    suggest('Report it', 'resolve', id, '--as', 'done'),
  ]);
}
