import type { BookOrder, Side } from './order.js';

/** The orders that wait at one price, first come first. */
export interface Level<Order extends BookOrder> {
  readonly price: bigint;
  /** The sum of what the orders have left, in lots. */
  amount: bigint;
  /** By id; a Map keeps the order of arrival, which is the time priority. */
  readonly orders: Map<bigint, Order>;
}

/**
 * One side of a book: its levels sorted by price. The best is at the end of the array, so that the changes near the
 * best price, which are most of them, move few elements.
 */
export class Ladder<Order extends BookOrder> {
  private readonly levels: Level<Order>[] = [];

  constructor(private readonly side: Side) {}

  get size(): number {
    return this.levels.length;
  }

  best(): Level<Order> | undefined {
    return this.levels[this.levels.length - 1];
  }

  /** Whether an order of the other side at `price` would trade with the level at `own`. */
  reaches(price: bigint, own: bigint): boolean {
    return this.side === 'buy' ? price <= own : price >= own;
  }

  add(order: Order): void {
    const index = this.position(order.price);
    let level = this.levels[index];
    if (level?.price !== order.price) {
      level = { price: order.price, amount: 0n, orders: new Map() };
      this.levels.splice(index, 0, level);
    }
    level.orders.set(order.id, order);
    level.amount += order.remaining;
  }

  /** Takes an order out; whether it was there. */
  remove(order: Order): boolean {
    const index = this.position(order.price);
    const level = this.levels[index];
    if (level?.price !== order.price || !level.orders.delete(order.id)) return false;
    level.amount -= order.remaining;
    if (level.orders.size === 0) this.levels.splice(index, 1);
    return true;
  }

  dropBest(): void {
    this.levels.pop();
  }

  /** The levels from the best outwards. */
  *[Symbol.iterator](): Generator<Level<Order>> {
    for (let index = this.levels.length - 1; index >= 0; index -= 1) {
      const level = this.levels[index];
      if (level !== undefined) yield level;
    }
  }

  /** Where a level of this price is, or belongs. */
  private position(price: bigint): number {
    let low = 0;
    let high = this.levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.levels[middle];
      if (level !== undefined && this.isWorse(level.price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isWorse(a: bigint, b: bigint): boolean {
    return this.side === 'buy' ? a < b : a > b;
  }
}
