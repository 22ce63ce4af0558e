import { isDeepStrictEqual } from 'node:util';
import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import type { Exchange, OrderPage } from '../../exchange/exchange.js';
import { inParallel } from '../../platform/in-parallel.js';
import type { MarketSide } from '../journal/write.js';
import { readingClock } from '../settling/dated-read.js';
import { SLACK_MS } from '../settling/reconcile.js';
import type { TradingContext } from '../trading-context.js';
import { inParts, readable, sorted } from './closed-orders.js';
import type { ClosedOrders, FollowedOrder, KnownSide } from './known-side.js';

export type Reader = Pick<TradingContext, 'client' | 'host' | 'requestLifetimeMs' | 'knownSides' | 'reportProgress'>;

export interface ReadingOptions {
  /** Reads the whole list, whatever is known of it. */
  readonly isWhole?: boolean | undefined;
  /** Reads the lists (default: the client of the context). */
  readonly lists?: Exchange | undefined;
}

/** Where the pages end: at the end of the list, at a page behind which every order is known, or before either. */
type End = 'list' | 'known' | 'open';

/** What is known behind the pages of a reading. */
export interface KnownBehind {
  /** Orders that are on no page, and may be open or have closed a moment ago. */
  readonly asked: readonly Order[];
  readonly closed: ClosedOrders;
}

/** Orders asked for at once. */
export const CONCURRENCY = 8;

/** One reading of the orders of a side: its newest pages, then what is known of the others. */
export class SideReading {
  readonly #trading: Reader;
  readonly #client: Exchange;
  readonly #side: MarketSide;
  readonly #isWhole: boolean;
  readonly #followed: ReadonlyMap<string, FollowedOrder>;
  /** Of the newest closed orders, by id, when they were placed. */
  readonly #closed: ReadonlyMap<string, number>;
  /** After so long, in milliseconds, an order is in the list if it will ever be, and its state is what it stays. */
  readonly #settledAfterMs: number;
  /** When the reading began, at the earliest, by the exchange's clock; milliseconds since the Unix epoch. */
  readonly #began: () => number;

  /** As it was before; undefined if nothing is known. */
  readonly known: KnownSide | undefined;
  /** Those of all pages, newest first. */
  readonly orders: Order[] = [];
  readonly #seen = new Set<string>();
  #end: End = 'open';
  #closedNow: ClosedOrders;
  /** Whether what is known is not what the exchange lists. */
  #isContradicted = false;
  /** Whether a page that joins what is known is not enough: that is wrong, or would be asked for with more requests than pages. */
  #needsMore = false;

  constructor(trading: Reader, side: MarketSide, { isWhole = false, lists }: ReadingOptions) {
    this.#trading = trading;
    this.#side = side;
    this.#isWhole = isWhole;

    this.#client = lists ?? trading.client;
    this.known = trading.knownSides?.read(side);
    this.#closedNow = this.known ?? NOTHING;
    this.#followed = new Map(this.known?.followed.map((followed) => [followed.order.id, followed]));
    this.#closed = new Map(this.known?.recent.map(({ id, time }) => [id, time]));
    this.#settledAfterMs = trading.requestLifetimeMs + 2 * SLACK_MS;
    this.#began = readingClock({ client: this.#client, host: trading.host });
  }

  /**
   * Reads until what is older is known, or until `isEnough` returns true for the rows of a page. Throws Failure as the client does.
   * @param maxPages the most that are read, one by one (default: all pages, several at a time)
   */
  async *pages(
    isEnough: (rows: readonly Order[]) => boolean = () => false,
    maxPages?: number,
  ): AsyncGenerator<OrderPage> {
    const { market, side } = this.#side;
    const isLast = (rows: readonly Order[]) => isEnough(rows) || this.#joins(rows);
    const span = maxPages === undefined ? undefined : { from: 1, to: maxPages };
    for await (const page of this.#client.orderPages(market, side, isLast, span)) {
      this.#take(page.rows, page.fresh);
      this.#end = this.#endAfter(page);
      yield page;
    }
  }

  /** Whether the exchange lists older orders than those of the pages. */
  get hasOlder(): boolean {
    return this.#end !== 'list';
  }

  /** The orders that are on no page that was read. */
  get unseen(): readonly FollowedOrder[] {
    return [...this.#followed.values()].filter(({ order }) => !this.#seen.has(order.id));
  }

  /** Whether some known order is on no page that was read, although all that the exchange lists may be there. */
  get knowsMore(): boolean {
    const { parts, recent } = this.known ?? NOTHING;
    return parts.length > 0 || this.unseen.length > 0 || !recent.every(({ id }) => this.#seen.has(id));
  }

  /** Whether no order is missing between the pages and those that are known, or the end of the list. */
  get isJoined(): boolean {
    return this.#end !== 'open';
  }

  /**
   * Asks for each followed order that no page has, and keeps what is known then. The pages have to join what is known. Returns
   * `contradicted` if that is wrong. Throws Failure if an order cannot be asked for.
   */
  async complete(): Promise<KnownBehind | 'contradicted'> {
    // the clock of the exchange was set back, and its orders may be earlier ones too
    if (this.#end === 'known' && this.#isFromLater) return 'contradicted';
    const asked = await this.#askForUnseen();
    if (asked === 'contradicted') return asked;
    await this.keep(asked);
    return { asked, closed: this.#closedNow };
  }

  /** The same without a request: orders that may be open, and are on no page, are as they were seen last. */
  async completeAsSeen(): Promise<KnownBehind | 'contradicted'> {
    if (this.#end === 'known' && this.#isFromLater) return 'contradicted';
    await this.keep();
    return { asked: this.unseen.map(({ order }) => order), closed: this.#closedNow };
  }

  /**
   * Keeps what is known after the pages, if they join what was known before.
   * @param asked those that were asked for; the others stay as they were seen last
   */
  async keep(asked: readonly Order[] = []): Promise<void> {
    const { knownSides } = this.#trading;
    if (knownSides === undefined || !this.isJoined) return;
    const isJoined = this.#end === 'known';
    if ((isJoined && this.#isFromLater) || !areNewestFirst(this.orders, this.#client.facts.ordersPerPage)) return;
    const began = this.#began();
    const readTo = Math.max(began - this.#settledAfterMs, isJoined ? this.#readTo : Number.NEGATIVE_INFINITY);
    const current = byId([...this.orders, ...asked]);
    const followed = this.#stillFollowed(began, current);
    const mayChange = new Set(followed.map(({ order }) => order.id));
    const closed = [...current.values()].filter(({ id }) => !mayChange.has(id));
    const before = this.#closedNow;
    const kept = isJoined ? before.recent : readable(knownSides, this.#side, before);
    const others = kept.filter(({ id }) => !current.has(id) && !mayChange.has(id));
    const orders = sorted([...closed, ...others]);
    const parts = isJoined ? before.parts : [];
    this.#closedNow = await inParts(knownSides, this.#side, { orders, parts }, readTo);
    const now = { readTo, followed, ...this.#closedNow };
    if (!this.#isAsKept(now)) await knownSides.write(this.#side, now);
  }

  /** Whether only the moment differs up to which orders are known, and no order was placed after the earlier one. */
  #isAsKept(now: KnownSide): boolean {
    const { known } = this;
    if (known === undefined || this.#isFromLater) return false;
    const { readTo } = known;
    return this.orders.every(({ time }) => time < readTo) && isDeepStrictEqual({ ...now, readTo }, known);
  }

  /** In milliseconds since the Unix epoch; orders that were placed before are known. */
  get #readTo(): number {
    return this.known?.readTo ?? Number.NEGATIVE_INFINITY;
  }

  get #isFromLater(): boolean {
    return this.#readTo > this.#began();
  }

  #take(rows: readonly Order[], fresh: readonly Order[]): void {
    this.orders.push(...fresh);
    for (const { id } of rows) this.#seen.add(id);
    this.#isContradicted ||= !rows.every((order) => order.time >= this.#readTo || this.#isAsBefore(order));
    const pagesForUnseen = this.unseen.length * this.#client.facts.ordersPerPage;
    this.#needsMore = this.#isContradicted || pagesForUnseen > this.#count();
  }

  /** How many orders are known. */
  #count(): number {
    const { recent, parts, followed } = this.known ?? { ...NOTHING, followed: [] };
    return parts.reduce((sum, { count }) => sum + count, recent.length + followed.length);
  }

  #endAfter({ rows, hasOlder }: OrderPage): End {
    if (!hasOlder) return 'list';
    return this.#joins(rows) ? 'known' : 'open';
  }

  /** Whether all that is older than this page is known. */
  #joins(rows: readonly Order[]): boolean {
    if (this.#isWhole || this.#needsMore || this.known === undefined) return false;
    return (rows.at(-1)?.time ?? Number.POSITIVE_INFINITY) < this.known.readTo;
  }

  /** Whether an order that was placed before the last reading was listed then, and not as closed if it is open now. */
  #isAsBefore(order: Order): boolean {
    const followed = this.#followed.get(order.id);
    if (followed !== undefined) return followed.closedAt === null || !mayBeOpen(order);
    return this.#closed.get(order.id) === order.time && !mayBeOpen(order);
  }

  async #askForUnseen(): Promise<readonly Order[] | 'contradicted'> {
    const { unseen } = this;
    const isJoined = this.#end === 'known';
    const found = await inParallel(unseen, CONCURRENCY, ({ order }) =>
      this.#client.findOrder(this.#side.market, { id: order.id }),
    );
    const isWrong = unseen.some(({ closedAt }, index) => {
      const order = found[index];
      return order === undefined || (closedAt !== null && mayBeOpen(order));
    });
    if (isJoined && isWrong) return 'contradicted';
    return unseen.flatMap(({ order }, index) => found[index] ?? ended(order));
  }

  /** Those that may be open, and those that have closed a moment ago: an exchange may show such an order as open once more. */
  #stillFollowed(began: number, current: ReadonlyMap<string, Order>): FollowedOrder[] {
    const isSettled = (closedAt: number) => began > closedAt + this.#settledAfterMs;
    const shown = [...current.values()].flatMap((order): FollowedOrder[] => {
      if (mayBeOpen(order)) return [{ order, closedAt: null }];
      const earlier = this.#followed.get(order.id);
      if (earlier === undefined) return [];
      const closedAt = earlier.closedAt ?? began;
      return isSettled(closedAt) ? [] : [{ order, closedAt }];
    });
    return [...shown, ...[...this.#followed.values()].filter(({ order }) => !current.has(order.id))];
  }
}

const NOTHING: ClosedOrders = { recent: [], parts: [] };

/** An order with a state that the interface does not document may fill, so it counts as open until it is shown as closed. */
export function mayBeOpen({ state }: Order): boolean {
  return state === 'open' || state === 'other';
}

/** What an order that the exchange has forgotten had filled when it was seen last; undefined if that is nothing. */
function ended(order: Order): readonly Order[] {
  if (Decimal.of(order.filled).sign === 0) return [];
  return [mayBeOpen(order) ? { ...order, state: 'cancelled' } : order];
}

/** Whether a list shows its newest orders first, as was observed: then its first pages have all that is new. */
function areNewestFirst(orders: readonly Order[], rowsPerPage: number): boolean {
  if (orders.length <= rowsPerPage) return areSorted(orders, SLACK_MS);
  const span = (orders[0]?.time ?? 0) - (orders.at(-1)?.time ?? 0);
  // the clocks of an exchange may differ, so a list without any exception shows more than one with some
  return areSorted(orders, 0) ? span > 0 : span > SLACK_MS && areSorted(orders, SLACK_MS);
}

/** @param slackMs how much later than the order before one may have been placed */
function areSorted(orders: readonly Order[], slackMs: number): boolean {
  return orders.every(({ time }, index) => time <= (orders[index - 1]?.time ?? time) + slackMs);
}

export function byId(orders: readonly Order[]): ReadonlyMap<string, Order> {
  return new Map(orders.map((order) => [order.id, order]));
}
