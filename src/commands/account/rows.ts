import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import type { operations } from '../../exchange/operations/index.js';
import type { Result } from '../../exchange/operations/operation.js';

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

export type CoinEntry = Result<typeof operations.getAccountInfo>['result']['coins'][number];

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

export function balanceRow(entry: CoinEntry): BalanceRow {
  const { key, showName, available, freez, isCanRecharge, isCanWithdraw, canLoan } = entry;
  return {
    coin: key.toLowerCase(),
    name: showName,
    available,
    frozen: freez,
    total: Decimal.of(available).plus(Decimal.of(freez)).toString(),
    canDeposit: isCanRecharge,
    canWithdraw: isCanWithdraw,
    canLoan,
    value: null,
  };
}

export function isEmpty({ total }: BalanceRow): boolean {
  return Decimal.of(total).sign === 0;
}
