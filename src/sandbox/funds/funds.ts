import type { BillKind, BillQuery } from '../desk/bills.js';
import type { ChainRules } from '../markets/chains.js';
import type { ChainAddress } from './addresses.js';
import type { DepositStatus } from './deposits.js';
import type { WithdrawRequest } from './treasury.js';
import type { WithdrawalStatus } from './withdrawals.js';

/** A bill as its owner sees it. Amounts are decimal texts with all of the coin's decimals, times ms since the Unix epoch. */
export interface BillRecord {
  readonly id: string;
  readonly coin: string;
  /** Below zero where coins went away. */
  readonly change: string;
  /** Available and frozen together, after the change; what is on its way out is not among it. */
  readonly balance: string;
  readonly time: number;
  readonly kind: BillKind;
  readonly remark: string;
}

export interface DepositRecord {
  readonly id: string;
  readonly coin: string;
  readonly address: string;
  readonly amount: string;
  readonly confirmations: number;
  readonly internal: boolean;
  /** Empty where no chain was needed. */
  readonly hash: string;
  readonly status: DepositStatus;
  readonly time: number;
}

export interface WithdrawalRecord {
  readonly id: string;
  /** With the fee in it. */
  readonly amount: string;
  readonly fee: string;
  readonly status: WithdrawalStatus;
  readonly submitted: number;
  /** When the status changed last. */
  readonly managed: number;
  readonly address: string;
  readonly orderNumber: string;
  /** Empty until the transaction is on the chain. */
  readonly hash: string;
}

export interface Page<Entry> {
  /** Newest first. */
  readonly list: readonly Entry[];
  /** On all pages together. */
  readonly total: number;
}

/** Whose funds. */
export interface FundsOwner {
  readonly id: string;
  readonly accessKey: string;
}

/** An account's coming and going coins, as the interface lets it see and move them. Coins must exist. */
export interface Funds {
  /** The chains of a coin, the usual one first. */
  chains(coin: string): readonly ChainRules[];
  /** Newest first; pages count from 1. */
  bills(account: FundsOwner, query: BillQuery): BillRecord[];
  /** The address of a coin with one chain. Throws Refusal when it has several, or the address was not obtained. */
  depositAddress(account: FundsOwner, coin: string): ChainAddress;
  /** One for each chain, closed ones included. */
  depositAddresses(account: FundsOwner, coin: string): ChainAddress[];
  /** The default one, as `receiveAddr` takes it. Throws Refusal when none is verified. */
  withdrawalAddress(account: FundsOwner, coin: string): string;
  deposits(account: FundsOwner, coin: string, page: number, size: number): Page<DepositRecord>;
  withdrawals(account: FundsOwner, coin: string, page: number, size: number): Page<WithdrawalRecord>;
  /** The record's id. Throws Refusal with nothing moved. */
  withdraw(account: FundsOwner, request: WithdrawRequest): string;
}
