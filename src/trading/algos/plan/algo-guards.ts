import type { BestPrices } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { Side } from '../../../domain/order.js';
import { type Breach, checkGuards, type GuardReport } from '../../guards/guards.js';
import { type GuardLimits, notionalToday } from '../../guards/limits.js';
import { notionalForGuards } from '../../orders/terms.js';
import { type BookView, crosses, viewOf } from '../../preview/market-view.js';
import type { TradingContext } from '../../trading-context.js';
import { kindOfEntry, namedPriceOf } from './entries/entry-kinds.js';
import { bestPricesAt, stopPrice } from './prices.js';
import { type AlgoTerms, exitSideOf } from './terms.js';
import { trailLevel } from './trigger.js';

/** An order that an algo order may place, and the market in which it will. */
interface LaterOrder {
  readonly name: string;
  /** Begins the message of a guard that stops it. */
  readonly prefix: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly book: BookView;
  /** Whether the price band is certain to apply: a stop's `--limit`, in the market that reaches the stop. */
  readonly isBanded: boolean;
  /** Whether it is certain to be worth this much: no later market makes it less. */
  readonly isCertain: boolean;
}

/** What guards find of an algo order before it is created. */
interface AlgoGuardReport {
  /** Each guard that would hold back an order that is sent now, or one that it would hold back on any day: it must not be created. */
  readonly certain: readonly Breach[];
  /** What else would hold one back, as sentences. */
  readonly warnings: readonly string[];
}

/**
 * Checks each order that an algo order may place against the limits of the profile, as far as they are known now: guards hold again for
 * each at the moment of sending.
 * @param entryName what warnings call the last of its orders, after "the"
 */
export function guardAlgo(
  { journal, host }: Pick<TradingContext, 'journal' | 'host'>,
  terms: AlgoTerms,
  best: BestPrices,
  book: BookView,
  limits: GuardLimits,
  entryName: string,
): AlgoGuardReport {
  const { entry, when, market } = terms;
  const { quote } = market;
  const today = limits.dayNotional.has(quote) ? notionalToday(journal, quote, host.now()) : Decimal.zero;
  // the market will be elsewhere when they are sent
  const later: GuardLimits = { ...limits, priceBand: null, postOnly: false };
  const onlyDay: GuardLimits = { ...later, orderNotional: new Map() };
  const check = (order: LaterOrder, within: GuardLimits, before: Decimal) => checkOrder(market, order, within, before);
  const whole = entryOrder(terms, best, book, entryName);
  const exits = exitOrders(terms, best, whole, limits.priceBand);
  const isConditional = when.length > 0;
  const checked: { readonly order: LaterOrder; readonly report: GuardReport }[] = [];
  if (whole !== null) {
    const within = entry !== null && !kindOfEntry(entry).followsMarket && !isConditional ? limits : later;
    const before = isConditional ? Decimal.zero : today;
    checked.push({ order: whole, report: check({ ...whole, amount: largestOf(terms, whole) }, within, before) });
  }
  for (const order of exits) {
    const within = order.isBanded ? { ...later, priceBand: limits.priceBand } : later;
    // a take-profit without an entry is sent at once; the others may be sent on another day
    const isNow = entry === null && order.name === TAKE;
    checked.push({ order, report: check(order, within, isNow ? today : Decimal.zero) });
  }
  const certain = checked.flatMap(({ order, report }) => (order.isCertain ? report.breaches : []));
  const uncertain = checked.filter(({ order, report }) => !order.isCertain && report.breaches.length > 0);
  const withEntry = whole === null ? today : today.plus(countedValue(whole));
  const held = [
    ...(whole !== null && ((entry !== null && kindOfEntry(entry).isSplit) || isConditional)
      ? [{ order: whole, before: today }]
      : []),
    ...exits.map((order) => ({ order, before: withEntry })),
  ].filter(({ order }) => uncertain.every((one) => one.order !== order));
  const warnings = [
    ...checked.flatMap(({ report }) => report.warnings.map(({ text }) => text)),
    ...uncertain.flatMap(({ order, report }) =>
      report.breaches.map(
        ({ guard, message }) =>
          `${guard} may hold back the ${order.name}, and the algo order would be paused: ${message}.`,
      ),
    ),
    ...held.flatMap(({ order, before }) =>
      check({ ...order, prefix: '' }, onlyDay, before).breaches.map(
        ({ guard, message }) =>
          `${guard} would hold back the ${order.name} today, and the algo order would be paused: ${message}.`,
      ),
    ),
  ];
  return { certain, warnings: [...new Set(warnings)] };
}

/** What guards find of one order, within limits, if so much was traded on its day before. */
function checkOrder(market: Market, order: LaterOrder, within: GuardLimits, before: Decimal): GuardReport {
  const { side, prefix, price, amount } = order;
  const orders = [{ price: price.toString(), amount: amount.toString() }];
  const report = checkGuards({ market, side, type: 'limit', orders }, within, { reading: order.book, today: before });
  return { ...report, breaches: report.breaches.map((one) => ({ ...one, message: `${prefix}${one.message}` })) };
}

const TAKE = 'take-profit';

/** The entry as one order; null without one, or if nothing names its price. */
function entryOrder(terms: AlgoTerms, { bid, ask }: BestPrices, book: BookView, name: string): LaterOrder | null {
  const { entry, side, amount, when } = terms;
  if (entry === null) return null;
  const price = namedPriceOf(entry) ?? (side === 'buy' ? ask : bid);
  if (price === null) return null;
  // what follows the market may meet another one once its condition is met
  const isCertain = !kindOfEntry(entry).followsMarket || when.length === 0;
  return { name, prefix: '', side, price, amount, book, isBanded: false, isCertain };
}

/** The amount of the largest order of the entry. */
function largestOf(terms: AlgoTerms, { price, amount }: LaterOrder): Decimal {
  const { entry } = terms;
  return entry === null ? amount : kindOfEntry(entry).largestOf(terms, entry, price);
}

/** The exits, each for the whole amount. */
function exitOrders(
  terms: AlgoTerms,
  best: BestPrices,
  whole: LaterOrder | null,
  priceBand: Decimal | null,
): LaterOrder[] {
  const { exits, amount, when } = terms;
  if (exits === null) return [];
  const { take, stop, limit, trail } = exits;
  const side = exitSideOf(terms);
  const there = whole === null ? best : marketOfEntry(whole, best);
  const from = side === 'sell' ? there.bid : there.ask;
  const order = { side, amount, isBanded: false, isCertain: true };
  const reached = (name: string, level: Decimal): LaterOrder => ({
    ...{ ...order, name, prefix: `when the ${name} is reached, `, isBanded: limit !== null },
    price: stopPrice(terms, level, best, priceBand),
    book: viewOf(bestPricesAt(side, level, best)),
  });
  // its level follows the market: up for a sell, down for a buy
  const isTrailCertain = side === 'sell' && when.length === 0;
  return [
    ...(take === null ? [] : [{ ...order, name: TAKE, prefix: '', price: take, book: viewOf(there) }]),
    ...(stop === null ? [] : [reached('stop', stop)]),
    ...(trail === null || from === null
      ? []
      : [{ ...reached('trail', trailLevel(terms, trail, from)), isCertain: isTrailCertain }]),
  ];
}

/** The market when the entry fills: today's if it fills at once, otherwise the market at the price of the entry. */
function marketOfEntry({ side, price }: LaterOrder, best: BestPrices): BestPrices {
  const hit = side === 'buy' ? best.ask : best.bid;
  return hit !== null && crosses(side, price, hit) ? best : bestPricesAt(side, price, best);
}

/** What the guards count of an order, in the quote coin. */
function countedValue({ side, price, amount, book }: LaterOrder): Decimal {
  return notionalForGuards({ side, price: price.toString(), amount: amount.toString() }, book.bids[0]?.price);
}
