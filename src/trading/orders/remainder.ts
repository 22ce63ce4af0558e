import { Decimal } from '../../domain/decimal.js';
import type { OrderTerms } from '../journal/intent.js';

/** What is left to place of an order of which so much has filled; an amount of 0 where that is all of it, or more. */
export function remainderOf(wanted: OrderTerms, filled: string): OrderTerms {
  const left = Decimal.of(wanted.amount).minus(Decimal.of(filled));
  return { ...wanted, amount: left.sign > 0 ? left.trimmed().toString() : '0' };
}
