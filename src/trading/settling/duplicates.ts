import type { Order } from '../../domain/order.js';
import type { RecordedOrderTerms, WithdrawTerms } from '../journal/write.js';

/** Orders that exist in addition to the wanted one. */
export interface DuplicateOrders {
  readonly writeId: string;
  /** The client id that the user chose for the order. */
  readonly clientId?: string;
  readonly terms: RecordedOrderTerms;
  /** The line of a batch, counted from 0. */
  readonly line?: number;
  /** The expected order; null if none was expected or is known. */
  readonly orderId: string | null;
  /** The recorded outcome, if no order was expected: the first of `ids` is its order after all. */
  readonly recordedOutcome?: 'refused' | 'notSent' | undefined;
  /** The ids of the additional orders, oldest first. */
  readonly ids: readonly string[];
  /** The additional orders that a list or a lookup showed. */
  readonly shown: readonly Order[];
  /** Whether they carry its client id. Otherwise another program may have placed the same order at the same time. */
  readonly isProven: boolean;
}

/** Withdrawals that exist in addition to the wanted one. */
export interface DuplicateWithdrawals {
  readonly writeId: string;
  readonly terms: WithdrawTerms;
  /** The expected record; null if none was expected or is known. */
  readonly id: string | null;
  /** The recorded outcome, if no record was expected: the first of `ids` is its record after all. */
  readonly recordedOutcome?: 'refused' | 'notSent' | undefined;
  /** The ids of the additional records. */
  readonly ids: readonly string[];
}

/** The duplicates of each write: several orders of a batch may be duplicated. */
export function byWrite(duplicates: readonly DuplicateOrders[]): ReadonlyMap<string, readonly DuplicateOrders[]> {
  const groups = new Map<string, DuplicateOrders[]>();
  for (const one of duplicates) groups.set(one.writeId, [...(groups.get(one.writeId) ?? []), one]);
  return groups;
}
