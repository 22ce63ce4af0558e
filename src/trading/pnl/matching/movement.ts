import type { Decimal } from '../../../domain/decimal.js';
import type { Line } from './statement.js';

export const MOVEMENT_KINDS = ['fills', 'fees', 'deposits', 'withdrawals'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A change of a balance that an order, a deposit or a withdrawal accounts for, with a bill or without. */
export interface Movement {
  readonly kind: MovementKind;
  readonly coin: string;
  /** Below zero if coins went away. */
  readonly amount: Decimal;
  /** Null for a deposit without a bill whose moment is uncertain. */
  readonly time: number | null;
  /** Of a fill and its fees; null for deposits and withdrawals. */
  readonly market: string | null;
  /** None if none was found. Several of one moment if only their sum is known, or if the coins left in several bills. */
  readonly bills: readonly Line[];
  /** Of its first bill in the statement, which orders what is of one moment; 0 without a bill. */
  readonly place: number;
  /** The id of the deposit or withdrawal: one that fails has a second movement, which brings the coins back. Null for all others. */
  readonly record: string | null;
  /** Of its transaction on the chain; null if none is known. */
  readonly hash: string | null;
  /** How much of the amount a deposit or withdrawal has cost, with its sign; absent if nothing shows that. */
  readonly fee?: Decimal;
}

/** What a bill alone moved. */
export function movementOf(kind: MovementKind, bill: Line): Movement {
  const { coin, change: amount, time, place } = bill;
  return { kind, coin, amount, time, market: null, bills: [bill], place, record: null, hash: null };
}
