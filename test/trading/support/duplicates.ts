import type { DuplicateOrders } from '../../../src/trading/duplicates.js';
import type { MarketSide } from '../../../src/trading/journal/write.js';
import { verifyOrders } from '../../../src/trading/orders/verify-orders.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

/** Verifies one side of a market with a list that reaches back to everything open; returns the reported duplicates. */
export async function findDuplicates(trading: TradingContext, where: MarketSide): Promise<readonly DuplicateOrders[]> {
  return (await verifyOrders(trading, where, { reach: 'all' })).duplicates;
}
