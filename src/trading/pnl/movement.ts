import type { Decimal } from '../../domain/decimal.js';

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
  readonly hasBill: boolean;
  /** Of its bill in the statement, which orders what is of one moment; 0 without a bill. */
  readonly place: number;
  /** The id of the withdrawal: one that fails has a second movement, which brings the coins back. Null for all others. */
  readonly record: string | null;
  /** How much of the amount a deposit or withdrawal has cost, with its sign; absent if nothing shows that. */
  readonly fee?: Decimal;
}
