import { Decimal } from '../../domain/decimal.js';
import type { Order, Side } from '../../domain/order.js';
import type { BatchLine, BatchTerms, OrderTerms } from '../journal/intent.js';
import { kindOf, notionalOf, worthOfOrder } from '../orders/terms.js';

/** What an order of a batch is known by: its price and its amount, however they are written. */
export function keyOf(price: string, amount: string): string {
  return `${Decimal.of(price).trimmed()} ${Decimal.of(amount).trimmed()}`;
}

export function lineKey([, price, amount]: BatchLine): string {
  return keyOf(price, amount);
}

/** Undefined for an order that no batch places: of the other side, or by its type not a plain limit order. */
export function recordKey(record: Order, side: Side): string | undefined {
  const kind = kindOf(record, { side, type: 'limit' });
  return kind.side === side && kind.type === 'limit' ? keyOf(record.price, record.amount) : undefined;
}

/** Whether two jobs are about the same orders, in whatever order they name them. */
export function areSameJobs(one: BatchTerms, other: BatchTerms): boolean {
  if (one.market !== other.market || one.side !== other.side || one.account !== other.account) return false;
  return areSameLines(one.lines, other.lines);
}

export function areSameLines(some: readonly BatchLine[], others: readonly BatchLine[]): boolean {
  if (some.length !== others.length) return false;
  const [left, right] = [some, others].map((lines) => lines.map(lineKey).sort());
  return left?.every((key, index) => key === right?.[index]) === true;
}

/** A line of a job as the single order that it comes to. */
export function lineTerms({ terms }: { readonly terms: BatchTerms }, line: number): OrderTerms {
  const { market, side, account, lines } = terms;
  const [, price = '', amount = ''] = lines[line] ?? [];
  return { ...{ market, side, account, price, amount }, type: 'limit', borrow: false, repay: false };
}

/** What the lines come to: the amounts in the base coin, price x amount in the quote coin. */
export function totals(lines: readonly BatchLine[]): { readonly amount: Decimal; readonly notional: Decimal } {
  return lines.reduce(
    (sum, [, price, amount]) => ({
      amount: sum.amount.plus(Decimal.of(amount)),
      notional: sum.notional.plus(notionalOf({ price, amount })),
    }),
    { amount: Decimal.zero, notional: Decimal.zero },
  );
}

/** What the guards count the lines for, in the quote coin. */
export function worthOfLines(lines: readonly BatchLine[], side: Side, bid: string | undefined): Decimal {
  return lines.reduce((sum, [, price, amount]) => sum.plus(worthOfOrder({ side, price, amount }, bid)), Decimal.zero);
}
