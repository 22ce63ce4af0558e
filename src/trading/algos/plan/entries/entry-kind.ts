import type { Decimal } from '../../../../domain/decimal.js';
import type { OrderType } from '../../../../domain/order.js';
import type { DecisionInput, LegPlan } from '../decision-input.js';
import type { AlgoTerms } from '../terms.js';
import type { AlgoEntry, EntryParts } from './entry-terms.js';

/** All that pit has to know of a kind of entry. What it says about one is in `commands/algo/view/entry-words.ts`. */
export interface AlgoEntryKind<Entry extends AlgoEntry> {
  /**
   * Whether its prices are those of the market. Otherwise each order has the price that its terms name, though its plan may still say
   * `needsMarket`: a post-only order at such a price waits until the market has moved away.
   */
  readonly followsMarket: boolean;
  /** Whether it may be several orders, each of a part of the amount. */
  readonly isSplit: boolean;
  /** The price that its terms name: that of its orders, or the bound that none of them goes beyond. Null for none. */
  priceOf(entry: Entry): Decimal | null;
  /** The same entry with that price, if it has one. */
  withPrice(entry: Entry, change: (price: Decimal) => Decimal): Entry;
  /** The type of its orders. */
  typeOf(entry: Entry): OrderType;
  /** How much of it may rest at once; null for all. */
  mostOpenOf(entry: Entry): Decimal | null;
  /** Throws Failure `usage` for an entry that cannot work in its market, whatever the prices are, with the number that works. */
  check(terms: AlgoTerms, entry: Entry): void;
  /** The amount of its largest order, if that is placed at this price. */
  largestOf(terms: Pick<AlgoTerms, 'amount' | 'market'>, entry: Entry, price: Decimal): Decimal;
  /**
   * What should be open of it now. Quiet ranges (`quiet-range.ts`) rely on this: every outcome depends on one price of the book, and in one
   * direction. What is the same at both ends of a range of books is the same between them.
   *
   * @param start when it began, by the exchange's clock
   */
  plan(input: DecisionInput, entry: Entry, start: number): LegPlan;
  /** Its terms as they are printed, without its price; those that it does not have are left out. */
  parts(entry: Entry): Partial<EntryParts>;
}
