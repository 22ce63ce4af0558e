import { bestOf, bestPrices, crossedText } from '../../domain/book.js';
import { Decimal, formatAmount, formatPercentLimit, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { OrderType, Side } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { notionalForGuards } from '../orders/terms.js';
import {
  type BookView,
  crosses,
  distanceFrom,
  distanceText,
  type Reference,
  referenceOf,
} from '../preview/market-view.js';
import type { TradingContext } from '../trading-context.js';
import { GUARDS, type GuardLimits, type GuardName, notionalToday } from './limits.js';

/** Orders of one side of a market that are to be sent together; often only one. */
export interface GuardedOrders {
  readonly market: Pick<Market, 'quote' | 'priceScale'>;
  readonly side: Side;
  readonly type: OrderType;
  readonly orders: readonly GuardedOrder[];
}

interface GuardedOrder {
  readonly price: string;
  readonly amount: string;
  /** The line of a batch that asks for it. */
  readonly line?: number;
}

/** What a guard found that stops the orders. */
export interface Breach {
  readonly guard: GuardName;
  /** What was found and what the limit is, as a part of a sentence. */
  readonly message: string;
  /** Why the guard could not be checked, which blocks the orders too; null if it was checked. */
  readonly failure: Failure | null;
}

/** A warning; it blocks nothing. */
export interface Warning {
  /** What it is about; the numbers in its text change with the market. */
  readonly about:
    | 'account'
    | 'client id'
    | 'far price'
    | 'empty book'
    | 'crossed book'
    | 'price past the best'
    | 'worse average'
    | 'thin book'
    | 'no fill'
    | 'balance'
    | 'unread book'
    | 'unread balance'
    | 'unread fees'
    | 'unused amount'
    | 'unknown write';
  /** A sentence. */
  readonly text: string;
}

/** The findings of all guards. */
export interface GuardReport {
  /** In the order of {@link GUARDS}. */
  readonly breaches: readonly Breach[];
  readonly warnings: readonly Warning[];
  /** The best bid that sells were checked against, to be recorded with them. Undefined for buys, or if it is unknown. */
  readonly bestBid: string | undefined;
}

/** The book, or why it could not be read; undefined if it was not needed. */
type MarketReading = BookView | Failure | undefined;

/** What orders are checked against. */
export interface GuardInputs {
  readonly reading: MarketReading;
  /** The total of the day's orders so far, in the market's quote coin. */
  readonly today: Decimal;
}

/** Checks orders against every guard. The day's orders are read from the journal only if a limit needs them. */
export function guardOrders(
  { journal, host }: Pick<TradingContext, 'journal' | 'host'>,
  plan: GuardedOrders,
  reading: MarketReading,
  limits: GuardLimits,
): GuardReport {
  const { quote } = plan.market;
  const today = limits.dayNotional.has(quote) ? notionalToday(journal, quote, host.now()) : Decimal.zero;
  return checkGuards(plan, limits, { reading, today });
}

/**
 * Whether a guard needs the book. Without a preview, the book is read only then. The price band and PostOnly compare prices,
 * and the limits count a sell at the best bid.
 */
export function needsBook(
  { side, type, quote }: Pick<GuardedOrders, 'side' | 'type'> & Pick<Market, 'quote'>,
  limits: GuardLimits,
  overridden: readonly GuardName[],
): boolean {
  const blocks = (guard: GuardName) => !overridden.includes(guard);
  if (limits.priceBand !== null && blocks('price-band')) return true;
  if (type === 'postOnly' && limits.postOnly && blocks('post-only')) return true;
  const limitsOrder = limits.orderNotional.has(quote) && blocks('order-notional');
  const limitsDay = limits.dayNotional.has(quote) && blocks('day-notional');
  return side === 'sell' && (limitsOrder || limitsDay);
}

/** Checks orders against every guard. */
export function checkGuards(plan: GuardedOrders, limits: GuardLimits, { reading, today }: GuardInputs): GuardReport {
  const { market, side, type, orders } = plan;
  const prices = orders.map(({ price }) => Decimal.of(price));
  const bestBid = side === 'sell' && isBook(reading) ? bestOf(reading.bids)?.toString() : undefined;
  const notionals = orders.map((order) => notionalForGuards({ ...order, side }, bestBid));
  const isBatch = orders.some(({ line }) => line !== undefined);
  const band = checkBand({ market, side, isBatch }, prices, limits.priceBand, reading);
  const found = [
    band.breach,
    ...checkNotionals(notionals, market.quote, limits, today).map((breach) =>
      countedAtBid(breach, prices, bestBid, market),
    ),
    ...(side === 'sell' && reading instanceof Failure ? uncheckedLimits(market.quote, limits, reading) : []),
    type === 'postOnly' && limits.postOnly ? checkPostOnly(plan, prices, reading) : null,
  ].filter((breach) => breach !== null);
  // one breach per guard: an exceeded limit needs no second breach that says what could not be checked
  const breaches = GUARDS.flatMap((name) => found.find(({ guard }) => guard === name) ?? []);
  return {
    breaches: breaches.map(({ orders: orderIndexes, ...breach }) => ({
      ...breach,
      message: withLineNumber(breach, orderIndexes, orders),
    })),
    warnings: [
      ...crossedWarnings(reading),
      ...(band.warning === null ? [] : [{ about: 'far price' as const, text: band.warning }]),
    ],
    bestBid,
  };
}

function crossedWarnings(reading: MarketReading): Warning[] {
  const crossed = isBook(reading) ? crossedText(bestPrices(reading)) : undefined;
  return crossed === undefined ? [] : [{ about: 'crossed book', text: `${crossed}, so its prices may not last.` }];
}

/** A breach and the indexes of its orders, the one in the message first; empty means all. */
interface FoundBreach extends Breach {
  readonly orders: readonly number[];
}

function breachOf(guard: GuardName, message: string, orders: readonly number[] = []): FoundBreach {
  return { guard, message, failure: null, orders };
}

/** The breach of a guard that could not be checked without the book. */
function uncheckedBreach(guard: GuardName, reading: Failure | undefined): FoundBreach {
  // only an overridden guard: for any other, `needsBook` has the book read
  if (reading === undefined) return breachOf(guard, 'it was not checked');
  return { guard, message: `it cannot be checked: ${reading.message}`, failure: reading, orders: [] };
}

function isBook(reading: MarketReading): reading is BookView {
  return reading !== undefined && !(reading instanceof Failure);
}

/** The indexes of the values that break a guard, that of `first` before the others. */
function indexesOf<Value>(values: readonly Value[], breaks: (value: Value) => boolean, first: Value): number[] {
  const start = values.indexOf(first);
  return [start, ...values.flatMap((value, index) => (index !== start && breaks(value) ? [index] : []))];
}

/** The message of a breach, which names its line if the order is one of a batch. */
function withLineNumber(
  { message }: Pick<Breach, 'message'>,
  [first, ...others]: readonly number[],
  orders: GuardedOrders['orders'],
) {
  const line = first === undefined ? undefined : orders[first]?.line;
  if (line === undefined) return message;
  return `line ${line}${others.length === 0 ? '' : ` (and ${others.length} more)`}: ${message}`;
}

interface BandReport {
  readonly breach: FoundBreach | null;
  /** About a far price on the harmless side. */
  readonly warning: string | null;
}

/**
 * Checks prices against the band around the reference price. A buy far above it or a sell far below it costs money; far away
 * on the other side the order only rests. In a batch that side stops the orders too: the user does not see each of its prices, and a file
 * in another format has only such ones.
 */
export function checkBand(
  { side, market, isBatch }: Pick<GuardedOrders, 'side' | 'market'> & { readonly isBatch: boolean },
  prices: readonly Decimal[],
  band: Decimal | null,
  reading: MarketReading,
): BandReport {
  if (band === null) return { breach: null, warning: null };
  if (!isBook(reading)) return { breach: uncheckedBreach('price-band', reading), warning: null };
  const reference = referenceOf(reading, side);
  if (reference === null) {
    const message = 'it cannot be checked: the book is empty and there is no last price';
    return { breach: breachOf('price-band', message), warning: null };
  }
  const zoneOf = (price: Decimal) => zoneInBand(side, price, reference.price, band);
  // the furthest price on either side of the band is the highest or the lowest
  const ends = furthestFirst(extremesOf(prices), reference.price);
  const costly = ends.find((price) => zoneOf(price) === 'costly');
  const harmless = ends.find((price) => zoneOf(price) === 'harmless');
  const distanceOf = (price: Decimal) =>
    `${formatPrice(price, market)} is ${referenceDistanceText(price, reference, market)}`;
  const percent = formatPercentLimit(band.times(Decimal.of('100')));
  const bandText = (price: Decimal) => {
    const end = price.compare(reference.price) > 0 ? 'above' : 'below';
    const orders = price === costly ? `a ${side}` : 'an order of a batch';
    return `the price ${distanceOf(price)}, and the limit for ${orders} is ${percent}, so ${allowedText(end, reference.price, band, market)}`;
  };
  const stopping = costly ?? (isBatch ? harmless : undefined);
  const stops = (price: Decimal) => zoneOf(price) === 'costly' || (isBatch && zoneOf(price) === 'harmless');
  return {
    breach: stopping ? breachOf('price-band', bandText(stopping), indexesOf(prices, stops, stopping)) : null,
    warning: harmless && !isBatch ? `The price ${distanceOf(harmless)}: such an order may rest for a long time.` : null,
  };
}

type BandZone = 'within' | 'costly' | 'harmless';

/** In which zone a price lies. The ends of the band are within it. @internal for its test */
export function zoneInBand(side: Side, price: Decimal, reference: Decimal, band: Decimal): BandZone {
  if (price.compare(bandEnd(reference, band, 'above')) > 0) return side === 'buy' ? 'costly' : 'harmless';
  if (price.compare(bandEnd(reference, band, 'below')) < 0) return side === 'sell' ? 'costly' : 'harmless';
  return 'within';
}

type BandEnd = 'above' | 'below';

/** Names the last tick within the band on one side, for instance `at most 30,870.07`. */
function allowedText(end: BandEnd, reference: Decimal, band: Decimal, market: Pick<Market, 'priceScale'>): string {
  const tick = bandEnd(reference, band, end).rescaled(market.priceScale, end === 'above' ? 'down' : 'up');
  return `at ${end === 'above' ? 'most' : 'least'} ${formatPrice(tick, market)}`;
}

function bandEnd(reference: Decimal, band: Decimal, end: BandEnd): Decimal {
  const one = Decimal.of('1');
  return reference.times(end === 'above' ? one.plus(band) : one.minus(band)).trimmed();
}

function extremesOf([first, ...others]: readonly Decimal[]): Decimal[] {
  if (first === undefined) return [];
  let highest = first;
  let lowest = first;
  for (const price of others) {
    if (price.compare(highest) > 0) highest = price;
    if (price.compare(lowest) < 0) lowest = price;
  }
  return [highest, lowest];
}

function furthestFirst(prices: readonly Decimal[], from: Decimal): Decimal[] {
  const distance = (price: Decimal) => (price.compare(from) < 0 ? from.minus(price) : price.minus(from));
  return prices.toSorted((left, right) => distance(right).compare(distance(left)));
}

/** `12.40% above mid (28,063.70)`, or `at mid (28,063.70)`. */
export function referenceDistanceText(
  price: Decimal,
  reference: Reference,
  market: Pick<Market, 'priceScale'>,
): string {
  return `${distanceText(distanceFrom(price, reference))} ${reference.name} (${formatPrice(reference.price, market)})`;
}

/** Checks PostOnly prices against the best price of the other side, at which they would fill at once. */
function checkPostOnly(
  { side, market }: Pick<GuardedOrders, 'side' | 'market'>,
  prices: readonly Decimal[],
  reading: MarketReading,
): FoundBreach | null {
  if (!isBook(reading)) return uncheckedBreach('post-only', reading);
  const best = bestOf(side === 'buy' ? reading.asks : reading.bids);
  if (best === null) return null;
  const crossing = prices.find((price) => crosses(side, price, best));
  if (crossing === undefined) return null;
  return breachOf(
    'post-only',
    `at ${formatPrice(crossing, market)} it would fill at once: the best ${side === 'buy' ? 'ask' : 'bid'} is ${formatPrice(best, market)}`,
  );
}

/** Checks values in a quote coin against the limits of one order and of one day. */
function checkNotionals(
  notionals: readonly Decimal[],
  quote: string,
  { orderNotional, dayNotional }: GuardLimits,
  today: Decimal,
): FoundBreach[] {
  const perOrder = orderNotional.get(quote);
  const perDay = dayNotional.get(quote);
  const [largest] = notionals.toSorted((left, right) => right.compare(left));
  const day = notionals.reduce((sum, notional) => sum.plus(notional), today);
  const inCoin = (amount: Decimal) => `${formatAmount(amount)} ${quote}`;
  const breaches: FoundBreach[] = [];
  if (perOrder !== undefined && largest !== undefined && largest.compare(perOrder) > 0) {
    const which = notionals.length === 1 ? 'the order' : 'the largest order';
    const message = `${which} comes to ${inCoin(largest)}, and the limit for one order is ${inCoin(perOrder)}`;
    const exceeding = indexesOf(notionals, (notional) => notional.compare(perOrder) > 0, largest);
    breaches.push(breachOf('order-notional', message, exceeding));
  }
  if (perDay !== undefined && day.compare(perDay) > 0) {
    const message = `the orders of this UTC day would come to ${inCoin(day)}, and the limit is ${inCoin(perDay)}`;
    breaches.push(breachOf('day-notional', message));
  }
  return breaches;
}

/** The breaches of a sell whose notional is unknown because the best bid could not be read. */
function uncheckedLimits(quote: string, { orderNotional, dayNotional }: GuardLimits, reading: Failure): FoundBreach[] {
  return [
    ...(orderNotional.has(quote) ? [uncheckedBreach('order-notional', reading)] : []),
    ...(dayNotional.has(quote) ? [uncheckedBreach('day-notional', reading)] : []),
  ];
}

/** Adds to the message that a sell below the best bid counts for more than price x amount. */
function countedAtBid(
  breach: FoundBreach,
  prices: readonly Decimal[],
  bestBid: string | undefined,
  market: Pick<Market, 'priceScale'>,
): FoundBreach {
  const [first] = breach.orders;
  const counted = first === undefined ? prices : prices.slice(first, first + 1);
  if (bestBid === undefined || !counted.some((price) => price.compare(Decimal.of(bestBid)) < 0)) return breach;
  return {
    ...breach,
    message: `${breach.message}; a sell below the best bid (${formatPrice(bestBid, market)}) counts at that bid`,
  };
}
