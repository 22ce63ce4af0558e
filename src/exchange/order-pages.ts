import type { Order, Side } from '../domain/order.js';
import { Failure } from '../errors.js';
import { ORDERS_PER_PAGE } from './facts.js';
import { type GrowingList, PageReader, pagesInOrder } from './growing-pages.js';

/** Where the pages of orders come from. */
export interface OrderSource {
  orderPage(market: string, side: Side, page: number): Promise<readonly Order[]>;
}

/** The orders of one side of a market. An order is its id: the rest of it may change while pages are read. */
function orderList(source: OrderSource, market: string, side: Side): GrowingList<Order> {
  return {
    read: (page) => source.orderPage(market, side, page),
    identity: ({ id }) => id,
    isUnique: true,
    // an order that is missing may be placed again, so none is left out because of its time
    time: () => Number.NaN,
    isLast: isLastOrderPage,
  };
}

function isLastOrderPage(orders: readonly Order[]): boolean {
  return orders.length < ORDERS_PER_PAGE;
}

/** Pages count from 1; both ends are included. */
export interface OrderExtent {
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
  source: OrderSource,
  market: string,
  side: Side,
  { from, to }: OrderExtent,
  isEnough: (last: Order) => boolean = () => false,
): Promise<OrderPages> {
  const orders: Order[] = [];
  const reader = new PageReader(orderList(source, market, side));
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

/** A page of orders, newest first. */
export interface OrderPage {
  /** As the exchange sent them. */
  readonly rows: readonly Order[];
  /** Those that no earlier page has. */
  readonly fresh: readonly Order[];
  /** Whether there are older orders. */
  readonly hasOlder: boolean;
}

/**
 * The pages of orders of one side of a market, until there are no more or until `isEnough` returns true for a page. Each order
 * is fresh once. Throws Failure as {@link readOrderPages}.
 */
export async function* eachOrderPage(
  source: OrderSource,
  market: string,
  side: Side,
  isEnough: (orders: readonly Order[]) => boolean,
): AsyncGenerator<OrderPage> {
  const isLast = (orders: readonly Order[]) => isLastOrderPage(orders) || isEnough(orders);
  for await (const { rows, fresh } of pagesInOrder({ ...orderList(source, market, side), isLast }))
    yield { rows, fresh, hasOlder: !isLastOrderPage(rows) };
}
