import type { TradingAccount } from '../../../src/trading/account.js';
import type { DuplicateOrders } from '../../../src/trading/duplicates.js';
import type { MarketSide } from '../../../src/trading/journal/write.js';
import { verifyOrders } from '../../../src/trading/orders/verify-orders.js';

/** Verifies one side of a market with a list that reaches back to everything open; returns the reported duplicates. */
export async function findDuplicates(account: TradingAccount, where: MarketSide): Promise<readonly DuplicateOrders[]> {
  return (await verifyOrders(account, where, { reach: 'all' })).duplicates;
}
