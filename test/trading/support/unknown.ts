import type { Advice } from '../../../src/errors.js';
import type { TradingAccount } from '../../../src/trading/account.js';
import { concernsMarket, unknownWrites } from '../../../src/trading/unknown-writes.js';

/** What is said about the writes of a market whose outcome is unknown. */
export function unknownIn({ journal }: TradingAccount, market: string): Advice[] {
  const found = unknownWrites(journal, journal.unsettled()).filter((write) => concernsMarket(write, market));
  return found.map(({ advice }) => advice);
}
