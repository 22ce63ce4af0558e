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
/** How many pages are asked for at the same time after that. */
const AHEAD = 4;
/** So many pages are read one after the other once the list was seen to grow. */
const WARY = 8;

/**
 * The pages of a list in their order, until the last one. Rows that come in at the head push others to later pages, which
 * then come twice; {@link Seen} tells them. None is missed: a page is taken only if it was read after the one before it,
 * or if it is certain that nothing moved between the two.
 *
 * Throws Failure `partial` where the exchange gives the same page for every number, and what `read` throws.
 */
export async function* pagesInOrder<Row>(list: GrowingList<Row>): AsyncGenerator<readonly Row[]> {
  const sameness = new Sameness(list);
  let alone = SHORT;
  for (let next = 1; ; ) {
    const pages = alone > 0 ? [await list.read(next)] : await readAhead(list, next);
    for (const rows of pages) {
      sameness.check(rows);
      yield rows;
      if (list.isLast(rows)) return;
    }
    alone = pages.length === 0 ? WARY : alone - 1;
    next += pages.length;
  }
}

/**
 * Several pages asked for at once, and the one behind them asked for when they all are there; none where they may not fit
 * together. The exchange may look at a later page before an earlier one: if a row comes in between, the last row of the
 * earlier page is on neither. But then the page that is looked at after all of them repeats a row, or one of them does.
 */
async function readAhead<Row>(list: GrowingList<Row>, first: number): Promise<(readonly Row[])[]> {
  const ahead = await Promise.all(Array.from({ length: AHEAD }, (_, index) => list.read(first + index)));
  // behind the end there is no page that could tell
  if (ahead.some((rows) => list.isLast(rows))) return [];
  const pages = [...ahead, await list.read(first + AHEAD)];
  const ids = pages.flat().map((row) => list.id(row));
  return new Set(ids).size === ids.length ? pages : [];
}

/** An exchange that does not count pages would be asked for ever. Twice the same may be chance: a page's worth came in. */
class Sameness<Row> {
  #last = '';
  #times = 0;

  constructor(private readonly list: GrowingList<Row>) {}

  check(rows: readonly Row[]): void {
    const page = rows.map((row) => this.list.id(row)).join();
    this.#times = page === this.#last && page !== '' ? this.#times + 1 : 0;
    this.#last = page;
    if (this.#times > 1) throw new Failure('partial', 'the exchange gave the same page again');
  }
}
