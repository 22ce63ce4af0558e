import type { Decimal } from '../../../../domain/decimal.js';
import { CHASE } from './chase.js';
import type { AlgoEntryKind } from './entry-kind.js';
import type { AlgoEntry, AlgoEntryName, EntryOf } from './entry-terms.js';
import { ICEBERG } from './iceberg.js';
import { LIMIT } from './limit.js';
import { TWAP } from './twap.js';

/** The kinds of entries. Whatever depends on the kind of an entry asks this table; a kind that is missing in it is a type error. */
const ENTRY_KINDS: { readonly [Name in AlgoEntryName]: AlgoEntryKind<EntryOf<Name>> } = {
  limit: LIMIT,
  twap: TWAP,
  chase: CHASE,
  iceberg: ICEBERG,
};

export const ENTRY_NAMES = Object.keys(ENTRY_KINDS) as AlgoEntryName[];

/** What its kind says of an entry. */
export function kindOfEntry({ kind }: Pick<AlgoEntry, 'kind'>): AlgoEntryKind<AlgoEntry> {
  // each kind is asked about its own entries only
  return ENTRY_KINDS[kind] as AlgoEntryKind<AlgoEntry>;
}

/** The price of its orders, or the bound that none of them goes beyond. Null for none, and without an entry. */
export function namedPriceOf(entry: AlgoEntry | null): Decimal | null {
  return entry && kindOfEntry(entry).priceOf(entry);
}
