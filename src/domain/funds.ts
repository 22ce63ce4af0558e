/** One line of the account's statement. Amounts are decimal texts. */
export interface Bill {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** The same moment as the exchange writes it, without a zone. */
  readonly timeRaw: string | null;
  readonly coin: string;
  readonly type: string | null;
  /** Below zero if coins went away. */
  readonly change: string;
  /** After the change. */
  readonly balance: string | null;
  /** The exchange's second balance, which it does not explain. */
  readonly total: string | null;
  readonly remark: string | null;
}

/** What the account had after a bill, by either of the exchange's two balances. */
export function balanceAfter({ balance, total }: Pick<Bill, 'balance' | 'total'>): string | null {
  return balance ?? total;
}

export const DEPOSIT_STATES = ['waiting', 'failed', 'success'] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number] | 'other';

/** Null for what the exchange leaves out. */
export interface Deposit {
  readonly id: string;
  /** Milliseconds since the Unix epoch; null if it is uncertain, because the exchange's time zone is unknown then. */
  readonly time: number | null;
  /** Date and time as the exchange writes them, without a zone. */
  readonly timeRaw: string | null;
  readonly coin: string;
  readonly amount: string;
  readonly address: string | null;
  readonly hash: string | null;
  readonly confirmations: number | null;
  /** Moved inside the exchange. */
  readonly internal: boolean | null;
  readonly description: string | null;
  readonly state: DepositState;
  /** The exchange's own code for the state. */
  readonly status: number;
}

export const WITHDRAWAL_STATES = ['submitted', 'failed', 'success', 'cancelled', 'confirmed'] as const;
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number] | 'other';

/** Null for what the exchange leaves out. */
export interface Withdrawal {
  readonly id: string;
  /** When it was submitted: milliseconds since the Unix epoch. */
  readonly time: number;
  readonly processedTime: number | null;
  readonly coin: string;
  readonly amount: string;
  readonly fee: string | null;
  readonly address: string | null;
  readonly hash: string | null;
  readonly merchantOrderNo: string | null;
  readonly state: WithdrawalState;
  /** The exchange's own code for the state. */
  readonly status: number;
}

/** A withdrawal as it is to be sent; amounts are final decimal texts in the coin. */
export interface WithdrawalRequest {
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  /** With the memo, if there is one, as `<account>_<memo>`. */
  readonly address: string;
  /** May be moved inside the exchange. */
  readonly internal: boolean;
}

/** Where coins come in or may go to; null for what the exchange leaves out. */
export interface ChainAddress {
  readonly coin: string;
  readonly chain: string | null;
  /** On a chain with a memo the account that receives for many. Null if the exchange lists a chain without one. */
  readonly address: string | null;
  readonly memo: string | null;
  /** Coins sent without their memo are lost. */
  readonly needsMemo: boolean;
  readonly canDeposit: boolean | null;
  readonly canWithdraw: boolean | null;
}

/** What a withdrawal over a chain costs, and whether the chain is open. Null for what the exchange leaves out. */
export interface ChainFee {
  readonly coin: string;
  readonly chain: string | null;
  readonly mainChain: string | null;
  /** A decimal text in the coin. */
  readonly fee: string | null;
  readonly canDeposit: boolean | null;
  readonly canWithdraw: boolean | null;
}
