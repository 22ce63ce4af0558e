import type { Order, Side } from '../domain/order.js';
import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';

/** A list of the exchange that may grow at its head while it is read. Pages count from 1, the newest first. */
export interface GrowingList<Row> {
  read(page: number): Promise<readonly Row[]>;
  /** Unique in the list. */
  id(row: Row): string;
  /** Whether nothing wanted comes after this page. */
  isLast(rows: readonly Row[]): boolean;
}

/** The first pages are read one by one, so that a short list costs no extra request. */
const PAGES_READ_SINGLY = 4;
/** How many pages of a run are read at the same time. */
const CONCURRENT_READS = 4;
/** How many pages one run has. */
const PAGES_PER_RUN = 12;
/** How many pages are read one by one after the list has grown. */
const PAGES_READ_SINGLY_AFTER_GROWTH = 8;

type Page<Row> = readonly Row[];

/**
 * The pages of a list in order, to the last one. Rows added at the head push others to later pages, so rows may come twice;
 * {@link Seen} drops them. None is missed: a page counts only if it was read after the one before it, or if nothing moved
 * in between.
 *
 * Throws Failure `partial` if the exchange returns the same page for every number, and what `read` throws.
 */
export async function* pagesInOrder<Row>(list: GrowingList<Row>): AsyncGenerator<Page<Row>> {
  const repeatedPages = new RepeatedPageCheck<Row>((rows) => keyOf(list, rows));
  let singleReads = PAGES_READ_SINGLY;
  let before: Page<Row> = [];
  for (let next = 1; ; ) {
    const pages = singleReads > 0 ? [await list.read(next)] : await readRun(list, next, before);
    for (const rows of pages) {
      repeatedPages.check(rows);
      yield rows;
      if (list.isLast(rows)) return;
    }
    singleReads = pages.length === 0 ? PAGES_READ_SINGLY_AFTER_GROWTH : singleReads - 1;
    next += pages.length;
    before = pages.at(-1) ?? before;
  }
}

/**
 * A run of pages, read several at a time; none if they may not fit together. The exchange may read a later page before an
 * earlier one, and a row added in between would push another one out of both. So the page before the run is read again
 * after it: if that has not changed, nothing moved.
 */
async function readRun<Row>(list: GrowingList<Row>, first: number, before: Page<Row>): Promise<Page<Row>[]> {
  const pages: Page<Row>[] = [];
  let next = 0;
  let end = PAGES_PER_RUN;
  const readPages = async () => {
    while (next < end) {
      const index = next;
      next += 1;
      const rows = await list.read(first + index);
      pages[index] = rows;
      if (list.isLast(rows)) end = Math.min(end, index + 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readPages));
  const again = await list.read(first - 1);
  return keyOf(list, again) === keyOf(list, before) ? pages.slice(0, end) : [];
}

function keyOf<Row>(list: GrowingList<Row>, rows: Page<Row>): string {
  return rows.map((row) => list.id(row)).join();
}

/** Detects an exchange that ignores page numbers. One repetition may be chance: a whole page of rows was added. */
class RepeatedPageCheck<Row> {
  #last = '';
  #times = 0;

  constructor(private readonly key: (rows: Page<Row>) => string) {}

  /** Throws Failure `partial`. */
  check(rows: Page<Row>): void {
    const key = this.key(rows);
    this.#times = key === this.#last && key !== '' ? this.#times + 1 : 0;
    this.#last = key;
    if (this.#times > 1) throw new Failure('partial', 'the exchange returned the same page again');
  }
}

/** How many of the latest rows are remembered by their ids. */
const REMEMBERED = 2_000;

/**
 * Takes each row of a list once, though it grows at its head while it is read. It remembers little however long the list
 * is: rows come newest first, so anything newer than the newest forgotten row was already taken, or added after the start.
 */
export class Seen<Row> {
  readonly #times = new Map<string, number>();
  #newest = Number.POSITIVE_INFINITY;

  /** @param time when the row was made, in milliseconds of any epoch; NaN if unknown */
  constructor(
    private readonly id: (row: Row) => string,
    private readonly time: (row: Row) => number,
  ) {}

  /** The rows that were not seen before. */
  fresh(rows: readonly Row[]): Row[] {
    // rows added from now on are newer than the first page
    if (this.#newest === Number.POSITIVE_INFINITY && rows.length > 0) this.#newest = Math.max(...rows.map(this.time));
    return rows.filter((row) => this.#isFresh(row));
  }

  #isFresh(row: Row): boolean {
    const [id, time] = [this.id(row), this.time(row)];
    if (this.#times.has(id) || time > this.#newest) return false;
    this.#times.set(id, time);
    if (this.#times.size > REMEMBERED) this.#forgetOne();
    return true;
  }

  #forgetOne(): void {
    const [oldest] = this.#times;
    if (oldest === undefined) return;
    const [id, time] = oldest;
    this.#times.delete(id);
    if (time < this.#newest) this.#newest = time;
  }
}

/** "Returns 10 records per request." */
export const PAGE_SIZE = 10;

/** Pages count from 1; both ends are included. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

export interface OrderPages {
  /** Newest first, as the exchange lists them (observed). */
  readonly orders: readonly Order[];
  /** Whether there are older orders that were not requested. */
  readonly more: boolean;
  /** Why some pages could not be read. */
  readonly failure: Failure | null;
}

/**
 * Reads the orders of one side of a market page by page, until there are no more, or until `isEnough` returns true for
 * the last order of a page. New orders push others to later pages meanwhile; each order is returned once. Throws
 * Failure if not even the first page could be read: `unreachable`, `limited`, `refused`, `credentials`, or `internal` for an
 * answer that is not what the interface says.
 */
export async function readOrderPages(
  client: ExchangeClient,
  market: string,
  side: Side,
  { from, to }: Extent,
  isEnough: (last: Order) => boolean = () => false,
): Promise<OrderPages> {
  const orders: Order[] = [];
  const seen = new Set<string>();
  const repeatedPages = new RepeatedPageCheck<Order>((rows) => rows.map(({ id }) => id).join());
  for (let page = from; page <= to; page += 1) {
    const read = async () => {
      const rows = await client.orderPage(market, side, page);
      repeatedPages.check(rows);
      return rows;
    };
    const found = await read().catch((error: unknown) => laterFailure(error, page > from));
    if (found instanceof Failure) return { orders, more: true, failure: found };
    orders.push(...found.filter(({ id }) => !seen.has(id)));
    for (const { id } of found) seen.add(id);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE_SIZE) return { orders, more: false, failure: null };
    if (isEnough(last)) break;
  }
  return { orders, more: true, failure: null };
}

function laterFailure(error: unknown, isLater: boolean): Failure {
  if (isLater && error instanceof Failure) return error;
  throw error;
}
