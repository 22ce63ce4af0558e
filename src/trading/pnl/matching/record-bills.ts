import type { Line, Statement } from './statement.js';

/** A deposit or withdrawal. */
interface Recorded {
  /** In milliseconds since the Unix epoch; null if it is uncertain. */
  readonly time: number | null;
}

/** The bills that a record may have: each time those of one moment that add up to it. */
export type Fits<Row> = (row: Row) => readonly (readonly Line[])[];

interface FoundBills<Row> {
  readonly row: Row;
  readonly lines: readonly Line[];
  readonly fits: Fits<Row>;
}

/** Records are dated in whole seconds. */
const SECOND_MS = 1_000;

/**
 * Gives each record bills of its own among those of the same amounts. None is older than its record. Bills of the very second of the
 * record come first, then those of a kind that such records have, then the oldest.
 */
export class RecordBills<Row extends Recorded> {
  readonly #statement: Statement;
  readonly #found = new Map<Row, FoundBills<Row>>();
  /** What the exchange calls the bills of such records, where only one bill may be theirs. */
  readonly #kinds = new Set<string>();

  constructor(statement: Statement) {
    this.#statement = statement;
  }

  /** Takes bills for the records that have none yet. What may be of the last record only is not taken by an earlier one. */
  take(rows: readonly Row[], fits: Fits<Row>): void {
    const open = rows.filter((row) => !this.#found.has(row));
    for (const row of open) {
      const [only, another] = fits(row);
      const [line] = only ?? [];
      if (another === undefined && line !== undefined && line.type !== null) this.#kinds.add(line.type);
    }
    const lastFirst = open.toSorted((one, other) => (other.time ?? 0) - (one.time ?? 0));
    for (const row of lastFirst) {
      const [best] = this.#ranked(row, fits);
      if (best === undefined) continue;
      for (const line of best.lines) this.#statement.take(line);
      this.#found.set(row, { row, lines: best.lines, fits });
    }
  }

  linesOf(row: Row): readonly Line[] | undefined {
    return this.#found.get(row)?.lines;
  }

  /** Bills that more than one record fits, or that fit a record as well as the bill that it took. */
  doubtful(): readonly Line[] {
    return [...this.#found.values()].flatMap(({ row, lines, fits }) => {
      const own = this.#rankOf(row, lines);
      const others = this.#ranked(row, fits).filter(({ rank }) => rank <= own);
      return others.length === 0 ? [] : [lines, ...others.map((other) => other.lines)].flatMap(([line]) => line ?? []);
    });
  }

  #ranked(row: Row, fits: Fits<Row>) {
    return fits(row)
      .map((lines) => ({ lines, rank: this.#rankOf(row, lines) }))
      .sort((one, other) => one.rank - other.rank || timeOf(one.lines) - timeOf(other.lines));
  }

  #rankOf({ time }: Row, lines: readonly Line[]): number {
    const type = lines[0]?.type ?? null;
    return (isOfSecond(timeOf(lines), time) ? 0 : 2) + (type !== null && this.#kinds.has(type) ? 0 : 1);
  }
}

function timeOf([line]: readonly Line[]): number {
  return line?.time ?? 0;
}

/** Whether a bill is of the second of a record. */
export function isOfSecond(billed: number, recorded: number | null): boolean {
  return recorded !== null && Math.floor(billed / SECOND_MS) === Math.floor(recorded / SECOND_MS);
}
