import type { Order } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import type { OrderPages } from '../../exchange/exchange.js';
import type { MarketSide } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { datedRead } from './dated-read.js';
import { type OrderEntry, toOpenWrite } from './open-writes.js';
import { expiresAt, type List, listMustReachTo } from './reconcile.js';

/** Most pages read as a side effect of another command. */
const MAX_PAGES = 100;
/** How often a list is read as a side effect further than the command itself needs it. */
const CLOSING_INTERVAL_MS = 60_000;

/** The orders read of one side of a market. */
export interface OrderList extends MarketSide, Omit<List, 'rows'> {
  /** Newest first. */
  readonly orders: readonly Order[];
}

/** How far back a list is read. */
export interface Reach {
  /** The time to which the list must go back, by the list's clock in ms since the Unix epoch; the newest page if absent. */
  readonly to?: number;
  /** Whether it goes back to every request that may still be executed, however many pages that takes. */
  readonly isThorough?: boolean;
}

/**
 * Reads the orders of a side, and far enough back to close every write whose requests have expired. A late order is on the
 * newest page, so nothing else needs more.
 * @throws Failure if not even the first page could be read
 */
export async function readOrderList(
  trading: TradingContext,
  side: MarketSide,
  { to = Number.POSITIVE_INFINITY, isThorough = false }: Reach = {},
): Promise<OrderList> {
  // what the list shows counts even if the archive cannot be read
  const oldest = (await tryRead(async () => oldestToClose(trading, side, isThorough))) ?? Number.POSITIVE_INFINITY;
  const from = Math.min(to, oldest);
  const pages = { from: 1, to: isThorough ? Number.POSITIVE_INFINITY : MAX_PAGES };
  const read = () => trading.client.orders(side.market, side.side, pages, ({ time }) => time < from);
  const { value, began } = await datedRead(trading, read);
  if (oldest < Number.POSITIVE_INFINITY) trading.journal.noteClosing(side);
  return orderList(side, value, began);
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

/**
 * How far back a list closes every settled write whose requests have expired, or with `isAll` every settled write. Infinity if none
 * has, or if that was done a moment ago: otherwise each of many orders in a row would read what all of them made.
 */
function oldestToClose(
  { journal, client, requestLifetimeMs }: TradingContext,
  side: MarketSide,
  isAll: boolean,
): number {
  if (!isAll && journal.sinceClosing(side) < CLOSING_INTERVAL_MS) return Number.POSITIVE_INFINITY;
  const attempts = journal
    .settledEntries(side)
    .filter(({ isClosed }) => !isClosed)
    .flatMap((entry) => toOpenWrite(entry as OrderEntry, true).attempts)
    .filter(({ reqTime }) => isAll || client.now() > expiresAt(reqTime, requestLifetimeMs));
  return Math.min(Number.POSITIVE_INFINITY, ...attempts.map(listMustReachTo));
}
