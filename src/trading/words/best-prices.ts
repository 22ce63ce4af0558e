import { type Level, readDepth } from '../../client/depth.js';
import type { ExchangeClient } from '../../client/exchange-client.js';
import { Failure } from '../../errors.js';
import { Decimal } from '../../protocol/decimal.js';
import type { BestPrices } from './price-word.js';

/** The best bid and ask at this moment. Throws Failure `refused` where a side of the book is empty. */
export async function bestPrices(client: ExchangeClient, market: string): Promise<BestPrices> {
  const { bids, asks } = await readDepth(client, market, 1);
  return { bid: best(bids, 'bid', market), ask: best(asks, 'ask', market) };
}

function best([level]: readonly Level[], side: string, market: string): Decimal {
  if (level !== undefined) return Decimal.of(level.price);
  throw new Failure('refused', `There is no ${side} in ${market} now, so a relative price has no meaning.`, {
    hint: 'Give the price as a number.',
  });
}
