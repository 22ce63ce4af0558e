import { Decimal } from '../../../domain/decimal.js';
import { type Child, isExit, isLegFree, type NewChild, outstandingOf, positionOf } from './children.js';
import { kindOfEntry } from './entries/entry-kinds.js';
import type { AlgoTerms } from './terms.js';

/**
 * Whether a child may leave: with it, what has filled, is open or unknown of its leg is at most the amount, or for exits the position,
 * what may rest of an entry is at most what it shows, and no other child of the leg is at work. The sender asks this of each child,
 * whatever decided to place it.
 */
export function mayPlace(terms: AlgoTerms, children: readonly Child[], child: NewChild): boolean {
  const leg = children.filter((one) => isExit(one) === isExit(child));
  const limit = isExit(child) ? positionOf(terms, children) : terms.amount;
  const open = Decimal.sum([...leg.map(outstandingOf), child.amount]);
  const total = Decimal.sum([open, ...leg.map(({ filled }) => filled)]);
  const { entry } = terms;
  const most = isExit(child) || entry === null ? null : kindOfEntry(entry).mostOpenOf(entry);
  const isShownAtMost = most === null || open.compare(most) <= 0;
  return isLegFree(children, child) && child.amount.sign > 0 && total.compare(limit) <= 0 && isShownAtMost;
}
