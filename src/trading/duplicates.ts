import type { OrderTerms, WithdrawTerms } from './journal/intent.js';

/** Orders that are there beyond the one that was wanted. */
export interface DuplicateOrders {
  readonly intent: string;
  readonly terms: OrderTerms;
  /** Of a batch, which of its lines it is, counted from 0. */
  readonly line?: number;
  /** The order that was wanted; null if there was to be none, or none is known. */
  readonly order: string | null;
  /** The oldest first. */
  readonly ids: readonly string[];
  /** Nobody else seems to use the account, so only the network can have made them. */
  readonly certain: boolean;
}

/** Withdrawals that are there beyond the one that was wanted. */
export interface DuplicateWithdrawals {
  readonly intent: string;
  readonly terms: WithdrawTerms;
  /** The record that was wanted; null if there was to be none, or none is known. */
  readonly id: string | null;
  /** The records beyond it. */
  readonly ids: readonly string[];
}

/** What was made of each write: several orders of a batch may be there again. */
export function byWrite(duplicates: readonly DuplicateOrders[]): ReadonlyMap<string, readonly DuplicateOrders[]> {
  const groups = new Map<string, DuplicateOrders[]>();
  for (const one of duplicates) groups.set(one.intent, [...(groups.get(one.intent) ?? []), one]);
  return groups;
}
