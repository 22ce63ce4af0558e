import { suggest, usage } from '../../../errors.js';
import { settleCallManually } from '../../call/call.js';
import type { TradingContext } from '../../trading-context.js';
import type { ManualOutcome } from './manual-outcome.js';
import { settleLinesManually, settleOrderManually } from './settle-order-manually.js';
import { settleWithdrawalManually } from './settle-withdrawal-manually.js';

/**
 * Records what the user found out about a write that pit cannot look up.
 * @throws Failure `usage` if the id is not that of such a write, or if it is too early to say
 */
export async function settleManually(
  trading: TradingContext,
  id: string | undefined,
  manual: ManualOutcome,
): Promise<void> {
  const { journal } = trading;
  const { outcome } = manual;
  const isDamaged = id !== undefined && journal.unsettled().damaged.includes(id);
  const entry = id === undefined || isDamaged ? undefined : journal.findUnsettled(id);
  const isListed = entry?.isKind('withdraw') || entry?.isKind('order') || entry?.isKind('batch');
  if (manual.id !== null && entry !== undefined && !isListed)
    throw usage(
      '--as placed=ID does not fit: only an order, a batch or a withdrawal has an id on the exchange.',
      'Use done or notSent for a call or a damaged record.',
    );
  if (isDamaged) {
    const newPath = journal.settleDamaged(id, `${outcome}, as the user says`);
    trading.reportProgress(`The damaged record of ${id} was moved to ${newPath}`);
    return;
  }
  if (entry?.isUnderWay === true)
    throw usage(
      `Another process is working on ${entry.write.id}.`,
      'Wait until it ends: it may find the outcome itself.',
    );
  if (entry?.isKind('withdraw')) return settleWithdrawalManually(trading, entry, manual);
  if (entry?.isKind('order')) return settleOrderManually(trading, entry, manual);
  if (entry?.isKind('batch')) return settleLinesManually(trading, entry, manual);
  if (entry?.isKind('call')) return settleCallManually(entry, outcome);
  if (entry === undefined)
    throw usage(
      id === undefined ? '--as needs the id of a write.' : `No write with the id ${id} has an unknown outcome.`,
      suggest('See what is unknown', 'resolve'),
    );
  throw usage(`The outcome of ${id} cannot be recorded with --as.`, [
    'It is for orders, batches, withdrawals, calls of pit api and damaged records.',
    suggest('Replacements are looked up', 'resolve'),
  ]);
}
