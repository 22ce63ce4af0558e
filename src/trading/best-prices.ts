import type { ExchangeClient } from '../client/exchange-client.js';
import { Failure } from '../errors.js';
import { Decimal } from '../protocol/decimal.js';
import type { BestPrices } from './price-word.js';

/** The best bid and ask at this moment. Throws Failure `refused` where a side of the book is empty. */
export async function bestPrices(client: ExchangeClient, market: string): Promise<BestPrices> {
  const { bids, asks } = await client.read('depth', { market, size: '1' });
  return { bid: best(bids, market, 'bid', 1), ask: best(asks, market, 'ask', -1) };
}

/** The order of levels is not relied on: asks were observed in descending order. */
function best(
  levels: readonly (readonly [string, string])[],
  market: string,
  side: string,
  direction: 1 | -1,
): Decimal {
  const [first, ...others] = levels.map(([price]) => Decimal.of(price));
  if (first === undefined) {
    throw new Failure('refused', `There is no ${side} in ${market} now, so a relative price has no meaning.`, {
      hint: 'Give the price as a number.',
    });
  }
  return others.reduce((leading, price) => (price.compare(leading) * direction > 0 ? price : leading), first);
}
