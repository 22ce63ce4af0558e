import type { Cache } from '../../config/cache.js';
import { Decimal } from '../../domain/decimal.js';
import type { AccountHistory, FilledOrder } from './account-history.js';

/** An order that has filled or may still fill. */
export interface KeptOrder extends FilledOrder {
  readonly isOpen: boolean;
}

/** What was read of an account. A closed order and a bill never change. */
export interface KeptHistory extends Pick<AccountHistory, 'bills'> {
  readonly orders: readonly KeptOrder[];
  /** The bills that are older than this moment are here, in milliseconds since the Unix epoch. */
  readonly billsReadAt: number;
  /** By market: the orders that were placed before this moment are here, in milliseconds since the Unix epoch. */
  readonly ordersReadAt: Readonly<Record<string, number>>;
  /** What a whole read could not explain, as text: while it is the same, another whole read would not explain it either. */
  readonly unexplained: string;
}

export const EMPTY: KeptHistory = { orders: [], bills: [], billsReadAt: 0, ordersReadAt: {}, unexplained: '' };

export interface KeptStore {
  read(): KeptHistory | undefined;
  write(history: KeptHistory): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 1;

/**
 * Keeps the history of one account in the cache: a private file that is replaced in one step.
 * @param account as its journal is named, after the exchange and the key
 */
export function keptStore(cache: Pick<Cache, 'read' | 'write'>, account: string): KeptStore {
  const key = `pnl ${FORMAT} ${account}`;
  return {
    read: () => {
      const text = cache.read(key)?.value;
      return text === undefined ? undefined : (JSON.parse(text) as KeptHistory);
    },
    write: (history) => cache.write(key, JSON.stringify(history)),
  };
}

export function filledOrders({ orders }: KeptHistory): readonly FilledOrder[] {
  return orders.filter(({ filled }) => Decimal.of(filled).sign > 0);
}
