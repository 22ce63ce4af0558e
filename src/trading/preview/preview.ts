import { type BestPrices, bestPrices } from '../../domain/book.js';
import { Decimal, formatAmount, formatPercent, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, Order, Side } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { type GuardedOrders, type GuardReport, guardOrders, type Warning } from '../guards/guards.js';
import type { GuardLimits } from '../guards/limits.js';
import { notionalOf } from '../orders/terms.js';
import type { TradingContext } from '../trading-context.js';
import { type MarketSnapshot, spentCoin } from './market-snapshot.js';
import {
  averagePrice,
  type BookView,
  crosses,
  type Fills,
  fillsAtOnce,
  percentFrom,
  type Reference,
  referenceOf,
} from './market-view.js';

/** One order, or numbered lines of a batch, ready to send. */
export interface OrderPlan extends GuardedOrders {
  readonly market: Market;
  readonly account: AccountType;
  /** Whether they may take a loan. Absent: they do not, as those of a batch. */
  readonly borrow?: boolean;
}

/** What the orders would do. A part is null if it is unknown. */
export interface PreviewData extends BestPrices {
  readonly reference: Reference | null;
  /** What a single order would fill at once; null for a batch. */
  readonly fills: Fills | null;
  /** How many of the orders match the other side of the book. */
  readonly crossing: number | null;
  /** An estimate from the fees of earlier orders on this side. */
  readonly fee: FeeEstimate | null;
  /** What is available of the coin that is spent, now and with the orders open. */
  readonly balance: { readonly before: Decimal; readonly after: Decimal } | null;
}

/** What was read from the exchange, or why it could not be read. @internal for its test */
export interface ReadResults {
  readonly market: BookView | Failure;
  /** No operation reports margin balances. */
  readonly spendable: Decimal | Failure | 'unreported';
  readonly orders: readonly Order[] | Failure;
}

/** Reads the market and computes a preview, the warnings and the guards that stop the orders. A failed read is a warning. */
export async function previewOrders(
  trading: TradingContext,
  plan: OrderPlan,
  snapshot: MarketSnapshot,
  limits: GuardLimits,
): Promise<GuardReport & { readonly preview: PreviewData }> {
  const [market, spendable, orders] = await Promise.all([
    snapshot.book(),
    plan.account === 'spot' ? snapshot.spendable(plan.market, plan.side) : ('unreported' as const),
    snapshot.orders(),
  ]);
  const results: ReadResults = { market, spendable, orders };
  const preview = computePreview(plan, results);
  const guarded = guardOrders(trading, plan, market, limits);
  return { ...guarded, preview, warnings: [...guarded.warnings, ...warningsOf(plan, preview, results)] };
}

/** Computes what the orders would do from what was read. A part whose read failed is null. @internal for its test */
export function computePreview(plan: OrderPlan, { market, spendable, orders }: ReadResults): PreviewData {
  const { side } = plan;
  const amount = Decimal.sum(plan.orders.map((order) => Decimal.of(order.amount)));
  const notional = Decimal.sum(plan.orders.map(notionalOf)).trimmed();
  const [receives, spends] = side === 'buy' ? [amount, notional] : [notional, amount];
  return {
    ...bookPreview(plan, market),
    fee: estimateFee(orders instanceof Failure ? [] : orders, side, receives),
    balance: spendable instanceof Decimal ? { before: spendable, after: spendable.minus(spends) } : null,
  };
}

function bookPreview({ side, type, orders }: OrderPlan, market: BookView | Failure) {
  if (market instanceof Failure) return { bid: null, ask: null, reference: null, fills: null, crossing: null };
  const best = bestPrices(market);
  const other = side === 'buy' ? best.ask : best.bid;
  const crossing = other === null ? [] : orders.filter(({ price }) => crosses(side, Decimal.of(price), other));
  // a PostOnly order never takes from the book
  const levels = type === 'postOnly' ? [] : side === 'buy' ? market.asks : market.bids;
  const single = singleOrder(orders);
  const fills = single && fillsAtOnce(levels, side, Decimal.of(single.price), Decimal.of(single.amount));
  return { ...best, reference: referenceOf(market, side), fills: fills ?? null, crossing: crossing.length };
}

/** The order, unless it is a batch. */
function singleOrder([first]: OrderPlan['orders']) {
  return first?.line === undefined ? first : undefined;
}

interface FeeEstimate {
  readonly fee: Decimal;
  readonly coin: string;
}

/** Balances were not observed with more decimals. */
const FEE_DECIMALS = 8;

/**
 * Estimates the fee if the orders fill, by the rate that earlier orders of this side paid. A buy receives base and pays its fee
 * in base; a sell receives and pays quote (observed). Null if no order shows a rate: none filled, or the fees were paid in the
 * discount coin.
 *
 * @param orders earlier orders of one market
 * @param receives what the orders would bring
 */
export function estimateFee(orders: readonly Order[], side: Side, receives: Decimal): FeeEstimate | null {
  let paid = Decimal.zero;
  let received = Decimal.zero;
  let coin: string | null = null;
  for (const order of orders) {
    const filled = Decimal.of(side === 'buy' ? order.filled : order.filledValue);
    const feeCoin = order.feeCoin;
    if (feeCoin === null || order.fee === null || filled.sign <= 0 || order.type === 'other' || order.side !== side)
      continue;
    paid = paid.plus(Decimal.of(order.fee));
    received = received.plus(filled);
    coin = feeCoin;
  }
  if (coin === null) return null;
  return { fee: receives.times(paid).dividedBy(received, FEE_DECIMALS, 'up').trimmed(), coin };
}

/** The warnings about the orders, without the guards that stop them. @internal for its test */
export function warningsOf(plan: OrderPlan, preview: PreviewData, results: ReadResults): Warning[] {
  const single = singleOrder(plan.orders);
  return [
    ...(single === undefined ? [] : bookWarnings(plan, single, preview)),
    ...balanceWarnings(plan, preview, single === undefined ? 'some of them' : 'it'),
    ...unreadWarnings(results),
  ];
}

function bookWarnings(
  { market, side, type }: OrderPlan,
  { price, amount }: OrderPlan['orders'][number],
  { bid, ask, fills }: PreviewData,
): Warning[] {
  if (fills === null) return [];
  const warnings: Warning[] = [];
  const warn = (about: Warning['about'], text: string) => warnings.push({ about, text });
  const [best, name] = side === 'buy' ? [ask, 'best ask'] : [bid, 'best bid'];
  if (bid === null || ask === null)
    warn(
      'empty book',
      `The book of ${market.market} is empty on ${bid === null && ask === null ? 'both sides' : 'one side'}.`,
    );
  const average = averagePrice(fills, side);
  if (best !== null && average !== null) {
    const reach = notablePercent(Decimal.of(price), best);
    if (reach !== null)
      warn('price past the best', `The price is ${reach} past the ${name} ${formatPrice(best, market)}.`);
    const worse = notablePercent(average, best);
    if (worse !== null)
      warn('worse average', `The part that fills at once would average ${worse} worse than the ${name}.`);
  }
  if (fills.atLeast)
    warn(
      'thin book',
      `Thin book: it shows only ${formatAmount(fills.amount)} of ${formatAmount(amount)} ${market.base} up to this price.`,
    );
  if (type === 'ioc' && fills.amount.sign === 0)
    warn('no fill', 'Nothing would fill at once, so the exchange would cancel the whole order.');
  return warnings;
}

/** A price that is worse than the best one by more than this, in percent, gets a warning. */
const NOTABLE_PERCENT = Decimal.of('1');

function notablePercent(price: Decimal, best: Decimal): string | null {
  const percent = percentFrom(price, best, 2);
  const size = percent.sign < 0 ? percent.negated() : percent;
  return size.compare(NOTABLE_PERCENT) > 0 ? formatPercent(size) : null;
}

function balanceWarnings({ market, side }: OrderPlan, { balance }: PreviewData, refused: string): Warning[] {
  if (balance === null || balance.after.sign >= 0) return [];
  const needs = formatAmount(balance.before.minus(balance.after));
  const coin = spentCoin(market, side);
  const has = `${formatAmount(balance.before)} ${coin} is available`;
  const text = `This needs ${needs} ${coin} but only ${has}: the exchange will reject ${refused}.`;
  return [{ about: 'balance', text }];
}

function unreadWarnings({ market, spendable, orders }: ReadResults): Warning[] {
  const parts = [
    ['unread book', 'The book', market],
    ['unread balance', 'The balance', spendable],
    ['unread fees', 'Earlier fees', orders],
  ] as const;
  return parts.flatMap(([about, what, answer]) =>
    answer instanceof Failure ? [{ about, text: `${what} could not be read: ${answer.message}` }] : [],
  );
}
