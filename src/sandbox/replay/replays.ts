import type { Table } from '../store/table.js';
import { type Print, printsOf, type RecordedCandle, type Recording } from './recording.js';

/** The progress of a replay: its number of rows, the next row (from 0), and the next print within it. */
export interface Progress {
  rows: number;
  row: number;
  print: number;
}

type Row = RecordedCandle | Print;

/** The replay of one market. It continues after a restart. */
class Replay {
  readonly #rows: Table<Row>;
  readonly #progress: Progress;

  #prints: readonly Print[] = [];

  constructor(
    readonly market: string,
    rows: Table<Row>,
    progress: Progress,
  ) {
    this.#rows = rows;
    this.#progress = progress;

    this.#read();
  }

  get left(): number {
    return this.#progress.rows - this.#progress.row;
  }

  /** When the next print is due; infinity if there are no more. */
  get next(): number {
    return this.#prints[this.#progress.print]?.time ?? Number.POSITIVE_INFINITY;
  }

  take(): Print {
    const print = this.#prints[this.#progress.print];
    if (print === undefined) throw new RangeError('the replay is over');
    this.#progress.print += 1;
    if (this.#progress.print === this.#prints.length) {
      this.#progress.row += 1;
      this.#progress.print = 0;
      this.#read();
    }
    return print;
  }

  #read(): void {
    const row = this.left > 0 ? this.#rows.get(rowKey(this.market, this.#progress.row)) : undefined;
    if (row === undefined) this.#prints = [];
    else this.#prints = 'open' in row ? printsOf(row) : [row];
  }
}

export interface ReplayedMarket {
  readonly market: string;
  /** Rows that are still to be replayed. */
  readonly left: number;
}

/** The replays of recorded markets. In a market that was replayed, simulated traders no longer trade on their own. */
export class Replays {
  readonly #progress: Map<string, Progress>;
  readonly #rows: Table<Row>;

  readonly #byMarket = new Map<string, Replay>();

  /** The progress by market is a part of the exchange's state. */
  constructor(progress: Map<string, Progress>, rows: Table<Row>) {
    this.#progress = progress;
    this.#rows = rows;

    for (const [market, each] of progress) this.#byMarket.set(market, new Replay(market, rows, each));
  }

  has(market: string): boolean {
    return this.#byMarket.has(market);
  }

  /** Rows of all markets that are still to be replayed. */
  get left(): number {
    return this.all.reduce((sum, { left }) => sum + left, 0);
  }

  /** The markets that follow a recording, those at its end too, with the rows that are still to be replayed. */
  get all(): readonly ReplayedMarket[] {
    return [...this.#byMarket.values()].map(({ market, left }) => ({ market, left }));
  }

  /** When the next print of any market is due; infinity if there is none. */
  get next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const replay of this.#byMarket.values()) next = Math.min(next, replay.next);
    return next;
  }

  /** Lets a market follow a recording. The rest of an earlier one is dropped. */
  add(market: string, { rows }: Recording): void {
    for (const [index, row] of rows.entries()) this.#rows.put(rowKey(market, index), row);
    const progress = { rows: rows.length, row: 0, print: 0 };
    this.#progress.set(market, progress);
    this.#byMarket.set(market, new Replay(market, this.#rows, progress));
  }

  /** The prints that are due by `time`, oldest first. */
  *takeDue(time: number): Generator<readonly [market: string, print: Print]> {
    for (const replay of this.#byMarket.values()) {
      while (replay.next <= time) yield [replay.market, replay.take()];
    }
  }
}

function rowKey(market: string, row: number): string {
  return `${market}/${String(row).padStart(9, '0')}`;
}
