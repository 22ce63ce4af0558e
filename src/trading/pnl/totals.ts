import { Decimal } from '../../domain/decimal.js';
import type { BookTotals } from './book.js';
import { type ClosedLot, minusOrNull, sumOrNull } from './lots.js';
import type { MarketTotals } from './profit-and-loss.js';
import type { ValuedFee } from './trade-legs.js';

/** An average has at most this many decimals, rounded down. Nothing is computed from it. */
const AVERAGE_DECIMALS = 8;
const DAY_MS = 86_400_000;

/** The worth of an amount of a quote coin in the coin of the sums; null if it is unknown. */
export type QuoteValuation = (amount: Decimal, quote: string) => Decimal | null;

/** How much of a position has a known cost. */
function knownAmount({ amount, withoutCost }: BookTotals['position']): Decimal {
  return amount.minus(withoutCost);
}

/** The cost of a coin of what has a known cost; null if nothing has. */
export function averageCost(position: BookTotals['position']): Decimal | null {
  const known = knownAmount(position);
  return known.sign > 0 ? position.cost.dividedBy(known, AVERAGE_DECIMALS, 'down') : null;
}

/** The unrealised profit of what has a known cost; null without a price. */
export function unrealisedOf({ position }: BookTotals, price: Decimal | null): Decimal | null {
  const known = knownAmount(position);
  if (known.sign === 0) return position.cost.negated();
  return price === null ? null : known.times(price).minus(position.cost);
}

/** The same of a coin over all markets: null as well if nothing is known of what there is, because that is no gain of zero. */
export function unrealisedOfCoin(totals: BookTotals, price: Decimal | null): Decimal | null {
  const { position } = totals;
  const isUnknown = position.amount.sign > 0 && knownAmount(position).sign === 0;
  return isUnknown ? null : unrealisedOf(totals, price);
}

/** What was gained in all, after fees; null if a part of it is unknown. */
export function netOf(realised: Decimal | null, unrealised: Decimal | null, fees: Decimal | null): Decimal | null {
  return minusOrNull(sumOrNull(realised, unrealised), fees);
}

/** The value of all fees; null if one has no price. */
export function feesOf({ fees }: BookTotals): Decimal | null {
  return fees.map(({ value }) => value).reduce(sumOrNull, Decimal.zero);
}

/** The fees of all markets by coin, valued in the coin of the sums. */
export function totalFees(markets: readonly MarketTotals[], value: QuoteValuation): readonly ValuedFee[] {
  return sumsByCoin(
    markets.flatMap(({ quote, fees }) =>
      fees.map((fee) => ({ ...fee, value: fee.value === null ? null : value(fee.value, quote) })),
    ),
  );
}

/** Fees as one sum a coin. Its value is null if one has no price. */
export function sumsByCoin(fees: readonly ValuedFee[]): readonly ValuedFee[] {
  const sums = new Map<string | null, ValuedFee>();
  for (const { coin, amount, value } of fees) {
    const sum = sums.get(coin) ?? { coin, amount: Decimal.zero, value: Decimal.zero };
    sums.set(coin, { coin, amount: sum.amount.plus(amount), value: sumOrNull(sum.value, value) });
  }
  return [...sums.values()];
}

/** For how many whole days a lot was held; null if its purchase or cost is unknown. */
export function daysHeld({ opened, closed, cost }: ClosedLot): number | null {
  return opened === null || cost === null ? null : Math.floor((closed - opened) / DAY_MS);
}
