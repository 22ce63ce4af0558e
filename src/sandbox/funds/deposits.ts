import type { DepositState } from '../../domain/funds.js';
import { chainRules } from '../markets/coins.js';
import { coinText } from '../markets/market.js';

export interface AccountDeposit {
  readonly id: bigint;
  readonly account: string;
  readonly coin: string;
  readonly chain: string;
  readonly address: string;
  /** Units of the coin. */
  readonly amount: bigint;
  /** From another account of this exchange, without a chain. */
  readonly internal: boolean;
  /** Whether it will fail instead of being credited. */
  readonly fails: boolean;
  readonly hash: string;
  /** ms since the Unix epoch. */
  readonly time: number;
  readonly state: Exclude<DepositState, 'other'>;
}

/** A deposit as its owner sees it. The amount is decimal text, the time ms since the Unix epoch. */
export interface DepositRecord {
  readonly id: string;
  readonly coin: string;
  readonly address: string;
  readonly amount: string;
  readonly confirmations: number;
  readonly internal: boolean;
  /** Empty for internal ones. */
  readonly hash: string;
  readonly state: AccountDeposit['state'];
  readonly time: number;
}

/** How often a chain confirms what is on it, in ms. A deposit is credited with its last confirmation. */
export const CONFIRMATION_EVERY = 10_000;

export function depositRecord(deposit: AccountDeposit, now: number): DepositRecord {
  const { id, coin, address, amount, internal, hash, state, time } = deposit;
  const confirmations = confirmationsOf(deposit, now);
  return { id: String(id), coin, address, amount: coinText(coin, amount), confirmations, internal, hash, state, time };
}

/** The confirmations of a deposit at `now`. One that failed never got the last. */
function confirmationsOf(deposit: AccountDeposit, now: number): number {
  if (deposit.internal) return 0;
  const needed = chainRules(deposit.coin, deposit.chain).confirmations;
  if (deposit.state === 'success') return needed;
  const seen = Math.floor((now - deposit.time) / CONFIRMATION_EVERY);
  return Math.min(Math.max(seen, 0), needed - 1);
}
