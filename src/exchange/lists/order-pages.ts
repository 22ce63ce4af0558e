import type { Order, Side } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { ORDERS_PER_PAGE } from '../facts.js';
import { type GrowingList, type PageSpan, pagesInOrder } from './growing-pages.js';

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

export interface OrderPages {
  /** Newest first, as the exchange lists them (observed). */
  readonly orders: readonly Order[];
  /** Whether there are older orders that were not requested. */
  readonly more: boolean;
  /** Why some pages could not be read. */
  readonly failure: Failure | null;
}

/**
 * Reads the orders of one side of a market, until there are no more, or until `isEnough` returns true for the last order of a page. New
 * orders push others to later pages meanwhile; each order is returned once. Throws Failure if not even the first page could be read:
 * `unreachable`, `limited`, `refused`, `credentials`, or `internal` for an answer that is not what the interface says.
 */
export async function readOrderPages(
  source: OrderSource,
  market: string,
  side: Side,
  span: PageSpan,
  isEnough: (last: Order) => boolean = () => false,
): Promise<OrderPages> {
  const orders: Order[] = [];
  let more: boolean | undefined;
  const isLast = (rows: readonly Order[]) => rows.slice(-1).some(isEnough);
  try {
    for await (const { fresh, hasOlder } of eachOrderPage(source, market, side, isLast, span)) {
      orders.push(...fresh);
      more = hasOlder;
    }
  } catch (error) {
    if (more === undefined || !(error instanceof Failure)) throw error;
    return { orders, more: true, failure: error };
  }
  return { orders, more: more ?? true, failure: null };
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
  span?: PageSpan,
): AsyncGenerator<OrderPage> {
  const isLast = (orders: readonly Order[]) => isLastOrderPage(orders) || isEnough(orders);
  for await (const { rows, fresh } of pagesInOrder({ ...orderList(source, market, side), isLast }, undefined, span))
    yield { rows, fresh, hasOlder: !isLastOrderPage(rows) };
}
