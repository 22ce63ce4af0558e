import type { Order, Side } from '../../domain/order.js';
import { Failure, tryRead } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import { inParallel } from '../../platform/in-parallel.js';
import type { MarketSide } from '../journal/write.js';
import { datedRead } from '../settling/dated-read.js';
import { SLACK_MS } from '../settling/reconcile.js';
import type { TradingContext } from '../trading-context.js';
import type { FollowedOrder, KnownSide, ListedOrder } from './known-side.js';

/** The orders of a market as far as they were read. */
export interface OwnOrders {
  readonly open: Readonly<Record<Side, readonly Order[]>>;
  /** Orders that were open when they were read last, and whose state could not be read now. */
  readonly unconfirmed: readonly Order[];
  /** Every order that was read, closed ones too, by id. */
  readonly byId: ReadonlyMap<string, Order>;
  /** There may be older open orders that were not requested. */
  readonly more: boolean;
  /** Why some of them could not be read. */
  readonly failure: Failure | null;
}

export const NO_ORDERS: OwnOrders = {
  open: { buy: [], sell: [] },
  unconfirmed: [],
  byId: new Map(),
  more: false,
  failure: null,
};

/** The orders of one side of a market as far as they were read. */
export interface SideOrders {
  /** The newest orders, open or not, without a gap, newest first. */
  readonly orders: readonly Order[];
  /** Whether there are older ones. */
  readonly more: boolean;
  /** Each id once: it is what a cancellation names. */
  readonly open: readonly Order[];
  /** As {@link OwnOrders.unconfirmed}. */
  readonly unconfirmed: readonly Order[];
  /** Whether every open order is known. */
  readonly isComplete: boolean;
  /** Why some orders could not be read. */
  readonly failure: Failure | null;
  /** Orders that are further back, and were asked for by their ids. */
  readonly asked: readonly Order[];
}

/** The orders that are open or, if their state could not be read, were: cancelling one that is closed changes nothing. */
export function ordersToCancel({ open, unconfirmed }: OwnOrders): readonly Order[] {
  return [...open.buy, ...open.sell, ...unconfirmed];
}

export interface OpenOrdersOptions {
  /** Reads the whole list, whatever is known of it. */
  readonly isWhole?: boolean | undefined;
  /** Reads the lists (default: the client of the context). */
  readonly lists?: Exchange | undefined;
  /** The most pages of a side that are read. */
  readonly maxPages?: number;
  /**
   * Called with orders that are open, or were when they were seen last, as soon as that is known: while other pages are still to be
   * read. It may get an order more than once. What it returns is awaited before the next page.
   */
  readonly onOpen?: (orders: readonly Order[]) => void | Promise<void>;
  /** Awaited after the first page. */
  readonly afterFirstPage?: () => Promise<void>;
  /** Called for each page, once the orders that it shows as open were passed on. */
  readonly onPage?: (() => void) | undefined;
}

type Reader = Pick<TradingContext, 'client' | 'host' | 'requestLifetimeMs' | 'knownSides' | 'reportProgress'>;

/**
 * Reads the open orders of both sides of a market. The exchange lists them among all others: the first read reads every page, and
 * later ones the newest pages, and by its id each order that is further back and was open. Throws Failure `unreachable`, `limited`,
 * `refused`, `credentials` or `internal` if not even the first page could be read.
 */
export async function readOpenOrders(
  trading: Reader,
  market: string,
  options: OpenOrdersOptions = {},
): Promise<OwnOrders> {
  let begun = 0;
  let goOn = () => {};
  const haveBegun = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  // an order of one side's first page is passed on before the other side's second page is read
  const afterFirstPage = () => {
    begun += 1;
    if (begun === 2) goOn();
    return haveBegun;
  };
  const read = (side: Side) =>
    readOpenOfSide(trading, { market, side }, { ...options, afterFirstPage }).finally(() => goOn());
  const [buys, sells] = await Promise.all([read('buy'), read('sell')]);
  const sides = [buys, sells];
  return {
    open: { buy: buys.open, sell: sells.open },
    unconfirmed: sides.flatMap(({ unconfirmed }) => unconfirmed),
    byId: byId(sides.flatMap(({ orders, asked }) => [...orders, ...asked])),
    more: sides.some(({ isComplete }) => !isComplete),
    failure: buys.failure ?? sells.failure,
  };
}

/** Reads the open orders of one side of a market. Throws Failure as {@link readOpenOrders}. */
export async function readOpenOfSide(
  trading: Reader,
  side: MarketSide,
  options: OpenOrdersOptions = {},
): Promise<SideOrders> {
  const known = options.isWhole ? undefined : trading.knownSides?.read(side);
  await options.onOpen?.(openAmong(known?.followed ?? []));
  const found = await new SideReading(trading, side, options, known).read();
  if (found === 'contradicted') {
    trading.reportProgress(
      `The exchange shows other ${side.side} orders of ${side.market} than before, so the whole list is read again.`,
    );
    return readOpenOfSide(trading, side, { ...options, isWhole: true });
  }
  if (!('unasked' in found)) return found;
  const { unasked, ...partial } = found;
  trading.reportProgress(
    `${unasked.message}. The whole list of ${side.side} orders of ${side.market} is read instead.`,
  );
  const whole = await tryRead(() => readOpenOfSide(trading, side, { ...options, isWhole: true }));
  return whole?.failure === null ? whole : partial;
}

/** How many of the newest orders are kept, to recognize the list: more than a page, because some may have left it. */
const KEPT_NEWEST = 50;
/** Orders asked for at once. */
const CONCURRENCY = 8;

/** One reading of the orders of a side. */
class SideReading {
  readonly #trading: Reader;
  readonly #client: Exchange;
  readonly #side: MarketSide;
  readonly #options: OpenOrdersOptions;
  readonly #known: KnownSide | undefined;
  /** The orders that are known, by id. */
  readonly #listed: ReadonlyMap<string, ListedOrder>;
  readonly #followed: ReadonlyMap<string, FollowedOrder>;
  /** After so long, in milliseconds, an order is in the list if it will ever be, and its state is what it stays. */
  readonly #settledAfterMs: number;

  readonly #orders: Order[] = [];
  readonly #seen = new Set<string>();
  /** Whether what is known is not what the exchange lists. */
  #isContradicted = false;
  /** Whether a page that joins what is known is not enough: that is wrong, or would be asked for with more requests than pages. */
  #needsMore = false;

  constructor(trading: Reader, side: MarketSide, options: OpenOrdersOptions, known: KnownSide | undefined) {
    this.#trading = trading;
    this.#side = side;
    this.#options = options;
    this.#known = known;

    this.#client = options.lists ?? trading.client;
    this.#listed = new Map(known?.newest.map((order) => [order.id, order]));
    this.#followed = new Map(known?.followed.map((followed) => [followed.order.id, followed]));
    this.#settledAfterMs = trading.requestLifetimeMs + 2 * SLACK_MS;
  }

  /** The orders, with why some could not be asked for by their ids although the list can be read: then it has them. */
  async read(): Promise<SideOrders | (SideOrders & { readonly unasked: Failure }) | 'contradicted'> {
    const { value: hasOlder, began } = await datedRead({ client: this.#client, host: this.#trading.host }, () =>
      this.#readPages(),
    );
    if (hasOlder instanceof Failure) return this.#partial(hasOlder);
    if (!hasOlder) {
      await this.#keep(began, [], undefined);
      return this.#found({ asked: [], more: false, isComplete: true });
    }
    const known = this.#isContradicted ? undefined : this.#known;
    // the clock of the exchange was set back, and its orders may be earlier ones too
    if (known !== undefined && known.readTo > began) return 'contradicted';
    if (known === undefined) return this.#found({ asked: [], more: true, isComplete: false });
    const asked = await this.#askForOthers();
    if (asked instanceof Failure) {
      const partial = this.#partial(asked);
      return asked.kind === 'unreachable' ? { ...partial, unasked: asked } : partial;
    }
    if (asked === 'contradicted') return asked;
    await this.#keep(began, asked, known);
    return this.#found({ asked, more: true, isComplete: true });
  }

  /** Reads until what is older is known. Returns whether there are older orders, or why the next page could not be read. */
  async #readPages(): Promise<boolean | Failure> {
    const { market, side } = this.#side;
    const { maxPages = Number.POSITIVE_INFINITY, onOpen, onPage, afterFirstPage } = this.#options;
    const isEnough = (rows: readonly Order[]) => !this.#needsMore && this.#joins(rows);
    let hasOlder = true;
    let pages = 0;
    try {
      for await (const page of this.#client.orderPages(market, side, isEnough)) {
        this.#take(page.rows, page.fresh);
        ({ hasOlder } = page);
        pages += 1;
        await onOpen?.(page.fresh.filter(({ state }) => state === 'open'));
        onPage?.();
        if (pages === 1) await afterFirstPage?.();
        if (pages >= maxPages) break;
      }
    } catch (error) {
      if (!(error instanceof Failure) || pages === 0) throw error;
      return error;
    }
    return hasOlder;
  }

  #take(rows: readonly Order[], fresh: readonly Order[]): void {
    this.#orders.push(...fresh);
    for (const { id } of rows) this.#seen.add(id);
    this.#isContradicted ||= !this.#placedBefore(rows).every((order) => this.#isAsBefore(order));
    const older = this.#known?.countBefore ?? 0;
    this.#needsMore = this.#isContradicted || this.#unseen().length * this.#client.facts.ordersPerPage > older;
  }

  /** Whether all that is older than this page is known. */
  #joins(rows: readonly Order[]): boolean {
    const last = rows.at(-1);
    return this.#known !== undefined && last !== undefined && last.time < this.#known.readTo;
  }

  /** Those of a page that were placed before the last reading. */
  #placedBefore(rows: readonly Order[]): readonly Order[] {
    const readTo = this.#known?.readTo ?? Number.NEGATIVE_INFINITY;
    return rows.filter(({ time }) => time < readTo);
  }

  /** Whether an order that was placed before the last reading was listed then, and not as closed if it is open now. */
  #isAsBefore(order: Order): boolean {
    const followed = this.#followed.get(order.id);
    if (followed !== undefined) return followed.closedAt === null || !mayBeOpen(order);
    const listed = this.#listed.get(order.id);
    return listed !== undefined && listed.time === order.time && !(listed.isClosed && mayBeOpen(order));
  }

  /** The orders that are on no page that was read. */
  #unseen(): FollowedOrder[] {
    return [...this.#followed.values()].filter(({ order }) => !this.#seen.has(order.id));
  }

  #unseenOpen(): Order[] {
    return openAmong(this.#unseen());
  }

  /** Asks for each of them by its id. */
  async #askForOthers(): Promise<readonly Order[] | Failure | 'contradicted'> {
    const wanted = this.#unseen();
    let found: readonly (Order | undefined)[];
    try {
      found = await inParallel(wanted, CONCURRENCY, ({ order }) =>
        this.#client.findOrder(this.#side.market, { id: order.id }),
      );
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    const isWrong = wanted.some(({ closedAt }, index) => {
      const order = found[index];
      return order === undefined || (closedAt !== null && mayBeOpen(order));
    });
    return isWrong ? 'contradicted' : found.filter((order) => order !== undefined);
  }

  #isSettled(closedAt: number, began: number): boolean {
    return began > closedAt + this.#settledAfterMs;
  }

  #found({ asked, more, isComplete }: Pick<SideOrders, 'asked' | 'more' | 'isComplete'>): SideOrders {
    const orders = this.#orders;
    const open = openOf([...orders, ...asked]);
    return { orders, more, open, unconfirmed: [], isComplete, failure: null, asked };
  }

  #partial(failure: Failure): SideOrders {
    const found = this.#found({ asked: [], more: true, isComplete: false });
    return { ...found, unconfirmed: this.#unseenOpen(), failure };
  }

  /**
   * Keeps what is known now.
   * @param asked the orders that are further back than the pages
   * @param known what is still true of those that were neither read nor asked for; undefined if the whole list was read
   */
  async #keep(began: number, asked: readonly Order[], known: KnownSide | undefined): Promise<void> {
    const { knownSides } = this.#trading;
    const orders = this.#orders;
    if (knownSides === undefined || !areNewestFirst(orders, this.#client.facts.ordersPerPage)) return;
    const knownTo = known?.readTo ?? Number.NEGATIVE_INFINITY;
    const readTo = Math.max(began - this.#settledAfterMs, knownTo);
    const before = orders.filter(({ time }) => time < readTo);
    const older = known?.newest.filter(({ id }) => !this.#seen.has(id)) ?? [];
    await knownSides.write(this.#side, {
      readTo,
      newest: [...before.map(listedOrder), ...older].slice(0, KEPT_NEWEST),
      followed: this.#stillFollowed(began, byId([...orders, ...asked]), known !== undefined),
      countBefore: (known?.countBefore ?? 0) + before.filter(({ time }) => time >= knownTo).length,
    });
  }

  /** Those that may be open, and those that have closed a moment ago: an exchange may show such an order as open once more. */
  #stillFollowed(began: number, current: ReadonlyMap<string, Order>, keepsOthers: boolean): FollowedOrder[] {
    const shown = [...current.values()].flatMap((order): FollowedOrder[] => {
      if (mayBeOpen(order)) return [{ order, closedAt: null }];
      const earlier = this.#followed.get(order.id);
      if (earlier === undefined) return [];
      const closedAt = earlier.closedAt ?? began;
      return this.#isSettled(closedAt, began) ? [] : [{ order, closedAt }];
    });
    const others = keepsOthers ? [...this.#followed.values()].filter(({ order }) => !current.has(order.id)) : [];
    return [...shown, ...others];
  }
}

/** An order with a state that the interface does not document may fill, so it counts as open until it is shown as closed. */
function mayBeOpen({ state }: Order): boolean {
  return state === 'open' || state === 'other';
}

function listedOrder(order: Order): ListedOrder {
  return { id: order.id, time: order.time, isClosed: !mayBeOpen(order) };
}

/** Whether a list shows its newest orders first, as was observed: then its first pages have all that is new. */
function areNewestFirst(orders: readonly Order[], rowsPerPage: number): boolean {
  const isSorted = orders.every(({ time }, index) => time <= (orders[index - 1]?.time ?? time) + SLACK_MS);
  const [first, last] = [orders[0]?.time ?? 0, orders.at(-1)?.time ?? 0];
  return isSorted && (orders.length <= rowsPerPage || first - last > SLACK_MS);
}

function openAmong(followed: readonly FollowedOrder[]): Order[] {
  return followed.flatMap(({ order, closedAt }) => (closedAt === null ? [order] : []));
}

function openOf(orders: readonly Order[]): Order[] {
  return [...byId(orders).values()].filter(({ state }) => state === 'open');
}

function byId(orders: readonly Order[]): ReadonlyMap<string, Order> {
  return new Map(orders.map((order) => [order.id, order]));
}
