import type { BestPrices } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import { sliceCounts } from '../../trading/algos/check-terms.js';
import { bestPricesAt, stopPrice } from '../../trading/algos/prices.js';
import { type AlgoTerms, exitSideOf } from '../../trading/algos/terms.js';
import { trailLevel } from '../../trading/algos/trigger.js';
import { type Breach, checkGuards, type GuardReport } from '../../trading/guards/guards.js';
import { type GuardLimits, type GuardName, notionalToday } from '../../trading/guards/limits.js';
import { notionalForGuards } from '../../trading/orders/terms.js';
import type { BookView } from '../../trading/preview/market-view.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { blockedBy } from '../writes/guard-overrides.js';

/** An order that an algo order may place, and the market in which it will. */
interface LaterOrder {
  readonly name: string;
  /** Begins the message of a guard that stops it. */
  readonly when: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly book: BookView;
  /** Whether the price band is known to hold it back: its price is one of the terms, and so is the market. */
  readonly isBanded: boolean;
}

/**
 * Checks each order that an algo order may place against the limits of the profile, as far as they are known now: guards hold again for
 * each at the moment of sending. Throws Failure `usage` for a limit that would hold back one of them on any day.
 * @returns what else would hold one back, as sentences
 */
export function guardAlgo(
  { journal, host }: Pick<TradingContext, 'journal' | 'host'>,
  terms: AlgoTerms,
  best: BestPrices,
  book: BookView,
  limits: GuardLimits,
): readonly string[] {
  const { entry, when, market } = terms;
  const { quote } = market;
  const today = limits.dayNotional.has(quote) ? notionalToday(journal, quote, host.now()) : Decimal.zero;
  // the market will be elsewhere when they are sent
  const later: GuardLimits = { ...limits, priceBand: null, postOnly: false };
  const onlyDay: GuardLimits = { ...later, orderNotional: new Map() };
  const check = (order: LaterOrder, within: GuardLimits, before: Decimal): GuardReport => {
    const { side, when: whenSent, price, amount } = order;
    const orders = [{ price: price.toString(), amount: amount.toString() }];
    const report = checkGuards({ market, side, type: 'limit', orders }, within, { reading: order.book, today: before });
    return { ...report, breaches: report.breaches.map((one) => ({ ...one, message: `${whenSent}${one.message}` })) };
  };
  const whole = entryOrder(terms, best, book);
  const exits = exitOrders(terms, best, book);
  const reports: GuardReport[] = [];
  if (whole !== null) {
    const isNow = entry?.kind === 'limit' && when.length === 0;
    reports.push(check({ ...whole, amount: sliceOf(terms, whole) }, isNow ? limits : later, today));
  }
  for (const order of exits) {
    const within = order.isBanded ? { ...later, priceBand: limits.priceBand } : later;
    // a take-profit without an entry is sent at once; the others may be sent on another day
    const isNow = entry === null && order.name === TAKE;
    reports.push(check(order, within, isNow ? today : Decimal.zero));
  }
  refuse(reports.flatMap(({ breaches }) => breaches));
  const withEntry = whole === null ? today : today.plus(countedValue(whole));
  const held = [
    ...(entry?.kind === 'twap' && whole !== null ? [{ order: whole, before: today }] : []),
    ...exits.map((order) => ({ order, before: withEntry })),
  ];
  const warnings = [
    ...reports.flatMap((report) => report.warnings.map(({ text }) => text)),
    ...held.flatMap(({ order, before }) =>
      check({ ...order, when: '' }, onlyDay, before).breaches.map(
        ({ guard, message }) =>
          `${guard} would hold back the ${order.name} today, and the algo order would be paused: ${message}.`,
      ),
    ),
  ];
  return [...new Set(warnings)];
}

const TAKE = 'take-profit';

/** The entry as one order; null without one, or if nothing names its price. */
function entryOrder(terms: AlgoTerms, { bid, ask }: BestPrices, book: BookView): LaterOrder | null {
  const { entry, side, amount } = terms;
  if (entry === null) return null;
  const price = entry.kind === 'limit' ? entry.price : (entry.bound ?? (side === 'buy' ? ask : bid));
  const name = entry.kind === 'twap' ? 'last slices' : 'entry';
  return price === null ? null : { name, when: '', side, price, amount, book, isBanded: false };
}

/** The amount of one order of the entry. */
function sliceOf(terms: AlgoTerms, { price, amount }: LaterOrder): Decimal {
  const { entry, market } = terms;
  if (entry?.kind !== 'twap') return amount;
  const { slices } = sliceCounts(terms, entry, price);
  return amount.dividedBy(Decimal.fromUnits(BigInt(slices), 0), market.amountScale, 'up');
}

/** The exits, each for the whole amount. */
function exitOrders(terms: AlgoTerms, best: BestPrices, book: BookView): LaterOrder[] {
  const { exits, amount } = terms;
  if (exits === null) return [];
  const { take, stop, limit, trail } = exits;
  const side = exitSideOf(terms);
  const from = side === 'sell' ? best.bid : best.ask;
  const reached = (name: string, level: Decimal): LaterOrder => ({
    ...{ name, when: `when the ${name} is reached, `, side, amount, isBanded: limit !== null },
    price: stopPrice(terms, level, best, null),
    book: viewOf(bestPricesAt(side, level, best)),
  });
  return [
    ...(take === null ? [] : [{ name: TAKE, when: '', side, price: take, amount, book, isBanded: false }]),
    ...(stop === null ? [] : [reached('stop', stop)]),
    ...(trail === null || from === null ? [] : [reached('trail', trailLevel(terms, trail, from))]),
  ];
}

function viewOf({ bid, ask }: BestPrices): BookView {
  const level = (price: Decimal | null) => (price === null ? [] : [{ price: price.toString(), amount: '1' }]);
  return { bids: level(bid), asks: level(ask), last: null };
}

/** What the guards count of an order, in the quote coin. */
function countedValue({ side, price, amount, book }: LaterOrder): Decimal {
  return notionalForGuards({ side, price: price.toString(), amount: amount.toString() }, book.bids[0]?.price);
}

const INSTEAD = {
  'price-band': 'Use a price within the band',
  'order-notional': 'Use less',
  'day-notional': 'Use less',
  'post-only': 'Use another price',
} as const satisfies Readonly<Record<GuardName, string>>;

function refuse([first]: readonly Breach[]): void {
  if (first === undefined) return;
  const instead = INSTEAD[first.guard];
  throw blockedBy(
    [first],
    `Guards hold for each of its orders, and none can be overridden. ${instead}, or change the limit of the profile.`,
  );
}
