import type { Advice } from '../../../src/errors.js';
import { concernsMarket, unknownWrites } from '../../../src/trading/settling/unknown-writes.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

/** What is said about the writes of a market whose outcome is unknown. */
export function unknownIn({ journal }: TradingContext, market: string): Advice[] {
  const found = unknownWrites(journal, journal.unsettled()).filter((write) => concernsMarket(write, market));
  return found.map(({ advice }) => advice);
}
