import type { TradingAccount } from '../../../src/trading/account.js';
import type { DuplicateOrders } from '../../../src/trading/duplicates.js';
import type { MarketSide } from '../../../src/trading/journal/intent.js';
import { verifyOrders } from '../../../src/trading/orders/verify-orders.js';

/** What a list of one side of a market shows that reaches back to everything open; it is reported. */
export async function findDuplicates(account: TradingAccount, where: MarketSide): Promise<readonly DuplicateOrders[]> {
  return (await verifyOrders(account, where, { extent: 'all' })).duplicates;
}
