import { Failure } from '../errors.js';

/** A list of the exchange that is read page by page while it grows at its head. Pages count from 1, the newest first. */
export interface GrowingList<Row> {
  read(page: number): Promise<readonly Row[]>;
  /** Tells a row from all others of the list. */
  id(row: Row): string;
  /** Whether nothing that is wanted comes after this page. */
  isLast(rows: readonly Row[]): boolean;
}

/** So many pages are read one after the other first: a short list costs no request that it does not need. */
const SHORT = 4;
/** So many are read at the same time after that, */
const TOGETHER = 4;
/** and so many in a run. */
const RUN = 12;
/** So many pages are read one after the other once the list was seen to grow. */
const WARY = 8;

type Page<Row> = readonly Row[];

/**
 * The pages of a list in their order, until the last one. Rows that come in at the head push others to later pages, which
 * then come twice; {@link Seen} drops them. None is missed: a page is taken only if it was looked at after the one before
 * it, or if nothing moved in the meantime.
 *
 * Throws Failure `partial` where the exchange gives the same page for every number, and what `read` throws.
 */
export async function* pagesInOrder<Row>(list: GrowingList<Row>): AsyncGenerator<Page<Row>> {
  const sameness = new Sameness<Row>((rows) => keyOf(list, rows));
  let alone = SHORT;
  let before: Page<Row> = [];
  for (let next = 1; ; ) {
    const pages = alone > 0 ? [await list.read(next)] : await readRun(list, next, before);
    for (const rows of pages) {
      sameness.check(rows);
      yield rows;
      if (list.isLast(rows)) return;
    }
    alone = pages.length === 0 ? WARY : alone - 1;
    next += pages.length;
    before = pages.at(-1) ?? before;
  }
}

/**
 * A run of pages, several asked for at the same time; none where they may not fit together. The exchange may look at a later
 * page before an earlier one, and a row that comes in between would push another out of both. So the page before the run is
 * asked for again after it: if that has not changed, nothing moved.
 */
async function readRun<Row>(list: GrowingList<Row>, first: number, before: Page<Row>): Promise<Page<Row>[]> {
  const pages: Page<Row>[] = [];
  let next = 0;
  let end = RUN;
  const readOn = async () => {
    while (next < end) {
      const index = next;
      next += 1;
      const rows = await list.read(first + index);
      pages[index] = rows;
      if (list.isLast(rows)) end = Math.min(end, index + 1);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, readOn));
  const again = await list.read(first - 1);
  return keyOf(list, again) === keyOf(list, before) ? pages.slice(0, end) : [];
}

function keyOf<Row>(list: GrowingList<Row>, rows: Page<Row>): string {
  return rows.map((row) => list.id(row)).join();
}

/** An exchange that does not count pages would be asked for ever. Twice the same may be chance: a page's worth came in. */
export class Sameness<Row> {
  #last = '';
  #times = 0;

  constructor(private readonly key: (rows: Page<Row>) => string) {}

  /** Throws Failure `partial`. */
  check(rows: Page<Row>): void {
    const key = this.key(rows);
    this.#times = key === this.#last && key !== '' ? this.#times + 1 : 0;
    this.#last = key;
    if (this.#times > 1) throw new Failure('partial', 'the exchange gave the same page again');
  }
}

/** So many of the latest rows are known by their ids. */
const KNOWN = 2_000;

/**
 * Takes each row of a list once, though it grows at its head while it is read. Keeps little however long the list is: rows
 * come newest first, so what is newer than the newest forgotten one was there before, or came in after the start.
 */
export class Seen<Row> {
  readonly #known = new Map<string, number>();
  #newest = Number.POSITIVE_INFINITY;

  /** @param age when the row was made, in milliseconds of any epoch; NaN where that is not known */
  constructor(
    private readonly id: (row: Row) => string,
    private readonly time: (row: Row) => number,
  ) {}

  /** The rows that were not there before. */
  fresh(rows: readonly Row[]): Row[] {
    // what comes in from now on is newer than the first page
    if (this.#newest === Number.POSITIVE_INFINITY && rows.length > 0) this.#newest = Math.max(...rows.map(this.time));
    return rows.filter((row) => this.#isFresh(row));
  }

  #isFresh(row: Row): boolean {
    const [id, time] = [this.id(row), this.time(row)];
    if (this.#known.has(id) || time > this.#newest) return false;
    this.#known.set(id, time);
    if (this.#known.size > KNOWN) this.#forgetOne();
    return true;
  }

  #forgetOne(): void {
    const [oldest] = this.#known;
    if (oldest === undefined) return;
    const [id, time] = oldest;
    this.#known.delete(id);
    if (time < this.#newest) this.#newest = time;
  }
}
