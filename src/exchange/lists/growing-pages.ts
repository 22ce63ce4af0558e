import { Failure } from '../../errors.js';

/** A list of the exchange that may grow at its head while it is read. Pages count from 1, the newest first. */
export interface GrowingList<Row> {
  read(page: number): Promise<readonly Row[]>;
  /** What never changes in a row, as text: each time that a row is read, it is the same. */
  identity(row: Row): string;
  /** Whether two rows never have the same identity. */
  readonly isUnique: boolean;
  /** When the row was made, in milliseconds of any epoch; NaN if unknown. */
  time(row: Row): number;
  /** Whether nothing wanted comes after this page. */
  isLast(rows: readonly Row[]): boolean;
}

/** What was read of a list, newest first and each row once, a page at a time. Returns what is known of the whole list. */
export type Pages<Row> = AsyncGenerator<readonly Row[], Extent>;

/** Where what was read ends, and how long the whole list is. */
export interface Extent {
  /** Whether there are older rows. */
  readonly hasOlder: boolean;
  /** The page that was read, counted from 1; null if all were. */
  readonly page: number | null;
  /** How many rows and pages the exchange counts; null if it does not say. */
  readonly rowCount: number | null;
  readonly pageCount: number | null;
}

/** The extent of a list whose rows the exchange does not count. */
export function uncounted(hasOlder: boolean): Extent {
  return { hasOlder, page: null, rowCount: null, pageCount: null };
}

/** Pages count from 1; both ends are included. */
export interface PageSpan {
  readonly from: number;
  readonly to: number;
}

type Rows<Row> = readonly Row[];

interface Page<Row> {
  /** As the exchange sent them. */
  readonly rows: Rows<Row>;
  /** Those that no earlier page has. */
  readonly fresh: Rows<Row>;
}

/**
 * The pages of a list in order, to the last one, read one by one. Rows added at the head push others to later pages; `fresh` has each row
 * once, and no row is missed, because each page is read after the one before it.
 *
 * Throws Failure `partial` if the exchange returns the same page for every number, and what `read` throws.
 *
 * @param taken the rows of the list that this one continues
 * @param span the first and the last page; all pages if undefined
 */
export async function* pagesInOrder<Row>(
  list: GrowingList<Row>,
  taken?: TakenRows<Row>,
  { from, to }: PageSpan = { from: 1, to: Number.POSITIVE_INFINITY },
): AsyncGenerator<Page<Row>> {
  const reader = new PageReader(list, taken);
  for (let number = from; number <= to; number += 1) {
    const page = await reader.read(number);
    yield page;
    if (list.isLast(page.rows)) return;
  }
}

/** Reads pages one after the other, and finds their fresh rows. */
class PageReader<Row> {
  readonly #list: GrowingList<Row>;
  readonly #taken: TakenRows<Row>;

  #before: Rows<Row> = [];
  readonly #repeatedPages = new RepeatedPageCheck();

  constructor(list: GrowingList<Row>, taken = new TakenRows(list)) {
    this.#list = list;
    this.#taken = taken;
  }

  /** The page after the one that was read last. Throws Failure `partial` if the exchange ignores page numbers. */
  async read(page: number): Promise<Page<Row>> {
    const rows = await this.#list.read(page);
    const hasMoved = await this.#hasMoved(page, rows);
    this.#repeatedPages.check(this.#key(rows));
    this.#before = rows;
    return { rows, fresh: this.#taken.fresh(rows, hasMoved) };
  }

  /**
   * Whether rows were added since the page before. A row that seems to come again proves it only if no other row is equal to
   * it; otherwise the page before is read again.
   */
  async #hasMoved(page: number, rows: Rows<Row>): Promise<boolean> {
    if (!this.#taken.hasAny(rows)) return false;
    const isRepetition = this.#before.length === 0 || this.#key(rows) === this.#key(this.#before);
    if (this.#list.isUnique || isRepetition) return true;
    return this.#key(await this.#list.read(page - 1)) !== this.#key(this.#before);
  }

  #key(rows: Rows<Row>): string {
    return rows.map((row) => this.#list.identity(row)).join('\n');
  }
}

/** Detects an exchange that ignores page numbers. One repetition may be chance: a whole page of rows was added. */
class RepeatedPageCheck {
  #last = '';
  #times = 0;

  /** Throws Failure `partial`. */
  check(key: string): void {
    this.#times = key === this.#last && key !== '' ? this.#times + 1 : 0;
    this.#last = key;
    if (this.#times > 1) throw new Failure('partial', 'the exchange returned the same page again');
  }
}

/** How many of the latest rows are remembered. */
const REMEMBERED = 2_000;

/**
 * The rows of a list that were taken so far. It remembers little however long the list is: rows come newest first, so
 * anything newer than the newest forgotten row was already taken, or added after the start.
 */
export class TakenRows<Row> {
  readonly #of: Pick<GrowingList<Row>, 'identity' | 'time'>;

  /** The identities of the latest rows, oldest first. */
  readonly #latest: { readonly identity: string; readonly time: number }[] = [];
  /** How many of them have an identity. */
  readonly #counts = new Map<string, number>();
  #newest = Number.POSITIVE_INFINITY;
  /** The same for those that the last page added. */
  #lastCounts = new Map<string, number>();

  constructor(of: Pick<GrowingList<Row>, 'identity' | 'time'>) {
    this.#of = of;
  }

  /** Whether any of these rows may have been taken, or is newer than the start. */
  hasAny(rows: Rows<Row>): boolean {
    return rows.some((row) => this.#counts.has(this.#of.identity(row)) || this.#of.time(row) > this.#newest);
  }

  /**
   * The rows of the next page that were not taken before. Each taken row accounts for one of the page, so of equal rows only as
   * many repeat as were taken.
   * @param hasMoved whether rows may have been added since the page before; if not, no row repeats one of that page
   */
  fresh(rows: Rows<Row>, hasMoved: boolean): Rows<Row> {
    // rows added from now on are newer than the first page
    if (this.#newest === Number.POSITIVE_INFINITY && rows.length > 0)
      this.#newest = Math.max(...rows.map((row) => this.#of.time(row)));
    const left = new Map<string, number>();
    const taken = (identity: string) =>
      (this.#counts.get(identity) ?? 0) - (hasMoved ? 0 : (this.#lastCounts.get(identity) ?? 0));
    const fresh = rows.filter((row) => {
      const identity = this.#of.identity(row);
      const count = left.get(identity) ?? taken(identity);
      left.set(identity, count - 1);
      return count <= 0 && !(this.#of.time(row) > this.#newest);
    });
    this.#lastCounts = new Map();
    for (const row of fresh) this.#remember(row);
    return fresh;
  }

  #remember(row: Row): void {
    const identity = this.#of.identity(row);
    const time = this.#of.time(row);
    this.#latest.push({ identity, time });
    for (const counts of [this.#counts, this.#lastCounts]) counts.set(identity, (counts.get(identity) ?? 0) + 1);
    if (this.#latest.length > REMEMBERED) this.#forgetOne();
  }

  #forgetOne(): void {
    const oldest = this.#latest.shift();
    if (oldest === undefined) return;
    const { identity, time } = oldest;
    const count = this.#counts.get(identity) ?? 0;
    if (count > 1) this.#counts.set(identity, count - 1);
    else this.#counts.delete(identity);
    if (time < this.#newest) this.#newest = time;
  }
}
