import * as shape from '../../cli/shapes.js';
import type { Coin } from '../../domain/account.js';
import { Decimal } from '../../domain/decimal.js';
import * as origin from '../../exchange/origins.js';

/** A coin's balance. */
export const BALANCE: shape.Fields = {
  coin: shape.text('', origin.COIN.coin),
  name: shape.text('the new one of a renamed coin', origin.COIN.name),
  available: shape.decimal('', origin.COIN.available),
  frozen: shape.decimal('held by open orders', origin.COIN.frozen),
  total: shape.decimal('available and frozen'),
  canDeposit: shape.yesNo('', origin.COIN.canDeposit),
  canWithdraw: shape.yesNo('', origin.COIN.canWithdraw),
  canLoan: shape.yesNo('may be lent', origin.COIN.canLoan),
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
