import { Decimal } from '../../../domain/decimal.js';
import { type Child, isExit, isLegFree, type NewChild, outstandingOf, positionOf } from './children.js';
import type { AlgoTerms } from './terms.js';

/**
 * Whether a child may leave: with it, what has filled, is open or unknown of its leg is at most the amount, or for exits the position,
 * and no other child of the leg is at work. The sender asks this of each child, whatever decided to place it.
 */
export function mayPlace(terms: AlgoTerms, children: readonly Child[], child: NewChild): boolean {
  const leg = children.filter((one) => isExit(one) === isExit(child));
  const limit = isExit(child) ? positionOf(terms, children) : terms.amount;
  const counted = leg.map((one) => one.filled.plus(outstandingOf(one)));
  const total = Decimal.sum([...counted, child.amount]);
  return isLegFree(children, child) && child.amount.sign > 0 && total.compare(limit) <= 0;
}
