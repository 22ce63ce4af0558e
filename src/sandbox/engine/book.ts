import type { OrderType, Side } from '../../domain/order.js';

/**
 * What the book knows of an order. Prices are in ticks, amounts in lots: whole numbers of the market's smallest steps. Ids
 * increase with time, so the id alone decides who came first at a price.
 */
export interface BookOrder {
  readonly id: bigint;
  readonly side: Side;
  readonly price: bigint;
  /** Lots that have not traded. The book reduces it. */
  remaining: bigint;
}

/** What a submitted order caused, in order. A trade is at the maker's price. */
export type BookEvent<Order extends BookOrder> =
  | {
      readonly kind: 'traded';
      readonly maker: Order;
      readonly taker: Order;
      readonly price: bigint;
      readonly amount: bigint;
    }
  | { readonly kind: 'rested'; readonly order: Order }
  | { readonly kind: 'cancelled'; readonly order: Order };

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** The resting orders at one price, oldest first. */
export interface Level<Order extends BookOrder> {
  readonly price: bigint;
  /** The remaining lots of all its orders. */
  amount: bigint;
  /** By id. A Map keeps insertion order, which is the time priority. */
  readonly orders: Map<bigint, Order>;
}

/**
 * One side of a book: its levels sorted by price. The best is at the end of the array, because most changes are near the best
 * price and then move few elements.
 */
class BookSide<Order extends BookOrder> {
  readonly #side: Side;

  readonly #levels: Level<Order>[] = [];

  constructor(side: Side) {
    this.#side = side;
  }

  best(): Level<Order> | undefined {
    return this.#levels[this.#levels.length - 1];
  }

  /** Whether an order of the other side at `price` would trade with a level at the price `level`. */
  reaches(price: bigint, level: bigint): boolean {
    return this.#side === 'buy' ? price <= level : price >= level;
  }

  add(order: Order): void {
    const index = this.#position(order.price);
    let level = this.#levels[index];
    if (level?.price !== order.price) {
      level = { price: order.price, amount: 0n, orders: new Map() };
      this.#levels.splice(index, 0, level);
    }
    level.orders.set(order.id, order);
    level.amount += order.remaining;
  }

  /** Whether the order was there. */
  remove(order: Order): boolean {
    const index = this.#position(order.price);
    const level = this.#levels[index];
    if (level?.price !== order.price || !level.orders.delete(order.id)) return false;
    level.amount -= order.remaining;
    if (level.orders.size === 0) this.#levels.splice(index, 1);
    return true;
  }

  dropBest(): void {
    this.#levels.pop();
  }

  /** The levels from the best outwards. */
  *[Symbol.iterator](): Generator<Level<Order>> {
    for (let index = this.#levels.length - 1; index >= 0; index -= 1) {
      const level = this.#levels[index];
      if (level !== undefined) yield level;
    }
  }

  /** The index where a level of this price is or belongs. */
  #position(price: bigint): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.#levels[middle];
      if (level !== undefined && this.#isWorse(level.price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isWorse(a: bigint, b: bigint): boolean {
    return this.#side === 'buy' ? a < b : a > b;
  }
}

/**
 * The order book of one market, matching by price, then time. It is pure: no clock, no randomness, no money. Whether an order
 * is allowed and funded is decided before.
 */
export class Book<Order extends BookOrder> {
  /** Changes whenever the book may have changed. */
  revision = 0;
  readonly #sides = { buy: new BookSide<Order>('buy'), sell: new BookSide<Order>('sell') };

  /**
   * Matches an order, then rests the remainder, or drops that of an IOC order. A PostOnly order is submitted only if it does not
   * cross ({@link crosses}).
   */
  submit(order: Order, execution: OrderType): BookEvent<Order>[] {
    this.revision += 1;
    const events = this.#match(order);
    if (order.remaining === 0n) return events;
    if (execution === 'ioc') {
      events.push({ kind: 'cancelled', order });
      return events;
    }
    this.#sides[order.side].add(order);
    events.push({ kind: 'rested', order });
    return events;
  }

  /** Puts back a stored order. Orders of one price must come in the order of their ids. */
  restore(order: Order): void {
    this.revision += 1;
    this.#sides[order.side].add(order);
  }

  /** Removes a resting order. Whether it was resting. */
  cancel(order: Order): boolean {
    this.revision += 1;
    return this.#sides[order.side].remove(order);
  }

  /** Whether an order of this side and price would trade at once. */
  crosses(side: Side, price: bigint): boolean {
    const otherSide = this.#sides[opposite(side)];
    const best = otherSide.best();
    return best !== undefined && otherSide.reaches(price, best.price);
  }

  best(side: Side): Level<Order> | undefined {
    return this.#sides[side].best();
  }

  /** The levels of a side from the best outwards. */
  levels(side: Side): Iterable<Level<Order>> {
    return this.#sides[side];
  }

  #match(taker: Order): BookEvent<Order>[] {
    const otherSide = this.#sides[opposite(taker.side)];
    const events: BookEvent<Order>[] = [];
    while (taker.remaining > 0n) {
      const level = otherSide.best();
      if (level === undefined || !otherSide.reaches(taker.price, level.price)) break;
      takeFrom(level, taker, events);
      if (level.orders.size === 0) otherSide.dropBest();
    }
    return events;
  }
}

function takeFrom<Order extends BookOrder>(level: Level<Order>, taker: Order, events: BookEvent<Order>[]): void {
  for (const maker of level.orders.values()) {
    if (taker.remaining === 0n) return;
    const amount = lesser(maker.remaining, taker.remaining);
    maker.remaining -= amount;
    taker.remaining -= amount;
    level.amount -= amount;
    if (maker.remaining === 0n) level.orders.delete(maker.id);
    events.push({ kind: 'traded', maker, taker, price: level.price, amount });
  }
}

function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
