import type { Decimal } from '../../domain/decimal.js';

/** A change of a balance: below zero if coins went away. */
export interface BalanceChange {
  readonly coin: string;
  readonly amount: Decimal;
}

export function negated({ coin, amount }: BalanceChange): BalanceChange {
  return { coin, amount: amount.negated() };
}
