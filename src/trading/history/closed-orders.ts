import type { Order } from '../../domain/order.js';
import type { MarketSide } from '../journal/write.js';
import type { ClosedOrders, KnownSides } from './known-side.js';

/** How many orders a part has. Twice as many recent ones are kept at most, and at least one page of them shows whether a list is the same. */
const ORDERS_PER_PART = 100;

/** Some closed orders were kept and cannot be read any more. */
export class LostOrders extends Error {}

/**
 * Closed orders that are kept, newest first, and others among them. A part is read once its orders are needed.
 * @throws LostOrders if one cannot be read
 */
export function* newestFirst(
  sides: KnownSides | undefined,
  side: MarketSide,
  { recent, parts }: ClosedOrders,
  others: readonly Order[] = [],
): Generator<Order, void> {
  const unread = parts
    .map((part, index) => ({ part, index }))
    .sort((one, other) => one.part.newest - other.part.newest);
  // the next one is the last
  let waiting = sorted([...recent, ...others]).reverse();
  for (;;) {
    for (let next = unread.at(-1); next !== undefined; next = unread.at(-1)) {
      const newest = waiting.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
      if (next.part.newest < newest) break;
      unread.pop();
      const orders = sides?.readPart(side, next.index, next.part);
      if (orders === undefined) throw new LostOrders();
      waiting = sorted([...waiting.reverse(), ...orders]).reverse();
    }
    const order = waiting.pop();
    if (order === undefined) return;
    yield order;
  }
}

/** Every closed order of a side that can be read. */
export function readable(sides: KnownSides, side: MarketSide, { recent, parts }: ClosedOrders): Order[] {
  return [...recent, ...parts.flatMap((part, index) => sides.readPart(side, index, part) ?? [])];
}

/**
 * Writes the oldest orders to parts if there are many, and returns what is kept then.
 * @param orders newest first
 * @param readTo only orders that were placed before this moment are written to parts
 */
export async function inParts(
  sides: KnownSides,
  side: MarketSide,
  { orders, parts: before }: { readonly orders: readonly Order[]; readonly parts: ClosedOrders['parts'] },
  readTo: number,
): Promise<ClosedOrders> {
  const recent = [...orders];
  const parts = [...before];
  const firstFinal = recent.findIndex(({ time }) => time < readTo);
  const final = firstFinal === -1 ? 0 : recent.length - firstFinal;
  for (let count = final; count >= 2 * ORDERS_PER_PART; count -= ORDERS_PER_PART) {
    const part = await sides.writePart(side, parts.length, recent.slice(-ORDERS_PER_PART));
    // on a full disk they stay where they are
    if (part === undefined) break;
    parts.push(part);
    recent.length -= ORDERS_PER_PART;
  }
  return { recent, parts };
}

/** Newest first; those of the same time stay in their order. */
export function sorted(orders: readonly Order[]): Order[] {
  return orders.toSorted((one, other) => other.time - one.time);
}
