import { tryRead } from '../../errors.js';
import type { MarketSide } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import type { DuplicateOrders, DuplicateWithdrawals } from './duplicates.js';
import { type Reach, readOrderList } from './order-list.js';
import { reconcileOrders } from './reconcile-orders.js';
import { readRecordList, reconcileRecords } from './withdrawals/reconcile-withdrawals.js';

/**
 * Reads each side of a market that has a settled write which is not closed, and closes what is over. Never throws a
 * Failure: if a list cannot be read, a later command tries again.
 */
export async function closeMarket(trading: TradingContext, market: string): Promise<readonly DuplicateOrders[]> {
  const found: DuplicateOrders[] = [];
  for (const side of ['buy', 'sell'] as const)
    found.push(...((await tryRead(() => closeUnclosed(trading, { market, side }))) ?? []));
  return found;
}

/** Closes a whole side, however far back its list has to be read. Throws Failure of a list that cannot be read. */
export function closeSide(trading: TradingContext, side: MarketSide): Promise<readonly DuplicateOrders[]> {
  return closeUnclosed(trading, side, { isThorough: true });
}

/** Reads nothing if every settled write is closed. */
async function closeUnclosed(
  trading: TradingContext,
  side: MarketSide,
  reach: Pick<Reach, 'isThorough'> = {},
): Promise<readonly DuplicateOrders[]> {
  if (trading.journal.settledEntries(side).every(({ isClosed }) => isClosed)) return [];
  return (await reconcileOrders(trading, await readOrderList(trading, side, reach))).duplicates;
}

/**
 * Reads the records of a coin, settles its withdrawals and closes those that are over. Reads nothing if none is open.
 * @throws Failure `usage` if the journal cannot be read; `unreachable`, `limited`, `refused`, `credentials` or `internal` if the
 *   records cannot
 */
export async function closeCoin(trading: TradingContext, coin: string): Promise<readonly DuplicateWithdrawals[]> {
  const list = await readRecordList(trading, coin);
  return list === undefined ? [] : reconcileRecords(trading, list).duplicates;
}
