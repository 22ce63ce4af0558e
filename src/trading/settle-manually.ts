import { suggest, usage } from '../errors.js';
import { settleCallManually } from './call/call.js';
import type { TradingContext } from './trading-context.js';
import { settleWithdrawalManually } from './withdrawals/settle-withdrawal-manually.js';

/** What the user found out on the exchange. */
type ManualOutcome = 'done' | 'notSent';

/**
 * Records what the user found out about a write that pit cannot look up.
 * @throws Failure `usage` if the id is not that of such a write, or if it is too early to say
 */
export async function settleManually(
  trading: TradingContext,
  id: string | undefined,
  outcome: ManualOutcome,
): Promise<void> {
  const { journal } = trading;
  if (id !== undefined && journal.unsettled().damaged.includes(id)) {
    const newPath = journal.settleDamaged(id, `${outcome}, as the user says`);
    trading.reportProgress(`The damaged record of ${id} was moved to ${newPath}`);
    return;
  }
  const entry = id === undefined ? undefined : journal.findUnsettled(id);
  if (entry?.isUnderWay === true)
    throw usage(
      `Another process is working on ${entry.write.id}.`,
      'Wait until it ends: it may find the outcome itself.',
    );
  if (entry?.isKind('call')) return settleCallManually(entry, outcome);
  if (entry?.isKind('withdraw')) return settleWithdrawalManually(trading, entry, outcome);
  throw usage(
    '--as is for a call of pit api, a withdrawal or a damaged record whose outcome is unknown.',
    suggest('Orders and cancellations are looked up', 'resolve'),
  );
}
