import type { Market } from '../markets/market.js';
import { factorOf, genesisPrice } from './factors.js';
import { volumeFactor } from './prehistory.js';

/** A stretch of the ladder: so many quotes, one in every `width` ticks. */
export interface Band {
  readonly quotes: number;
  readonly width: number;
}

/** How the crowd behaves in a market. */
export interface Profile {
  /** From the fair price to the first quote, in ticks. */
  readonly halfSpread: number;
  /** From the best quote outwards. */
  readonly bands: readonly Band[];
  /** The mean amount of a quote and the least, in lots. */
  readonly quoteLots: number;
  readonly leastLots: number;
  /** The chance that somebody trades in a step. */
  readonly activity: number;
  /** Lots traded for each BTC that the recorded minute traded. */
  readonly lotsPerTurnover: number;
}

/** The width of each band relative to the price, from the best quote outwards; never below a tick. */
const WIDTHS = [4e-6, 2e-5, 8e-5, 3e-4];
/** How many quotes each band has. The deepest market has some more. */
const QUOTES = [22, 22, 14, 10];
const MORE_QUOTES = [26, 24, 20, 12];

export function profileOf(market: Market): Profile {
  const price = (genesisPrice(market.base) / genesisPrice(market.quote)) * 10 ** market.priceScale;
  const lotsPerUsdt = 10 ** market.amountScale / genesisPrice(market.base);
  const depth = 4_000 + 8_000 * factorOf(market.base).factor.turnover;
  const quotes = market.market === 'btc_usdt' ? MORE_QUOTES : QUOTES;
  const width = (relative: number) => Math.max(1, Math.round(price * relative));
  return {
    halfSpread: Math.max(0.6, price * 1.5e-6),
    bands: WIDTHS.map((relative, band) => ({ quotes: quotes[band] ?? 0, width: width(relative) })),
    quoteLots: depth * lotsPerUsdt,
    leastLots: Math.ceil(depth * 0.07 * lotsPerUsdt),
    activity: market.quote === 'usdt' ? 0.3 : 0.12,
    lotsPerTurnover: volumeFactor(market) * lotsPerUsdt,
  };
}
