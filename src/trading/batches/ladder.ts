import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Side } from '../../domain/order.js';
import { usage } from '../../errors.js';
import type { BatchLine } from '../journal/write.js';

export type Weight = 'equal' | 'linear';

export interface Ladder {
  readonly side: Side;
  readonly from: Decimal;
  readonly to: Decimal;
  /** How many orders, at least 2. */
  readonly count: number;
  /** What they come to at most, in the base coin. */
  readonly total: Decimal;
  /** `linear`: the nth order is n times as large as the first. */
  readonly weight: Weight;
}

/** A ladder whose total depends on its prices. */
type LadderShape = Omit<Ladder, 'total'>;

export interface Rungs {
  readonly lines: readonly BatchLine[];
  /** What is left of the total after rounding, in the base coin. */
  readonly rest: Decimal;
}

/**
 * Orders at evenly spaced prices from one to the other, both included. Prices are rounded to the tick on the harmless side
 * (down for a buy, up for a sell) and amounts down to the lot, so they never exceed the total. Throws Failure `usage` if two
 * of them would have the same price, and for numbers that are not on the market's scales.
 */
export function rungsOf(ladder: Ladder, market: Market): Rungs {
  const prices = pricesOf(ladder, market);
  const amounts = amountsOf(ladder, market);
  const lines = prices.map(
    (price, index): BatchLine => [index + 1, price.toString(), (amounts[index] ?? Decimal.zero).toString()],
  );
  return { lines, rest: ladder.total.minus(Decimal.sum(amounts)).rescaled(market.amountScale, 'down') };
}

/**
 * The price at which the ladder's amount costs what its orders cost together, rounded up: a value divided by it is an amount
 * that never costs more. Throws Failure `usage` as {@link rungsOf}.
 */
export function averagePriceOf(ladder: LadderShape, market: Market): Decimal {
  const weights = weightsOf(ladder);
  const sum = pricesOf(ladder, market).reduce(
    (whole, price, index) => whole.plus(price.times(Decimal.fromUnits(weights[index] ?? 0n, 0))),
    Decimal.zero,
  );
  return sum.dividedBy(Decimal.fromUnits(sumOf(weights), 0), market.priceScale + AVERAGE_DECIMALS, 'up');
}

/** An average need not lie on a tick. */
const AVERAGE_DECIMALS = 20;

function pricesOf({ side, from, to, count }: LadderShape, { market, priceScale: scale, tickSize }: Market): Decimal[] {
  const onTick = (price: Decimal) => onScale('price', price, scale, `A tick of ${market} is ${tickSize}.`);
  const [first, last] = [onTick(from), onTick(to)];
  const distance = last.units - first.units;
  const steps = BigInt(count - 1);
  const prices = Array.from({ length: count }, (_, index) => {
    const exact = first.units * steps + distance * BigInt(index);
    const isBetween = exact % steps !== 0n;
    return Decimal.fromUnits(exact / steps + (isBetween && side === 'sell' ? 1n : 0n), scale);
  });
  const ticks = distance < 0n ? -distance : distance;
  // evenly spaced prices can coincide after rounding if there are fewer ticks than steps
  if (ticks >= steps) return prices;
  throw usage(
    `${count} orders do not fit from ${first} to ${last}: two would have the same price.`,
    ticks === 0n ? 'Give two different prices.' : `A tick is ${tickSize}: at most ${ticks + 1n} orders fit in between.`,
  );
}

function amountsOf(ladder: Ladder, { market, amountScale: scale, lotSize }: Market): Decimal[] {
  const { units } = onScale('amount', ladder.total, scale, `A lot of ${market} is ${lotSize}.`);
  const weights = weightsOf(ladder);
  const sum = sumOf(weights);
  return weights.map((one) => Decimal.fromUnits((units * one) / sum, scale));
}

function weightsOf({ count, weight }: LadderShape): bigint[] {
  return Array.from({ length: count }, (_, index) => (weight === 'equal' ? 1n : BigInt(index + 1)));
}

function sumOf(numbers: readonly bigint[]): bigint {
  return numbers.reduce((whole, one) => whole + one, 0n);
}

function onScale(what: string, value: Decimal, scale: number, rule: string): Decimal {
  if (value.significantScale <= scale) return value.rescaled(scale, 'down');
  throw usage(`The ${what} ${value} has too many decimals.`, `${rule} Numbers are never rounded.`);
}
