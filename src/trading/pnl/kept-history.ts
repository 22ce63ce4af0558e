import type { Cache } from '../../config/cache.js';
import { Decimal } from '../../domain/decimal.js';
import type { Bill, Deposit, Withdrawal } from '../../domain/funds.js';
import type { AccountHistory, FilledOrder } from './account-history.js';

/** An order that has filled or may still fill. */
export interface KeptOrder extends FilledOrder {
  readonly isOpen: boolean;
}

/** What was read of an account. A closed order and a bill never change, and neither does a deposit or withdrawal that has ended. */
export interface KeptHistory extends Pick<AccountHistory, 'bills'> {
  readonly orders: readonly KeptOrder[];
  /** By coin, newest first. */
  readonly deposits: Readonly<Record<string, readonly Deposit[]>>;
  readonly withdrawals: Readonly<Record<string, readonly Withdrawal[]>>;
  /** The zone that the profile names for the exchange's dates: it decides when deposits were; null if it names none. */
  readonly zone: string | null;
  /** The bills that are older than this moment are here, in milliseconds since the Unix epoch. */
  readonly billsReadAt: number;
  /** By market: the orders that were placed before this moment are here, in milliseconds since the Unix epoch. */
  readonly ordersReadAt: Readonly<Record<string, number>>;
  /** What a whole read could not explain, as text: while it is the same, another whole read would not explain it either. */
  readonly unexplained: string;
}

export const EMPTY: KeptHistory = {
  ...{ orders: [], bills: [], deposits: {}, withdrawals: {}, zone: null },
  ...{ billsReadAt: 0, ordersReadAt: {}, unexplained: '' },
};

export interface KeptStore {
  read(): KeptHistory | undefined;
  write(history: KeptHistory): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 2;

/**
 * Keeps the history of one account in the cache: a private file that is replaced in one step. An account may have hundreds of thousands of
 * bills, so they are kept as lists of values: that halves the file.
 * @param account as its journal is named, after the exchange and the key
 */
export function keptStore(cache: Pick<Cache, 'read' | 'write'>, account: string): KeptStore {
  const key = `pnl ${FORMAT} ${account}`;
  return {
    read: () => {
      const text = cache.read(key)?.value;
      if (text === undefined) return undefined;
      const { bills, orders, ...rest } = JSON.parse(text) as Rows & KeptHistory;
      return { ...rest, bills: bills.map(billOf), orders: orders.map(orderOf) };
    },
    write: ({ bills, orders, ...rest }) => {
      const rows: Rows = { bills: bills.map(rowOfBill), orders: orders.map(rowOfOrder) };
      return cache.write(key, JSON.stringify({ ...rest, ...rows }));
    },
  };
}

interface Rows {
  readonly bills: readonly ReturnType<typeof rowOfBill>[];
  readonly orders: readonly ReturnType<typeof rowOfOrder>[];
}

function rowOfBill({ id, time, timeRaw, coin, type, change, balance, total, remark }: Bill) {
  return [id, time, timeRaw, coin, type, change, balance, total, remark] as const;
}

function billOf([id, time, timeRaw, coin, type, change, balance, total, remark]: Rows['bills'][number]): Bill {
  return { id, time, timeRaw, coin, type, change, balance, total, remark };
}

function rowOfOrder({ id, market, side, price, filled, filledValue, fee, feeCoin, time, isOpen }: KeptOrder) {
  return [id, market, side, price, filled, filledValue, fee, feeCoin, time, isOpen] as const;
}

function orderOf(row: Rows['orders'][number]): KeptOrder {
  const [id, market, side, price, filled, filledValue, fee, feeCoin, time, isOpen] = row;
  return { id, market, side, price, filled, filledValue, fee, feeCoin, time, isOpen };
}

export function filledOrders({ orders }: KeptHistory): readonly FilledOrder[] {
  return orders.filter(({ filled }) => Decimal.of(filled).sign > 0);
}
