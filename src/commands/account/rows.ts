import { Decimal } from '../../protocol/decimal.js';
import type { Result } from '../../protocol/operation.js';
import type { operations } from '../../protocol/operations/index.js';

export type CoinEntry = Result<typeof operations.getAccountInfo>['result']['coins'][number];

/** A coin's balance as people and programs read it. `name` is the new name of a renamed coin. */
export function balanceRow({ key, showName, available, freez, isCanRecharge, isCanWithdraw, canLoan }: CoinEntry) {
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

export type BalanceRow = ReturnType<typeof balanceRow>;

export function isEmpty({ total }: BalanceRow): boolean {
  return Decimal.of(total).sign === 0;
}
