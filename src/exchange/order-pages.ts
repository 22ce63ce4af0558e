import type { Order, Side } from '../domain/order.js';
import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';
import { Sameness } from './growing-pages.js';

/** "Returns 10 records per request." */
export const PAGE_SIZE = 10;

/** Pages count from 1; both ends are included. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

export interface OrderPages {
  /** Newest first, as the exchange lists them (observed). */
  readonly records: readonly Order[];
  /** There are older orders that were not requested. */
  readonly more: boolean;
  /** Why some pages could not be read. */
  readonly failure: Failure | null;
}

/**
 * Reads the orders of one side of a market page by page, until there are no more or `isEnough` says of a page's last order
 * that none after it is wanted. New orders push others to later pages meanwhile; each order is returned once. Throws
 * Failure as any read if not even the first page could be read.
 */
export async function readOrderPages(
  client: ExchangeClient,
  market: string,
  side: Side,
  { from, to }: Extent,
  isEnough: (last: Order) => boolean = () => false,
): Promise<OrderPages> {
  const records: Order[] = [];
  const known = new Set<string>();
  const sameness = new Sameness<Order>((rows) => rows.map(({ id }) => id).join());
  for (let page = from; page <= to; page += 1) {
    const read = async () => {
      const rows = await client.orderPage(market, side, page);
      sameness.check(rows);
      return rows;
    };
    const found = await read().catch((error: unknown) => laterFailure(error, page > from));
    if (found instanceof Failure) return { records, more: true, failure: found };
    records.push(...found.filter(({ id }) => !known.has(id)));
    for (const { id } of found) known.add(id);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE_SIZE) return { records, more: false, failure: null };
    if (isEnough(last)) break;
  }
  return { records, more: true, failure: null };
}

function laterFailure(error: unknown, isLater: boolean): Failure {
  if (isLater && error instanceof Failure) return error;
  throw error;
}
