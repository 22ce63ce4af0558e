import type { Fixture, Side } from '../action.js';
import { chosen, type Draw } from '../draw.js';

/** Unique terms of an order, which identify the exchange's record. */
export interface Terms {
  readonly market: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
}

interface Traits {
  readonly market: string;
  readonly priceScale: number;
  readonly amountScale: number;
  /** In the quote coin: a little above the minimum. */
  readonly value: number;
}

const MARKETS: readonly Traits[] = [
  { market: 'btc_usdt', priceScale: 2, amountScale: 6, value: 3 },
  { market: 'eth_usdt', priceScale: 2, amountScale: 5, value: 3 },
  { market: 'ltc_usdt', priceScale: 2, amountScale: 4, value: 3 },
  { market: 'bch_usdt', priceScale: 2, amountScale: 4, value: 3 },
];

export const MARKET_NAMES = MARKETS.map(({ market }) => market);

/** Factors on the market price: for a resting order, and for one that trades at once. */
const FAR = 0.9;
const NEAR = 1.003;
/** After this many ticks, prices start again with a larger amount. */
const TICKS = 100;

/** Unique terms for each number up to 20,000. */
export function uniqueTerms(number: number, draw: Draw, { prices }: Fixture, rests: boolean): Terms {
  const { market, priceScale, amountScale, value } = chosen(draw, MARKETS);
  const side = chosen(draw, ['buy', 'sell'] as const);
  const { bid, ask } = prices.get(market) ?? { bid: 0, ask: 0 };
  const distance = (rests ? FAR : NEAR) - 1;
  const from = side === 'buy' ? ask * (1 + distance) : bid / (1 + distance);
  const ticks = Math.round(from * 10 ** priceScale) + (number % TICKS);
  const price = ticks * 10 ** -priceScale;
  const leastLots = Math.ceil((value / (bid * FAR)) * 10 ** amountScale);
  const lots = leastLots + Math.floor(number / TICKS) + 200 * Math.floor(draw() * 5);
  return {
    market,
    side,
    price: plain(price.toFixed(priceScale)),
    amount: plain((lots * 10 ** -amountScale).toFixed(amountScale)),
  };
}

/** The same terms at another unique price. */
export function repriced(terms: Terms): Terms {
  const { priceScale = 0 } = MARKETS.find(({ market }) => market === terms.market) ?? {};
  return { ...terms, price: plain((Number(terms.price) + TICKS * 10 ** -priceScale).toFixed(priceScale)) };
}

/** A number without trailing zeros, so that equal numbers have equal texts. */
export function plain(number: string): string {
  return number.includes('.') ? number.replace(/\.?0+$/, '') : number;
}

export function isOf({ price, amount }: Terms, order: { readonly price: string; readonly amount: string }): boolean {
  return plain(order.price) === price && plain(order.amount) === amount;
}
