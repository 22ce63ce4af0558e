import type { WithdrawalState } from '../../domain/funds.js';
import { coinText } from '../markets/market.js';

export interface AccountWithdrawal {
  readonly id: bigint;
  readonly account: string;
  readonly coin: string;
  readonly chain: string;
  /** Units of the coin, the fee included. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly address: string;
  /** ms since the Unix epoch. */
  readonly submitted: number;
  /** When the state last changed. */
  readonly managed: number;
  readonly state: Exclude<WithdrawalState, 'other'>;
  /** Empty until the transaction is on the chain. */
  readonly hash: string;
}

/** A withdrawal as its owner sees it. The amounts are decimal text, the times ms since the Unix epoch. */
export interface WithdrawalRecord {
  readonly id: string;
  /** Includes the fee. */
  readonly amount: string;
  readonly fee: string;
  readonly state: AccountWithdrawal['state'];
  readonly submitted: number;
  /** When the state last changed. */
  readonly managed: number;
  readonly address: string;
  readonly orderNumber: string;
  /** Empty until the transaction is on the chain. */
  readonly hash: string;
}

export function withdrawalRecord(withdrawal: AccountWithdrawal): WithdrawalRecord {
  const { id, coin, amount, fee, state, submitted, managed, address, hash } = withdrawal;
  const texts = { amount: coinText(coin, amount), fee: coinText(coin, fee) };
  return { id: String(id), ...texts, state, submitted, managed, address, orderNumber: `W${id}`, hash };
}

/** The ledger account that holds the coins of pending withdrawals, shown as frozen. */
export function withdrawing(account: string): string {
  return `leaving-${account}`;
}
