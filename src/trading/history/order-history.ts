import { Decimal } from '../../domain/decimal.js';
import { type Order, SIDES } from '../../domain/order.js';
import { Failure, tryRead } from '../../errors.js';
import type { OrderPage, OrderPages } from '../../exchange/exchange.js';
import { inParallel } from '../../platform/in-parallel.js';
import type { MarketSide } from '../journal/write.js';
import { LostOrders, newestFirst } from './closed-orders.js';
import type { KnownSides } from './known-side.js';
import { reportWholeRead } from './open-orders.js';
import {
  CONCURRENCY,
  type KnownBehind,
  mayBeOpen,
  type Reader,
  type ReadingOptions,
  SideReading,
} from './side-reading.js';

export interface OrderHistoryOptions extends ReadingOptions {
  /** Whether no order after these is wanted. */
  readonly isEnough?: (orders: readonly Order[]) => boolean;
  /** The most pages of the exchange's list that are read, one by one then. */
  readonly maxPages?: number;
  /** Whether the exchange is asked for orders that may be open and are on no page; otherwise they are as they were seen last. */
  readonly asksForOpen?: boolean;
}

/** A page of the exchange's list or, behind what has to be read of that, of the orders that are known. */
export interface HistoryPage extends OrderPage {
  readonly isListed: boolean;
}

/**
 * The orders of one side of a market, newest first and each fresh once, until there are no more or until `isEnough` returns true for a
 * page. Of the exchange's list, only what may be new is read, and older orders that may be open are asked for by their ids. Those
 * that it lists no more come last. Throws Failure `unreachable`, `limited`, `refused`, `credentials` or `internal` if an order that is
 * wanted cannot be read.
 */
export async function* orderHistory(
  trading: Reader,
  side: MarketSide,
  options: OrderHistoryOptions = {},
): AsyncGenerator<HistoryPage> {
  const { isEnough = () => false, maxPages, lists = trading.client } = options;
  const taken = new Set<string>();
  const take = (orders: readonly Order[]) => {
    const fresh = orders.filter(({ id }) => !taken.has(id));
    for (const { id } of fresh) taken.add(id);
    return fresh;
  };
  const reading = new SideReading(trading, side, options);
  for await (const page of reading.pages(isEnough, maxPages)) {
    const fresh = take(page.fresh);
    yield { ...page, fresh, hasOlder: page.hasOlder || reading.knowsMore, isListed: true };
    if (isEnough(page.rows)) return reading.keep();
  }
  if (!reading.isJoined) return;
  const known = await complete(trading, side, reading, options);
  if (known !== undefined) {
    const others = newestFirst(trading.knownSides, side, known.closed, known.asked);
    try {
      for (const { rows, hasOlder } of inPages(others, taken, lists.facts.ordersPerPage)) {
        yield { rows, fresh: take(rows), hasOlder, isListed: false };
        if (isEnough(rows)) return;
      }
      return;
    } catch (error) {
      if (!(error instanceof LostOrders)) throw error;
      // a whole list has all that can still be read
      if (!reading.hasOlder) return;
    }
  }
  for await (const page of orderHistory(trading, side, { ...options, isWhole: true }))
    yield { ...page, fresh: take(page.fresh) };
}

/** The same at once. What can be read is returned, with the failure, if not even the first page fails. Throws Failure if that does. */
export async function readOrderHistory(
  trading: Reader,
  side: MarketSide,
  options: OrderHistoryOptions = {},
): Promise<OrderPages> {
  const orders: Order[] = [];
  let more = true;
  try {
    for await (const { fresh, hasOlder } of orderHistory(trading, side, options)) {
      orders.push(...fresh);
      more = hasOlder;
    }
  } catch (error) {
    if (!(error instanceof Failure) || orders.length === 0) throw error;
    return { orders, more: true, failure: error };
  }
  return { orders, more, failure: null };
}

/** What is known behind the pages; undefined if only the whole list shows it, which the user is told. Throws Failure. */
async function complete(
  trading: Reader,
  side: MarketSide,
  reading: SideReading,
  { asksForOpen = true }: OrderHistoryOptions,
): Promise<KnownBehind | undefined> {
  try {
    const known = await (asksForOpen ? reading.complete() : reading.completeAsSeen());
    if (known !== 'contradicted') return known;
    reportWholeRead(trading, side);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'credentials' || !reading.hasOlder) throw error;
    reportWholeRead(trading, side, error);
  }
  return undefined;
}

/** Those of the orders that were not taken, in pages of the same size; at least one, which may be empty. */
function* inPages(
  orders: Iterable<Order>,
  taken: ReadonlySet<string>,
  size: number,
): Generator<{ readonly rows: readonly Order[]; readonly hasOlder: boolean }> {
  let rows: Order[] = [];
  // one that was asked for may be among the closed ones by now
  const shown = new Set(taken);
  for (const order of orders) {
    if (shown.has(order.id)) continue;
    shown.add(order.id);
    if (rows.length === size) {
      yield { rows, hasOlder: true };
      rows = [];
    }
    rows.push(order);
  }
  yield { rows, hasOlder: false };
}

/**
 * Whether each order of a market that was open when it was seen last is open now, and has filled nothing more: all are asked for by
 * their ids. False if that cannot be found out.
 */
export async function areStillOpen(
  { client, knownSides }: Reader,
  market: string,
  { lists = client }: Pick<ReadingOptions, 'lists'> = {},
): Promise<boolean> {
  const sides = SIDES.map((side) => knownSides?.read({ market, side }));
  const open = sides.flatMap((known) => known?.followed ?? []).filter(({ order }) => mayBeOpen(order));
  const now = await tryRead(() =>
    inParallel(open, CONCURRENCY, ({ order }) => lists.findOrder(market, { id: order.id })),
  );
  return (
    sides.every((known) => known !== undefined) &&
    open.every(({ order }, index) => {
      const found = now?.[index];
      return found?.state === order.state && Decimal.of(found.filled).equals(Decimal.of(order.filled));
    })
  );
}

/** The orders of a market as they were when they were read last. */
export interface KeptOrders {
  readonly orders: readonly Order[];
  /** Those that were placed before this moment are here, in milliseconds since the Unix epoch. */
  readonly readTo: number;
}

/** What is known of the orders of a market without asking the exchange; undefined if that is not all of one of its sides. */
export function keptOrders(sides: KnownSides, market: string): KeptOrders | undefined {
  const found = SIDES.map((side) => {
    const known = sides.read({ market, side });
    if (known === undefined) return undefined;
    const followed = known.followed.map(({ order }) => order);
    try {
      return { orders: [...newestFirst(sides, { market, side }, known, followed)], readTo: known.readTo };
    } catch (error) {
      if (error instanceof LostOrders) return undefined;
      throw error;
    }
  });
  const [buys, sells] = found;
  if (buys === undefined || sells === undefined) return undefined;
  return { orders: [...buys.orders, ...sells.orders], readTo: Math.min(buys.readTo, sells.readTo) };
}
