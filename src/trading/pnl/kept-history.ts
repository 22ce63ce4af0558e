import type { Cache } from '../../config/cache.js';
import type { Bill, Deposit, Withdrawal } from '../../domain/funds.js';
import type { KnownFills } from '../history/known-side.js';
import type { AccountHistory } from './account-history.js';
import type { MatchedRows } from './matched-rows.js';

/**
 * What was read of an account beside its orders, which `history/` keeps. A bill never changes, and neither does a deposit or withdrawal
 * that has ended.
 */
export interface KeptHistory extends Pick<AccountHistory, 'bills'> {
  /** By market whose orders were read: whether it had any that filled or may fill. */
  readonly markets: Readonly<Record<string, boolean>>;
  /** By coin, newest first. */
  readonly deposits: Readonly<Record<string, readonly Deposit[]>>;
  readonly withdrawals: Readonly<Record<string, readonly Withdrawal[]>>;
  /** The zone that the profile names for the exchange's dates: it decides when deposits were; null if it names none. */
  readonly zone: string | null;
  /** The bills that are older than this moment are here, in milliseconds since the Unix epoch. */
  readonly billsReadAt: number;
  /** What a whole read could not explain, as text: while it is the same, another whole read would not explain it either. */
  readonly unexplained: string;
  /**
   * When the account is read whole once more although that is the same, in milliseconds since the Unix epoch: bills may have been listed
   * late. Null if it was, or if there is no need.
   */
  readonly rereadAt: number | null;
  /** Null unless the account was read to its end, and its bills added up. */
  readonly balanced: BalancedAccount | null;
}

/** An account whose bills add up with all that was read. While it is described in the same way and has no new bill, nothing else is new. */
export interface BalancedAccount {
  /** How the exchange described it before anything else was read. */
  readonly description: string;
  /** What was found of the bills that are kept. */
  readonly matched: MatchedRows;
  /** By market whose orders were read: what they had filled. Any command may read other fills later. */
  readonly fills: Readonly<Record<string, KnownFills>>;
  /** The coins whose deposits and withdrawals the exchange refused to list. */
  readonly refusedCoins: readonly string[];
}

export const EMPTY: KeptHistory = {
  ...{ markets: {}, bills: [], deposits: {}, withdrawals: {}, zone: null },
  ...{ billsReadAt: 0, unexplained: '', rereadAt: null, balanced: null },
};

export interface KeptStore {
  read(): KeptHistory | undefined;
  write(history: KeptHistory): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 3;

/**
 * Keeps the history of one account in the cache: a private file that is replaced in one step. An account may have hundreds of thousands of
 * bills, so they are kept as lists of values: that halves the file.
 * @param account as its journal is named, after the exchange and the key
 * @param version of pit: another one may match bills in another way
 */
export function keptStore(cache: Pick<Cache, 'read' | 'write'>, account: string, version: string): KeptStore {
  const key = `pnl ${FORMAT} ${account}`;
  return {
    read: () => {
      const text = cache.read(key)?.value;
      if (text === undefined) return undefined;
      const { bills, matchedBy, balanced, ...rest } = JSON.parse(text) as Rows & KeptHistory;
      return { ...rest, bills: bills.map(billOf), balanced: matchedBy === version ? balanced : null };
    },
    write: ({ bills, ...rest }) => {
      const rows: Rows = { bills: bills.map(rowOfBill), matchedBy: version };
      return cache.write(key, JSON.stringify({ ...rest, ...rows }));
    },
  };
}

interface Rows {
  readonly bills: readonly ReturnType<typeof rowOfBill>[];
  /** The version of pit. */
  readonly matchedBy: string;
}

function rowOfBill({ id, time, timeRaw, coin, type, change, balance, total, remark }: Bill) {
  return [id, time, timeRaw, coin, type, change, balance, total, remark] as const;
}

function billOf([id, time, timeRaw, coin, type, change, balance, total, remark]: Rows['bills'][number]): Bill {
  return { id, time, timeRaw, coin, type, change, balance, total, remark };
}
