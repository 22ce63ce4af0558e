import type { Decimal } from '../../domain/decimal.js';
import type { Bill, Deposit, Withdrawal } from '../../domain/funds.js';
import type { Order } from '../../domain/order.js';

/** What the ledger needs of an order that has filled. */
export interface FilledOrder
  extends Pick<Order, 'id' | 'market' | 'side' | 'price' | 'filled' | 'filledValue' | 'fee' | 'feeCoin' | 'time'> {
  /** The parts of `fee`, if bills show a fee and a rebate: the rebate is below zero. Undefined if they do not. */
  readonly feeParts?: readonly Decimal[];
}

/** What the ledger needs of a deposit. */
export type DatedDeposit = Pick<Deposit, 'id' | 'coin' | 'amount' | 'state' | 'time' | 'hash'>;

/** What an account has done, as far as the exchange shows it. */
export interface AccountHistory {
  /** Only those that have filled. */
  readonly orders: readonly FilledOrder[];
  /** Oldest first; bills of one moment in the order in which they were written. */
  readonly bills: readonly Bill[];
  readonly deposits: readonly DatedDeposit[];
  readonly withdrawals: readonly Withdrawal[];
}
