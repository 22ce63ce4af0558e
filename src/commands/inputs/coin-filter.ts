import { nearest } from '../../config/nearest.js';
import type { Market } from '../../domain/market.js';

/** A note that no market has the wanted base or quote coin; undefined if one has. */
export function unknownCoinNote(
  markets: readonly Market[],
  wanted: { readonly base?: string | undefined; readonly quote?: string | undefined },
): string | undefined {
  for (const side of ['base', 'quote'] as const) {
    const coin = wanted[side];
    const coins = [...new Set(markets.map((market) => market[side]))];
    if (coin === undefined || coins.includes(coin)) continue;
    const close = nearest(coin, coins);
    const guess = close.length === 0 ? '' : ` Did you mean ${close.join(' or ')}?`;
    return `No market has ${coin} as its ${side} coin.${guess}`;
  }
  return undefined;
}
