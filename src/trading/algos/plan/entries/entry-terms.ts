import * as v from 'valibot';
import { ORDER_TYPES } from '../../../../domain/order.js';
import { decimal, integer } from '../line-schemas.js';

/** The terms of each kind of entry, as a record has them. */
const ENTRY_TERMS = {
  /** One order. */
  limit: v.object({ kind: v.literal('limit'), type: v.picklist(ORDER_TYPES), price: decimal }),
  /** Slices over a time: orders that fill at once, or, if it is passive, orders at the best price of their own side. */
  twap: v.object({
    kind: v.literal('twap'),
    durationMs: integer,
    everyMs: integer,
    isPassive: v.boolean(),
    /** No slice goes beyond this price; null for no bound. */
    bound: v.nullable(decimal),
  }),
  /** One post-only order that follows the best price of its side, never beyond the bound. */
  chase: v.object({ kind: v.literal('chase'), bound: v.nullable(decimal) }),
  /** Orders at one price, one after the other: at most `show` of the base coin rests. */
  iceberg: v.object({
    kind: v.literal('iceberg'),
    type: v.picklist(['limit', 'postOnly']),
    price: decimal,
    show: decimal,
  }),
};

export type AlgoEntryName = keyof typeof ENTRY_TERMS;

export type AlgoEntry = Readonly<v.InferOutput<(typeof ENTRY_TERMS)[AlgoEntryName]>>;

/** The entry of a kind. */
export type EntryOf<Name extends AlgoEntryName> = Extract<AlgoEntry, { readonly kind: Name }>;

/** The terms of any entry. */
export const ENTRY: v.GenericSchema<unknown, AlgoEntry> = v.union(Object.values(ENTRY_TERMS));

/** The terms of an entry as they are printed, beside its kind, its price and its conditions. Null for what it does not have. */
export interface EntryParts {
  readonly overMs: number | null;
  readonly everyMs: number | null;
  readonly passive: boolean;
  /** In the base coin, as a text. */
  readonly show: string | null;
}

export const NO_PARTS: EntryParts = { overMs: null, everyMs: null, passive: false, show: null };
