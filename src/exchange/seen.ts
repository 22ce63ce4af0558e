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
