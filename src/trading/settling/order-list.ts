import type { Order } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import type { OrderPages } from '../../exchange/exchange.js';
import { readOrderHistory } from '../history/order-history.js';
import type { Reader } from '../history/side-reading.js';
import type { MarketSide, RecordedWrite } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { datedRead } from './dated-read.js';
import { type OrderEntry, toOpenWrite } from './open-writes.js';
import { expiresAt, type List, SLACK_MS } from './reconcile.js';

/** Most pages that are read to close settled writes as a side effect of another command. */
const MAX_PAGES = 100;

/** The orders read of one side of a market. */
export interface OrderList extends MarketSide, Omit<List, 'rows'> {
  /** Newest first. */
  readonly orders: readonly Order[];
}

/**
 * Reads the orders of a side and, once a minute at most, far enough back to close every settled write: otherwise each of many orders
 * in a row would read what all of them made. A late order is on the newest page, so nothing else needs more.
 *
 * @param to the time to which the list must go back, by its clock in ms since the Unix epoch (default: the newest page is enough)
 * @throws Failure if not even the first page could be read
 */
export async function readOrderList(
  trading: TradingContext,
  side: MarketSide,
  to = Number.POSITIVE_INFINITY,
): Promise<OrderList> {
  // what the list shows counts even if the archive cannot be read
  const { journal, client, requestLifetimeMs } = trading;
  const isOver = ({ reqTime }: RecordedWrite) => client.now() > expiresAt(reqTime, requestLifetimeMs);
  const due = await tryRead(async () => (journal.isListDue(side, isOver) ? openSince(trading, side) : to));
  const from = Math.min(to, due ?? to);
  const maxPages = from < to ? MAX_PAGES : Number.POSITIVE_INFINITY;
  return readListBackTo(trading, side, ({ time }) => time < from, { maxPages });
}

/** The time from which on a list shows all that its settled writes have made which are not closed; Infinity if all are. */
export function openSince({ journal }: TradingContext, side: MarketSide): number {
  const attempts = journal
    .settledEntries(side)
    .filter(({ isClosed }) => !isClosed)
    .flatMap((entry) => toOpenWrite(entry as OrderEntry, true).attempts);
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...attempts.map(({ reqTime, checkedTo }) => (checkedTo ?? reqTime) - SLACK_MS),
  );
}

/** What of a list is read. */
interface ListOptions {
  readonly maxPages?: number;
  /** Reads each page from the exchange, whatever is known: what is to prove that an order is not there may take nothing for known. */
  readonly isWhole?: boolean | undefined;
}

/**
 * Reads the orders of a side until one of them is the last that is wanted. Of those that were known before, the ones that may be open
 * are as they were seen last. Throws Failure if not even the first page could be read.
 */
export async function readListBackTo(
  trading: Reader,
  side: MarketSide,
  isLast: (order: Order) => boolean,
  { maxPages = Number.POSITIVE_INFINITY, isWhole }: ListOptions = {},
): Promise<OrderList & Pick<OrderPages, 'failure'>> {
  const isEnough = (orders: readonly Order[]) => orders.slice(-1).some(isLast);
  const read = () => readOrderHistory(trading, side, { isEnough, maxPages, isWhole, asksForOpen: false });
  const { value: pages, began } = await datedRead(trading, read);
  return { ...orderList(side, pages, began), failure: pages.failure };
}

/** Pages that were read from the first one on, as a list. */
export function orderList(
  { market, side }: MarketSide,
  { orders, more, failure }: OrderPages,
  began: number,
): OrderList {
  const oldest = orders.at(-1)?.time;
  const isWhole = !more && failure === null;
  const since = isWhole ? Number.NEGATIVE_INFINITY : (oldest ?? Number.POSITIVE_INFINITY) + 1;
  return { market, side, orders, began, since };
}
