import type { MarketSide } from '../../../src/trading/journal/write.js';
import type { DuplicateOrders } from '../../../src/trading/settling/duplicates.js';
import { closeSide } from '../../../src/trading/settling/reconcile-orders.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

/** Settles one side of a market with a list that reaches back to everything open; returns the reported duplicates. */
export function findDuplicates(trading: TradingContext, where: MarketSide): Promise<readonly DuplicateOrders[]> {
  return closeSide(trading, where);
}
