import type { BillBook } from '../accounts/bills.js';
import type { Ledger } from '../accounts/ledger.js';
import type { Sequences } from '../orders/sequences.js';
import type { Scheduler } from '../scheduler.js';

/**
 * How funds move, by the exchange's clock: fast enough to watch, slow enough that a client sees every state on the way. The
 * interface states none of this. A deposit is credited with its last confirmation. A withdrawal is confirmed (5), gets its
 * hash and later succeeds (2).
 *
 * The other decisions, each the simplest that a client can rely on:
 * - The fee is part of the amount. It is charged as offered if it is at least the chain's, also for an internal transfer, so
 *   what arrives is always the amount less the fee.
 * - itransfer 1 is a consent: the coins move at once if the address belongs to another account of the exchange, and over the
 *   chain if not. Without consent such an address is reached over the chain, as a deposit.
 * - No parameter names a chain: the verified address knows its own. Codes: 3005 for the address and the fee, 3003 for the
 *   amount, 1010 for a closed chain, 1001 for a coin.
 * - What a withdrawal takes is shown as frozen and billed when it is taken, and billed again when it comes back. The balance
 *   and total of a bill do not include it.
 * - manageTime is when the status last changed, so it is always a number. hash is empty until the transaction is on the
 *   chain, and for internal transfers. merchantOrderNo is made from the id, because a client cannot send one.
 * - getPayinAddress also shows closed chains; getUserAddress joins account and memo as `receiveAddr` does.
 */
export const FUNDS = {
  confirmationEvery: 10_000,
  withdrawalConfirmedAfter: 20_000,
  withdrawalDoneAfter: 40_000,
  /** After this many wrong fund passwords in a row, all are refused for a while (1004), even the right one. */
  wrongPasswords: 5,
  passwordLock: 3_600_000,
} as const;

/** What every movement of funds needs. */
export interface FundsContext {
  readonly ledger: Ledger;
  readonly bills: BillBook;
  readonly sequences: Sequences;
  readonly scheduler: Scheduler;
}

/** A pending deposit or withdrawal: its place in the list of its account and coin. */
export interface FundsTask {
  readonly kind: 'deposit' | 'withdrawal';
  readonly account: string;
  readonly coin: string;
  readonly place: number;
}

export function taskKey({ kind, account, coin, place }: FundsTask): string {
  return `${kind}/${account}/${coin}/${place}`;
}

export function readTask(key: string): FundsTask {
  const [kind, account = '', coin = '', place] = key.split('/');
  return { kind: kind === 'deposit' ? 'deposit' : 'withdrawal', account, coin, place: Number(place) };
}

/** The list that holds the deposits or withdrawals of an account and coin. */
export function listOf({ account, coin }: { readonly account: string; readonly coin: string }): string {
  return `${account}/${coin}`;
}
