import * as shape from '../../cli/shapes.js';
import type { Coin } from '../../domain/account.js';
import { Decimal } from '../../domain/decimal.js';

/** A coin's balance. */
export const BALANCE: shape.Fields = {
  coin: shape.text('', 'getAccountInfo.key'),
  name: shape.text('the new one of a renamed coin', 'getAccountInfo.showName'),
  available: shape.decimal('', 'getAccountInfo.available'),
  frozen: shape.decimal('held by open orders', 'getAccountInfo.freez'),
  total: shape.decimal('available and frozen'),
  canDeposit: shape.yesNo('', 'getAccountInfo.isCanRecharge'),
  canWithdraw: shape.yesNo('', 'getAccountInfo.isCanWithdraw'),
  canLoan: shape.yesNo('may be lent', 'getAccountInfo.canLoan'),
  value: shape.orNull(shape.decimal('in the coin of --in')),
};

/** A coin's balance as people and programs read it; amounts are decimal texts. */
export interface BalanceRow {
  readonly coin: string;
  /** The new name of a renamed coin. */
  readonly name: string;
  readonly available: string;
  readonly frozen: string;
  readonly total: string;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
  readonly canLoan: boolean;
  /** In the coin that was asked for. */
  readonly value: string | null;
}

export function balanceRow({ coin, name, available, frozen, canDeposit, canWithdraw, canLoan }: Coin): BalanceRow {
  const total = Decimal.of(available).plus(Decimal.of(frozen)).toString();
  return { coin, name, available, frozen, total, canDeposit, canWithdraw, canLoan, value: null };
}

export function isEmpty({ total }: BalanceRow): boolean {
  return Decimal.of(total).sign === 0;
}
