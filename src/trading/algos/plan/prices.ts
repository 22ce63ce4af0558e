import { type BestPrices, isCrossed, midOf } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { Side } from '../../../domain/order.js';
import { isTooSmall } from '../../orders/terms.js';
import type { AlgoMarket } from './algo-market.js';
import { type AlgoTerms, exitSideOf } from './terms.js';

/** Whether the book may trigger and price something: it is young enough and not crossed. */
export function isUsable({ book, staleAfterMs }: Pick<AlgoMarket, 'book' | 'staleAfterMs'>): boolean {
  return book !== null && book.ageMs <= staleAfterMs && !isCrossed(book);
}

/** Whether the market is not seen: there is no book, or an old one. */
export function isBlind({ book, staleAfterMs }: Pick<AlgoMarket, 'book' | 'staleAfterMs'>): boolean {
  return book === null || book.ageMs > staleAfterMs;
}

/** The price that an order of a side would meet: the best one of the other side. Null without one, and if the book is not usable. */
export function hitPrice(market: AlgoMarket, side: Side): Decimal | null {
  if (market.book === null || !isUsable(market)) return null;
  return side === 'sell' ? market.book.bid : market.book.ask;
}

/** The best price of a side without the account's own orders. Null without one, and if the book is not usable. */
export function restingPrice(market: AlgoMarket, side: Side): Decimal | null {
  if (market.book === null || !isUsable(market)) return null;
  return side === 'buy' ? market.book.othersBid : market.book.othersAsk;
}

/**
 * A price as an order of a side may have it, rounded to the safe side: what rests from before the market had fewer decimals may have more.
 */
export function onTick({ priceScale }: Pick<Market, 'priceScale'>, side: Side, price: Decimal): Decimal {
  return price.significantScale <= priceScale ? price : price.rescaled(priceScale, side === 'buy' ? 'down' : 'up');
}

/** Whether one price costs an order of this side more than another. */
export function isWorse(side: Side, price: Decimal, than: Decimal): boolean {
  const order = price.compare(than);
  return side === 'buy' ? order > 0 : order < 0;
}

/** The first price, or the second if the first costs an order of this side more. */
export function noWorse(side: Side, price: Decimal, bound: Decimal | null): Decimal {
  return bound !== null && isWorse(side, price, bound) ? bound : price;
}

const ONE = Decimal.of('1');

/**
 * The limit of an order that starts from a price: as far away as the slippage allows, but not beyond the bound and the price band, in whole
 * ticks and rounded to the safe side. At least a tick.
 */
export function limitWithSlippage(
  { slippage, market: rules }: Pick<AlgoTerms, 'slippage' | 'market'>,
  side: Side,
  from: Decimal,
  { band }: Pick<AlgoMarket, 'band'>,
  bound: Decimal | null,
): Decimal {
  const furthest = from.times(side === 'buy' ? ONE.plus(slippage) : ONE.minus(slippage));
  const ofBand = band === null ? null : side === 'buy' ? band.high : band.low;
  const limit = noWorse(side, noWorse(side, furthest, bound), ofBand);
  const tick = Decimal.fromUnits(1n, rules.priceScale);
  const rounded = limit.rescaled(rules.priceScale, side === 'buy' ? 'down' : 'up');
  return rounded.compare(tick) < 0 ? tick : rounded;
}

/** The lowest price of a sell and the highest of a buy that a price band allows around a reference price, in whole ticks. */
export function bandAround(
  reference: Decimal,
  share: Decimal,
  { priceScale }: Pick<Market, 'priceScale'>,
): { readonly low: Decimal; readonly high: Decimal } {
  return {
    low: reference.times(ONE.minus(share)).rescaled(priceScale, 'up'),
    high: reference.times(ONE.plus(share)).rescaled(priceScale, 'down'),
  };
}

/** The best prices if the market moves until an order of this side fills at a price; the spread stays as it is. */
export function bestPricesAt(side: Side, price: Decimal, best: BestPrices): BestPrices {
  const { bid, ask } = best;
  const spread = bid === null || ask === null || isCrossed(best) ? Decimal.zero : ask.minus(bid);
  return side === 'sell' ? { bid: price, ask: price.plus(spread) } : { bid: price.minus(spread), ask: price };
}

/**
 * The price of the order that a stop sends that is reached at a level: its limit, or as far as slippage and price band allow.
 * @param priceBand as a share; null if it is off or unknown
 */
export function stopPrice(terms: AlgoTerms, level: Decimal, best: BestPrices, priceBand: Decimal | null): Decimal {
  return terms.exits?.limit ?? limitAt(terms, exitSideOf(terms), level, best, priceBand);
}

/**
 * The limit of an order of a side that starts from a price, in the market that has this price, within slippage and price band.
 * @param priceBand as a share; null if it is off or unknown
 */
export function limitAt(
  terms: Pick<AlgoTerms, 'slippage' | 'market'>,
  side: Side,
  from: Decimal,
  best: BestPrices,
  priceBand: Decimal | null,
): Decimal {
  const reference = midOf(bestPricesAt(side, from, best)) ?? from;
  const band = priceBand === null ? null : bandAround(reference, priceBand, terms.market);
  return limitWithSlippage(terms, side, from, { band }, null);
}

/** Whether the market takes an order of this amount at this price. */
export function fits(rules: Market, price: Decimal, amount: Decimal): boolean {
  return price.sign > 0 && amount.sign > 0 && !isTooSmall(rules, price, amount);
}
