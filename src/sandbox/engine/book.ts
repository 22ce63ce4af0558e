import { Ladder, type Level } from './ladder.js';
import { type BookEvent, type BookOrder, type Execution, opposite, type Side } from './order.js';

/**
 * The order book of one market and its matching by price, then time. It is pure: no clock, no chance, no money.
 * Whether an order is allowed and paid for is decided before it comes here.
 */
export class Book<Order extends BookOrder> {
  /** Another number whenever the book may have become another. */
  revision = 0;
  private readonly sides = { buy: new Ladder<Order>('buy'), sell: new Ladder<Order>('sell') };

  /** Matches an order and rests or drops what is left of it, as its execution says. */
  submit(order: Order, execution: Execution): BookEvent<Order>[] {
    this.revision += 1;
    if (execution === 'postOnly' && this.crosses(order.side, order.price)) return [{ kind: 'refused', order }];
    const events = this.match(order);
    if (order.remaining === 0n) return events;
    if (execution === 'ioc') {
      events.push({ kind: 'cancelled', order });
      return events;
    }
    this.sides[order.side].add(order);
    events.push({ kind: 'rested', order });
    return events;
  }

  /** Puts back an order that was resting before; orders of one price must come in the order of their ids. */
  restore(order: Order): void {
    this.revision += 1;
    this.sides[order.side].add(order);
  }

  /** Takes a resting order out; whether it was resting. */
  cancel(order: Order): boolean {
    this.revision += 1;
    return this.sides[order.side].remove(order);
  }

  /** Whether an order of this side and price would trade at once. */
  crosses(side: Side, price: bigint): boolean {
    const ladder = this.sides[opposite(side)];
    const best = ladder.best();
    return best !== undefined && ladder.reaches(price, best.price);
  }

  best(side: Side): Level<Order> | undefined {
    return this.sides[side].best();
  }

  /** The levels of a side from the best outwards. */
  levels(side: Side): Iterable<Level<Order>> {
    return this.sides[side];
  }

  /** How many levels a side has. */
  height(side: Side): number {
    return this.sides[side].size;
  }

  private match(taker: Order): BookEvent<Order>[] {
    const ladder = this.sides[opposite(taker.side)];
    const events: BookEvent<Order>[] = [];
    while (taker.remaining > 0n) {
      const level = ladder.best();
      if (level === undefined || !ladder.reaches(taker.price, level.price)) break;
      takeFrom(level, taker, events);
      if (level.orders.size === 0) ladder.dropBest();
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
