import type { Order, Side } from '../../domain/order.js';
import { Failure, tryRead } from '../../errors.js';
import type { MarketSide } from '../journal/write.js';
import type { FollowedOrder } from './known-side.js';
import { byId, type Reader, type ReadingOptions, SideReading } from './side-reading.js';

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

export interface OpenOrdersOptions extends ReadingOptions {
  /** The most pages of a side that are read. */
  readonly maxPages?: number;
  /**
   * Called with orders that are open, or were when they were seen last, as soon as that is known: while other pages are still to be
   * read. It may get an order more than once. What it returns is awaited before the next page.
   */
  readonly onOpen?: (orders: readonly Order[]) => void | Promise<void>;
  /** Awaited after the first page. */
  readonly afterFirstPage?: () => Promise<void>;
  /** Called with the orders of each page, once those that it shows as open were passed on. */
  readonly onPage?: ((orders: readonly Order[]) => void) | undefined;
}

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
  const reading = new SideReading(trading, side, options);
  await options.onOpen?.(options.isWhole ? [] : openAmong(reading.known?.followed ?? []));
  const failure = await readPages(reading, options);
  if (failure !== null) return partOf(reading, failure);
  if (!reading.isJoined) return foundIn(reading, [], false);
  try {
    const found = await reading.complete();
    if (found !== 'contradicted') return foundIn(reading, found.asked, true);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // a whole list has every open order
    if (!reading.hasOlder) {
      await reading.keep();
      return foundIn(reading, [], true);
    }
    if (error.kind === 'credentials') return partOf(reading, error);
    reportWholeRead(trading, side, error);
    const whole = await tryRead(() => readOpenOfSide(trading, side, { ...options, isWhole: true }));
    return whole?.failure === null ? whole : partOf(reading, error);
  }
  reportWholeRead(trading, side);
  return readOpenOfSide(trading, side, { ...options, isWhole: true });
}

/** Returns why a later page could not be read; null if all that are needed could. */
async function readPages(
  reading: SideReading,
  { maxPages = Number.POSITIVE_INFINITY, onOpen, onPage, afterFirstPage }: OpenOrdersOptions,
): Promise<Failure | null> {
  let pages = 0;
  try {
    for await (const { fresh } of reading.pages()) {
      pages += 1;
      await onOpen?.(fresh.filter(({ state }) => state === 'open'));
      onPage?.(fresh);
      if (pages === 1) await afterFirstPage?.();
      if (pages >= maxPages) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || pages === 0) throw error;
    return error;
  }
  return null;
}

function foundIn({ orders, hasOlder }: SideReading, asked: readonly Order[], isComplete: boolean): SideOrders {
  const open = openOf([...orders, ...asked]);
  return { orders, more: hasOlder, open, unconfirmed: [], isComplete, failure: null, asked };
}

function partOf(reading: SideReading, failure: Failure): SideOrders {
  return { ...foundIn(reading, [], false), more: true, unconfirmed: openAmong(reading.unseen), failure };
}

/** Says that the whole list is read. @param failure why orders cannot be asked for; undefined if what is known is wrong */
export function reportWholeRead({ reportProgress }: Reader, { market, side }: MarketSide, failure?: Failure): void {
  if (failure === undefined)
    reportProgress(
      `The exchange shows other ${side} orders of ${market} than before, so the whole list is read again.`,
    );
  else reportProgress(`${failure.message}. The whole list of ${side} orders of ${market} is read instead.`);
}

function openAmong(followed: readonly FollowedOrder[]): Order[] {
  return followed.flatMap(({ order, closedAt }) => (closedAt === null ? [order] : []));
}

function openOf(orders: readonly Order[]): Order[] {
  return [...byId(orders).values()].filter(({ state }) => state === 'open');
}
