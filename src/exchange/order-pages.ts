import type { Order, Side } from '../domain/order.js';
import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';
import { type GrowingList, PageReader } from './growing-pages.js';

/** "Returns 10 records per request." */
export const PAGE_SIZE = 10;

/** The orders of one side of a market. An order is its id: the rest of it may change while pages are read. */
export function orderList(client: ExchangeClient, market: string, side: Side): GrowingList<Order> {
  return {
    read: (page) => client.orderPage(market, side, page),
    identity: ({ id }) => id,
    isUnique: true,
    time: ({ time }) => time,
    isLast: isLastOrderPage,
  };
}

function isLastOrderPage(orders: readonly Order[]): boolean {
  return orders.length < PAGE_SIZE;
}

/** Pages count from 1; both ends are included. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

export interface OrderPages {
  /** Newest first, as the exchange lists them (observed). */
  readonly orders: readonly Order[];
  /** Whether there are older orders that were not requested. */
  readonly more: boolean;
  /** Why some pages could not be read. */
  readonly failure: Failure | null;
}

/**
 * Reads the orders of one side of a market page by page, until there are no more, or until `isEnough` returns true for
 * the last order of a page. New orders push others to later pages meanwhile; each order is returned once. Throws
 * Failure if not even the first page could be read: `unreachable`, `limited`, `refused`, `credentials`, or `internal` for an
 * answer that is not what the interface says.
 */
export async function readOrderPages(
  client: ExchangeClient,
  market: string,
  side: Side,
  { from, to }: Extent,
  isEnough: (last: Order) => boolean = () => false,
): Promise<OrderPages> {
  const orders: Order[] = [];
  // an order that is missing may be placed again, so none is left out because of its time
  const time = () => Number.NaN;
  const reader = new PageReader({ ...orderList(client, market, side), time });
  for (let page = from; page <= to; page += 1) {
    const found = await reader.read(page).catch((error: unknown) => laterFailure(error, page > from));
    if (found instanceof Failure) return { orders, more: true, failure: found };
    orders.push(...found.fresh);
    const last = found.rows.at(-1);
    if (last === undefined || isLastOrderPage(found.rows)) return { orders, more: false, failure: null };
    if (isEnough(last)) break;
  }
  return { orders, more: true, failure: null };
}

function laterFailure(error: unknown, isLater: boolean): Failure {
  if (isLater && error instanceof Failure) return error;
  throw error;
}
