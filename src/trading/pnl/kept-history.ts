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
  /** Another one after each change. */
  readonly id: string;
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
  /** What was found of the bills; null unless the account was read to its end, and its bills added up. */
  readonly matched: MatchedRows | null;
}

/** How the exchange describes an account. */
export interface AccountDescription {
  /** What the key may do, and the zone in which dates are read. */
  readonly terms: string;
  /** By coin that it holds: what is available and what is frozen. */
  readonly amounts: Readonly<Record<string, string>>;
}

/**
 * What shows that nothing of an account is new since its history was kept. It was read to its end then, and its bills added up: while the
 * exchange describes it in the same way and lists no new bill, nothing else is new. It is small, so that the history need not be read.
 */
export interface AccountMark {
  /** The id of the history that was kept. */
  readonly history: string;
  /** When the reading began, by this machine's clock in milliseconds since the Unix epoch. */
  readonly began: number;
  /** How the exchange described the account before anything else was read. */
  readonly description: AccountDescription;
  readonly markets: KeptHistory['markets'];
  /** By market whose orders were read: what they had filled. Any command may read other fills later. */
  readonly fills: Readonly<Record<string, KnownFills>>;
  /** From when on bills are asked for, in milliseconds since the Unix epoch. */
  readonly billsFrom: number;
  /** The bills since then. */
  readonly newestBills: readonly Bill[];
  /** The first bill of each day and the last of all, which show the zone of the exchange's dates. */
  readonly dailyBills: readonly Pick<Bill, 'time' | 'timeRaw'>[];
  /** The coins whose deposits and withdrawals the exchange refused to list. */
  readonly refusedCoins: readonly string[];
  /** The coins of bills that cannot be asked for. */
  readonly leftOut: readonly string[];
}

export const EMPTY: KeptHistory = {
  ...{ id: '', markets: {}, bills: [], deposits: {}, withdrawals: {}, zone: null },
  ...{ billsReadAt: 0, unexplained: '', rereadAt: null, matched: null },
};

/** Where it is kept. What cannot be read is not there, and nothing here fails a command. */
export interface KeptStore {
  read(): KeptHistory | undefined;
  /** The mark of what was kept before is not there any more. */
  write(history: KeptHistory): Promise<void>;
  /** What shows that nothing is new since; undefined if the same version of pit has kept none. */
  readMark(): AccountMark | undefined;
  writeMark(mark: AccountMark): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 5;

/**
 * Keeps the history of one account in the cache: a private file that is replaced in one step. An account may have hundreds of thousands of
 * bills, so they are kept as lists of values: that halves the file.
 * @param account as its journal is named, after the exchange and the key
 * @param version of pit: another one may match bills in another way
 */
export function keptStore(
  cache: Pick<Cache, 'read' | 'write' | 'remove'>,
  account: string,
  version: string,
): KeptStore {
  const key = `pnl ${FORMAT} ${account}`;
  const markKey = `pnl mark ${FORMAT} ${account}`;
  return {
    read: () => {
      const text = cache.read(key)?.value;
      if (text === undefined) return undefined;
      const { bills: rows, matchedBy, matched, ...rest } = JSON.parse(text) as Rows & KeptHistory;
      const bills: Bill[] = [];
      // each row can go once it was read: all of them take more memory than the bills
      for (let row = rows.pop(); row !== undefined; row = rows.pop()) bills.push(billOf(row));
      return { ...rest, bills: bills.reverse(), matched: matchedBy === version ? matched : null };
    },
    write: async ({ bills, ...rest }) => {
      const rows: Rows = { bills: bills.map(rowOfBill), matchedBy: version };
      // first: killed after this, what is kept has no mark
      await cache.remove(markKey);
      await cache.write(key, JSON.stringify({ ...rest, ...rows }));
    },
    readMark: () => {
      const text = cache.read(markKey)?.value;
      if (text === undefined) return undefined;
      const { mark, markedBy } = JSON.parse(text) as MarkFile;
      return markedBy === version ? mark : undefined;
    },
    writeMark: (mark) => cache.write(markKey, JSON.stringify({ markedBy: version, mark } satisfies MarkFile)),
  };
}

interface Rows {
  readonly bills: ReturnType<typeof rowOfBill>[];
  /** The version of pit. */
  readonly matchedBy: string;
}

interface MarkFile {
  /** The version of pit. */
  readonly markedBy: string;
  readonly mark: AccountMark;
}

export function rowOfBill({ id, time, timeRaw, coin, type, change, balance, total, remark }: Bill) {
  return [id, time, timeRaw, coin, type, change, balance, total, remark] as const;
}

function billOf([id, time, timeRaw, coin, type, change, balance, total, remark]: Rows['bills'][number]): Bill {
  return { id, time, timeRaw, coin, type, change, balance, total, remark };
}
