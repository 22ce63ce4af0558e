import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import type { BatchLine, BatchTerms, RecordedOrderTerms } from '../journal/write.js';
import { notionalForGuards, notionalOf, termsKey } from '../orders/terms.js';

/** The orders to place, before anything on the exchange is known. */
export type BatchPlan = Pick<BatchTerms, 'market' | 'side' | 'account' | 'namesSpot' | 'lines' | 'ladder'>;

/** Equal for lines with the same price and amount, whatever their notation. */
export function lineKey([, price, amount]: BatchLine): string {
  return termsKey(price, amount);
}

/** Whether two jobs have the same orders, in any sequence, or are the same ladder, whatever its prices are by now. */
export function areSameJobs(one: BatchPlan, other: BatchPlan): boolean {
  if (one.market !== other.market || one.side !== other.side || one.account !== other.account) return false;
  return (one.ladder !== undefined && one.ladder === other.ladder) || areSameLines(one.lines, other.lines);
}

/** Whether two batches have the same lines, in any sequence. */
export function areSameLines(some: readonly BatchLine[], others: readonly BatchLine[]): boolean {
  if (some.length !== others.length) return false;
  const left = some.map(lineKey).sort();
  const right = others.map(lineKey).sort();
  return left.every((key, index) => key === right[index]);
}

/** A line of a job as a single order. */
export function lineTerms({ terms }: { readonly terms: BatchTerms }, line: number): RecordedOrderTerms {
  const { market, side, account, lines } = terms;
  const [, price = '', amount = ''] = lines[line] ?? [];
  return { market, side, account, price, amount, type: 'limit', borrow: false, repay: false };
}

/** The totals of the lines: amounts in the base coin, price x amount in the quote coin. */
export function totals(lines: readonly BatchLine[]): { readonly amount: Decimal; readonly notional: Decimal } {
  return lines.reduce(
    (sum, [, price, amount]) => ({
      amount: sum.amount.plus(Decimal.of(amount)),
      notional: sum.notional.plus(notionalOf({ price, amount })),
    }),
    { amount: Decimal.zero, notional: Decimal.zero },
  );
}

/** The notional that guards count for the lines, in the quote coin. */
export function notionalOfLines(lines: readonly BatchLine[], side: Side, bestBid: string | undefined): Decimal {
  return lines.reduce(
    (sum, [, price, amount]) => sum.plus(notionalForGuards({ side, price, amount }, bestBid)),
    Decimal.zero,
  );
}
