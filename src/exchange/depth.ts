import { Decimal } from '../domain/decimal.js';
import type { ExchangeClient } from './exchange-client.js';

export interface Level {
  readonly price: string;
  readonly amount: string;
}

export interface Depth {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Best first, as on the other side. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/**
 * A market's book with `size` levels a side, best first on both, however the exchange sorts: asks were observed in
 * descending order. Throws Failure as {@link ExchangeClient.read}.
 */
export async function readDepth(client: ExchangeClient, market: string, size: number, merge?: string): Promise<Depth> {
  const { bids, asks, timestamp } = await client.read('depth', { market, size: String(size), merge });
  return { time: timestamp, bids: sorted(bids).reverse().slice(0, size), asks: sorted(asks).slice(0, size) };
}

function sorted(levels: readonly (readonly [string, string])[]): Level[] {
  return levels
    .map(([price, amount]) => ({ price, amount }))
    .sort((left, right) => Decimal.of(left.price).compare(Decimal.of(right.price)));
}
