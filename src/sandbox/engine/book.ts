import { type OrderType, SIDES, type Side } from '../../domain/order.js';

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
  /** While it rests in a recorded book. */
  queue?: QueuePlace | undefined;
}

/** Where an order stands among the recorded lots of its price. */
export interface QueuePlace {
  /** Recorded lots that stand before it; null while its price lies beyond the recorded levels. */
  ahead: bigint | null;
  /** How many of them left as recorded books showed its level shrink, and when the newest such book was made (ms). */
  shrunk: bigint;
  shrunkAt: number;
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
  /** A trade with recorded lots, which belong to no order of this book. */
  | {
      readonly kind: 'met';
      readonly order: Order;
      readonly isTaker: boolean;
      readonly price: bigint;
      readonly amount: bigint;
    }
  /** Its place in the queue has changed. */
  | { readonly kind: 'moved'; readonly order: Order }
  | { readonly kind: 'rested'; readonly order: Order }
  | { readonly kind: 'cancelled'; readonly order: Order };

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** How one side of a recorded book changes, in ticks and lots. */
export interface RecordedChange {
  /** The levels that changed; one that is gone has 0 lots. */
  readonly levels: readonly (readonly [price: bigint, lots: bigint])[];
  /** The worst recorded price; null if the side is empty. What lies beyond it is unknown. */
  readonly worst: bigint | null;
}

export type RecordedChanges = Readonly<Record<Side, RecordedChange>>;

/** How a recorded book will be: its levels, and the best price of each side. */
export interface LaterRecording {
  readonly changes: () => RecordedChanges;
  readonly best: (side: Side) => bigint | undefined;
}

interface RecordedSide {
  worst: bigint | null;
  /** What is left of the recorded lots, by price. */
  readonly lots: Map<bigint, bigint>;
  /** What orders took of them, by price. It stays taken until the level is gone. */
  readonly taken: Map<bigint, bigint>;
}

/** The recorded levels of a book: plain data, which the book changes in place. */
export interface RecordedBook extends Readonly<Record<Side, RecordedSide>> {
  /** Whether orders queue behind the recorded lots. They do not behind levels that are made up around a price. */
  hasQueue: boolean;
  /** How many lots orders may still fill, if the levels are made up: what was traded less what they have filled. */
  left?: bigint;
}

export function emptyRecordedBook(): RecordedBook {
  const side = () => ({ worst: null, lots: new Map(), taken: new Map() });
  return { hasQueue: false, buy: side(), sell: side() };
}

/** What stands at one price: resting orders, oldest first, and recorded lots. */
export interface PriceLevel<Order extends BookOrder> {
  readonly price: bigint;
  /** The remaining lots of all its orders, and the recorded ones. */
  amount: bigint;
  recorded: bigint;
  /** By id. A Map keeps insertion order, which is the time priority. */
  readonly orders: Map<bigint, Order>;
}

/**
 * One side of a book: its levels sorted by price. The best is at the end of the array, because most changes are near the best
 * price and then move few elements.
 */
class BookSide<Order extends BookOrder> {
  readonly #side: Side;

  readonly #levels: PriceLevel<Order>[] = [];

  constructor(side: Side) {
    this.#side = side;
  }

  best(): PriceLevel<Order> | undefined {
    return this.#levels[this.#levels.length - 1];
  }

  /** Whether an order of the other side at `price` would trade with a level at the price `level`. */
  reaches(price: bigint, level: bigint): boolean {
    return this.#side === 'buy' ? price <= level : price >= level;
  }

  add(order: Order): void {
    const level = this.#levelAt(order.price);
    level.orders.set(order.id, order);
    level.amount += order.remaining;
  }

  /** Sets the recorded lots of a price. */
  record(price: bigint, lots: bigint): void {
    const level = this.#levelAt(price);
    level.amount += lots - level.recorded;
    level.recorded = lots;
    this.#dropIfEmpty(level);
  }

  /** Takes lots off a resting order, which leaves the book with its last one. */
  reduce(order: Order, lots: bigint): void {
    const level = this.#levelAt(order.price);
    order.remaining -= lots;
    level.amount -= lots;
    if (order.remaining === 0n) level.orders.delete(order.id);
    this.#dropIfEmpty(level);
  }

  /** Whether the order was there. */
  remove(order: Order): boolean {
    const level = this.#levels[this.#position(order.price)];
    if (!level?.orders.delete(order.id)) return false;
    level.amount -= order.remaining;
    this.#dropIfEmpty(level);
    return true;
  }

  #levelAt(price: bigint): PriceLevel<Order> {
    const index = this.#position(price);
    const found = this.#levels[index];
    if (found?.price === price) return found;
    const level = { price, amount: 0n, recorded: 0n, orders: new Map() };
    this.#levels.splice(index, 0, level);
    return level;
  }

  #dropIfEmpty(level: PriceLevel<Order>): void {
    if (isEmpty(level)) this.#levels.splice(this.#position(level.price), 1);
  }

  dropBest(): void {
    this.#levels.pop();
  }

  /** The levels from the best outwards. */
  *[Symbol.iterator](): Generator<PriceLevel<Order>> {
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
      if (level !== undefined && this.isWorse(level.price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isWorse(a: bigint, b: bigint): boolean {
    return this.#side === 'buy' ? a < b : a > b;
  }
}

/**
 * The order book of one market, matching by price, then time. It is pure: no clock, no randomness, no money. Whether an order
 * is allowed and funded is decided before.
 *
 * It can follow a recording: then it also has the recorded levels, which stand for orders of others. An order
 * that rests stands behind the lots that its price has then. It moves forward when a recorded trade at its price takes them, when its
 * recorded level shrinks below what stood before it, and when a trade passes its price. Of lots that go, those behind it are
 * taken to go first: anything else would flatter.
 */
export class OrderBook<Order extends BookOrder> {
  /** Changes whenever the book may have changed. */
  revision = 0;
  readonly #sides = { buy: new BookSide<Order>('buy'), sell: new BookSide<Order>('sell') };
  #recording: RecordedBook | undefined;
  /** The resting orders of a book that follows a recording, oldest first. */
  readonly #queued = new Set<Order>();
  #later: LaterRecording | undefined;
  /** What the levels are after {@link #later}, if there is nothing else in the book. */
  #shownLater: Readonly<Record<Side, readonly PriceLevel<Order>[]>> | undefined;

  /**
   * Matches an order, then rests the remainder, or drops that of an IOC order. A PostOnly order is submitted only if it does not
   * cross ({@link crosses}).
   */
  submit(order: Order, execution: OrderType): BookEvent<Order>[] {
    this.revision += 1;
    this.#recordNow();
    const events = this.#match(order);
    this.#trim();
    if (order.remaining === 0n) return events;
    if (execution === 'ioc') {
      events.push({ kind: 'cancelled', order });
      return events;
    }
    this.#sides[order.side].add(order);
    this.#enqueue(order);
    events.push({ kind: 'rested', order });
    return events;
  }

  /** Puts back a stored order. Orders of one price must come in the order of their ids. */
  restore(order: Order): void {
    this.revision += 1;
    this.#sides[order.side].add(order);
    this.#enqueue(order);
  }

  /** Removes a resting order. Whether it was resting. */
  cancel(order: Order): boolean {
    this.revision += 1;
    // levels that it reaches are left out as long as it rests
    this.#recordNow();
    this.#queued.delete(order);
    return this.#sides[order.side].remove(order);
  }

  /** Whether an order of this side and price would trade at once. */
  crosses(side: Side, price: bigint): boolean {
    this.#recordNow();
    const otherSide = this.#sides[opposite(side)];
    const best = otherSide.best();
    return best !== undefined && otherSide.reaches(price, best.price);
  }

  best(side: Side): PriceLevel<Order> | undefined {
    const waiting = this.#waiting;
    if (waiting !== undefined) return waiting[side][0];
    this.#recordNow();
    return this.#sides[side].best();
  }

  /** The best price of a side. */
  bestPrice(side: Side): bigint | undefined {
    if (this.#later === undefined || this.#recording === undefined || this.#recording[side].taken.size > 0)
      return this.best(side)?.price;
    const [recorded, own] = [this.#later.best(side), this.bestQueued(side)];
    if (recorded === undefined || own === undefined) return recorded ?? own;
    return this.#sides[side].isWorse(recorded, own) ? own : recorded;
  }

  /** The levels of a side from the best outwards. */
  levels(side: Side): Iterable<PriceLevel<Order>> {
    const waiting = this.#waiting;
    if (waiting !== undefined) return waiting[side];
    this.#recordNow();
    return this.#sides[side];
  }

  get isRecorded(): boolean {
    return this.#recording !== undefined;
  }

  /** Whether orders rest in a book that follows a recording. */
  get hasQueued(): boolean {
    return this.#queued.size > 0;
  }

  /** From now on the book also has the levels of a recording, which is a part of the exchange's state. */
  follow(recording: RecordedBook): void {
    this.revision += 1;
    this.#recording = recording;
    const resting = SIDES.flatMap((side) => [...this.#sides[side]].flatMap(({ orders }) => [...orders.values()]));
    for (const order of resting.sort((a, b) => (a.id < b.id ? -1 : 1))) this.#enqueue(order);
    for (const side of SIDES) for (const [price, lots] of recording[side].lots) this.#sides[side].record(price, lots);
  }

  /** From now on orders queue behind recorded lots. Those that rest stand behind the first recorded lots at their prices. */
  startQueue(): void {
    if (this.#recording === undefined || this.#recording.hasQueue) return;
    this.#recording.hasQueue = true;
    for (const order of this.#queued) order.queue = { ahead: null, shrunk: 0n, shrunkAt: 0 };
  }

  /** Changes the recorded levels when they are read, which costs nothing until then. They must reach no order that rests. */
  recordLater(later: LaterRecording): void {
    this.revision += 1;
    this.#later = later;
    this.#shownLater = undefined;
  }

  /**
   * Changes the recorded levels. Recorded lots that reach an order of the other side trade with it, at its price, unless the recording
   * crosses itself, as exchanges send it for a moment.
   * @param date when the exchange made the book, in milliseconds since the Unix epoch
   */
  record(changes: RecordedChanges, date: number): BookEvent<Order>[] {
    this.revision += 1;
    this.#later = undefined;
    for (const side of SIDES) this.#recordSide(side, changes[side]);
    const events: BookEvent<Order>[] = [];
    for (const order of this.#queued) if (this.#moveForward(order, date)) events.push({ kind: 'moved', order });
    if (this.#queued.size === 0 || this.#isRecordingCrossed()) return events;
    for (const side of SIDES) this.#meetRecorded(side, events);
    return events;
  }

  /**
   * A recorded trade: it fills orders of better prices than its own, and at its own price those that it reaches behind the recorded
   * lots. Lots that a book had already shown to be gone do not count twice, if the trade may be the reason. The fills are at most `amount`
   * together. In a book that is made up, it also fills
   * orders of the taker's side that it has passed: the trade could not have been otherwise.
   * @param side of the taker
   * @param date when it was executed, in milliseconds since the Unix epoch
   */
  passTrade(side: Side, price: bigint, amount: bigint, date: number): BookEvent<Order>[] {
    this.revision += 1;
    const events: BookEvent<Order>[] = [];
    const left = this.#madeUp?.left;
    let [rest, passed] = [left === undefined ? amount : lesser(amount, left > 0n ? left : 0n), 0n];
    const crossed =
      this.#madeUp === undefined ? [] : this.#reachedBy(side, price).filter((order) => order.price !== price);
    for (const order of [...this.#reachedBy(opposite(side), price), ...crossed]) {
      const { queue } = order;
      if (queue === undefined || (order.price === price && queue.ahead === null)) continue;
      if (order.price === price) {
        if (date > queue.shrunkAt) queue.shrunk = 0n;
        const before = (queue.ahead ?? 0n) + queue.shrunk;
        const used = lesser(rest, before > passed ? before - passed : 0n);
        rest -= used;
        passed += used;
        advance(queue, passed);
      } else queue.ahead = 0n;
      const filled = lesser(rest, order.remaining);
      rest -= filled;
      this.#use(filled);
      this.#fill(order, filled, events);
      if (order.remaining > 0n) events.push({ kind: 'moved', order });
    }
    this.#trim();
    return events;
  }

  /** From now on orders fill at most so many lots of a book that is made up, and what they took is back. */
  allow(lots: bigint): void {
    const recording = this.#madeUp;
    if (recording === undefined) return;
    recording.left = lots;
    for (const side of SIDES) recording[side].taken.clear();
  }

  /** The best price of the resting orders of a side in a book that follows a recording. */
  bestQueued(side: Side): bigint | undefined {
    let best: bigint | undefined;
    for (const order of this.#queued)
      if (order.side === side && (best === undefined || this.#sides[side].isWorse(best, order.price)))
        best = order.price;
    return best;
  }

  get #madeUp(): RecordedBook | undefined {
    return this.#recording?.hasQueue === false ? this.#recording : undefined;
  }

  /** Leaves at most so many lots that are made up as may still be filled, and one to show the best price. */
  #trim(): void {
    const recording = this.#madeUp;
    if (recording?.left === undefined) return;
    for (const side of SIDES) {
      let rest = recording.left > 0n ? recording.left : 1n;
      for (const { price, recorded } of [...this.#sides[side]]) {
        if (recorded === 0n) continue;
        const kept = lesser(recorded, rest);
        rest -= kept;
        if (kept === recorded) continue;
        setLots(recording[side], price, kept);
        this.#sides[side].record(price, kept);
      }
    }
  }

  /** The levels that wait to be recorded, for who only looks, as long as the book has no others. */
  get #waiting(): Readonly<Record<Side, readonly PriceLevel<Order>[]>> | undefined {
    const isEmptyOn = (side: Side) =>
      this.#sides[side].best() === undefined && this.#recording?.[side].taken.size === 0;
    if (this.#later === undefined || !SIDES.every(isEmptyOn)) return undefined;
    if (this.#shownLater === undefined) {
      const { buy, sell } = this.#later.changes();
      this.#shownLater = { buy: recordedLevels(buy), sell: recordedLevels(sell) };
    }
    return this.#shownLater;
  }

  #recordNow(): void {
    const changes = this.#later?.changes();
    this.#later = undefined;
    if (changes !== undefined) for (const side of SIDES) this.#recordSide(side, changes[side]);
  }

  #match(taker: Order): BookEvent<Order>[] {
    const otherSide = this.#sides[opposite(taker.side)];
    const events: BookEvent<Order>[] = [];
    while (taker.remaining > 0n) {
      const level = otherSide.best();
      if (level === undefined || !otherSide.reaches(taker.price, level.price)) break;
      this.#takeFrom(level, taker, events);
      if (isEmpty(level)) otherSide.dropBest();
    }
    return events;
  }

  #takeFrom(level: PriceLevel<Order>, taker: Order, events: BookEvent<Order>[]): void {
    const seen = level.recorded;
    for (const maker of level.orders.values()) {
      // lots at a price that is not recorded may stand before it
      const before = maker.queue === undefined ? 0n : (maker.queue.ahead ?? seen);
      const passed = seen - level.recorded;
      this.#takeRecorded(level, taker, before - passed, events);
      if (taker.remaining === 0n) break;
      const amount = lesser(maker.remaining, taker.remaining);
      maker.remaining -= amount;
      taker.remaining -= amount;
      level.amount -= amount;
      if (maker.remaining === 0n) {
        level.orders.delete(maker.id);
        this.#queued.delete(maker);
      }
      events.push({ kind: 'traded', maker, taker, price: level.price, amount });
    }
    this.#takeRecorded(level, taker, level.recorded, events);
    const passed = seen - level.recorded;
    if (passed === 0n) return;
    for (const order of level.orders.values()) {
      if (order.queue === undefined || order.queue.ahead === null) continue;
      order.queue.ahead -= lesser(order.queue.ahead, passed);
      events.push({ kind: 'moved', order });
    }
  }

  #takeRecorded(level: PriceLevel<Order>, taker: Order, most: bigint, events: BookEvent<Order>[]): void {
    const amount = lesser(lesser(most, level.recorded), taker.remaining);
    if (amount <= 0n) return;
    this.#reduceRecorded(opposite(taker.side), level, amount);
    taker.remaining -= amount;
    events.push({ kind: 'met', order: taker, isTaker: true, price: level.price, amount });
  }

  /** Takes recorded lots off a level, which the caller drops if nothing is left. */
  #reduceRecorded(side: Side, level: PriceLevel<Order>, amount: bigint): void {
    level.recorded -= amount;
    level.amount -= amount;
    this.#use(amount);
    const recorded = this.#recording?.[side];
    if (recorded === undefined) return;
    recorded.taken.set(level.price, (recorded.taken.get(level.price) ?? 0n) + amount);
    setLots(recorded, level.price, level.recorded);
  }

  #use(lots: bigint): void {
    const recording = this.#madeUp;
    if (recording?.left !== undefined) recording.left -= lots;
  }

  #enqueue(order: Order): void {
    const recording = this.#recording;
    if (recording === undefined) return;
    this.#queued.add(order);
    const ahead = recording.hasQueue ? this.#seenAt(order) : 0n;
    // a stored order has its place
    order.queue ??= { ahead, shrunk: 0n, shrunkAt: 0 };
  }

  /** The recorded lots at the price of an order; null beyond the recorded levels. */
  #seenAt({ side, price }: Order): bigint | null {
    const recorded = this.#recording?.[side];
    if (recorded === undefined) return 0n;
    const isBeyond = recorded.worst !== null && this.#sides[side].isWorse(price, recorded.worst);
    return isBeyond ? null : (recorded.lots.get(price) ?? 0n);
  }

  /** Moves an order forward if its level has less than what stood before it. Returns whether its place has changed. */
  #moveForward(order: Order, date: number): boolean {
    const { queue } = order;
    const seen = this.#recording?.hasQueue ? this.#seenAt(order) : null;
    if (queue === undefined || seen === null) return false;
    if (queue.ahead !== null && queue.ahead <= seen) return false;
    if (queue.ahead !== null) {
      queue.shrunk += queue.ahead - seen;
      queue.shrunkAt = date;
    }
    queue.ahead = seen;
    return true;
  }

  #recordSide(side: Side, { levels, worst }: RecordedChange): void {
    const recorded = this.#recording?.[side];
    if (recorded === undefined) return;
    recorded.worst = worst;
    for (const [price, lots] of levels) {
      const taken = recorded.taken.get(price) ?? 0n;
      const left = lots > taken ? lots - taken : 0n;
      if (lots === 0n) recorded.taken.delete(price);
      setLots(recorded, price, left);
      this.#sides[side].record(price, left);
    }
  }

  #isRecordingCrossed(): boolean {
    const [bid, ask] = SIDES.map((side) => firstRecorded(this.#sides[side])?.price);
    return bid !== undefined && ask !== undefined && bid >= ask;
  }

  /** Lets recorded lots of the other side trade with the orders of this side that they reach. */
  #meetRecorded(side: Side, events: BookEvent<Order>[]): void {
    const otherSide = opposite(side);
    for (;;) {
      const level = firstRecorded(this.#sides[otherSide]);
      const [order] = level === undefined ? [] : this.#reachedBy(side, level.price);
      if (level === undefined || order === undefined) return;
      const amount = lesser(level.recorded, order.remaining);
      this.#reduceRecorded(otherSide, level, amount);
      this.#sides[otherSide].record(level.price, level.recorded);
      this.#fill(order, amount, events);
    }
  }

  /** The resting orders of a side that an order of the other side at this price would reach, in the order of their turn. */
  #reachedBy(side: Side, price: bigint): Order[] {
    const makers = this.#sides[side];
    const reached = [...this.#queued].filter((order) => order.side === side && makers.reaches(price, order.price));
    return reached.sort((a, b) => (a.price === b.price ? 0 : makers.isWorse(a.price, b.price) ? 1 : -1));
  }

  #fill(order: Order, amount: bigint, events: BookEvent<Order>[]): void {
    if (amount === 0n) return;
    this.#sides[order.side].reduce(order, amount);
    if (order.remaining === 0n) this.#queued.delete(order);
    events.push({ kind: 'met', order, isTaker: false, price: order.price, amount });
  }
}

/** Moves a place forward by the recorded lots that a trade has passed; those that were seen to go may be the same. */
function advance(queue: QueuePlace, passed: bigint): void {
  const seen = lesser(queue.shrunk, passed);
  queue.shrunk -= seen;
  queue.ahead = (queue.ahead ?? 0n) - lesser(queue.ahead ?? 0n, passed - seen);
}

function setLots({ lots }: RecordedSide, price: bigint, left: bigint): void {
  if (left === 0n) lots.delete(price);
  else lots.set(price, left);
}

function firstRecorded<Order extends BookOrder>(levels: Iterable<PriceLevel<Order>>): PriceLevel<Order> | undefined {
  for (const level of levels) if (level.recorded > 0n) return level;
  return undefined;
}

function isEmpty({ orders, recorded }: Pick<PriceLevel<BookOrder>, 'orders' | 'recorded'>): boolean {
  return orders.size === 0 && recorded === 0n;
}

function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

function recordedLevels<Order extends BookOrder>({ levels }: RecordedChange): PriceLevel<Order>[] {
  const orders = new Map<bigint, Order>();
  return levels.map(([price, lots]) => ({ price, amount: lots, recorded: lots, orders }));
}
