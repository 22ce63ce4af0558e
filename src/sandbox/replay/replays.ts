import type { Table } from '../store/table.js';
import type { MarketUpdate } from './market-update.js';

/** The progress of a replay: its number of rows, the next row (from 0), and the next update within it. */
export interface Progress {
  /** Which of the recordings of the market that were loaded. */
  readonly key: string;
  readonly rows: number;
  row: number;
  index: number;
}

/** What a document or row of a file does to a market. */
export type ReplayRow = readonly MarketUpdate[];

/** The replay of one market. It continues after a restart. */
class Replay {
  readonly #rows: Table<ReplayRow>;
  readonly #progress: Progress;

  #row: ReplayRow = [];

  constructor(
    readonly market: string,
    rows: Table<ReplayRow>,
    progress: Progress,
  ) {
    this.#rows = rows;
    this.#progress = progress;

    this.#read();
  }

  get left(): number {
    return this.#progress.rows - this.#progress.row;
  }

  /** When something happens next; infinity if nothing does. */
  get next(): number {
    return this.#row[this.#progress.index]?.time ?? Number.POSITIVE_INFINITY;
  }

  take(): MarketUpdate {
    const update = this.#row[this.#progress.index];
    if (update === undefined) throw new RangeError('the replay is over');
    this.#progress.index += 1;
    if (this.#progress.index === this.#row.length) {
      this.#progress.row += 1;
      this.#progress.index = 0;
      this.#read();
    }
    return update;
  }

  #read(): void {
    const { key, row } = this.#progress;
    this.#row = this.left > 0 ? (this.#rows.get(rowKey(key, row)) ?? []) : [];
  }
}

export interface ReplayedMarket {
  readonly market: string;
  /** Rows that are still to be replayed. */
  readonly left: number;
}

/** The replays of recorded markets. */
export class Replays {
  readonly #progress: Map<string, Progress>;
  readonly #rows: Table<ReplayRow>;

  readonly #byMarket = new Map<string, Replay>();

  /** The progress by market is a part of the exchange's state. */
  constructor(progress: Map<string, Progress>, rows: Table<ReplayRow>) {
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

  /** When something happens next in any market; infinity if nothing does. */
  get next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const replay of this.#byMarket.values()) next = Math.min(next, replay.next);
    return next;
  }

  /** Stores the rows of recordings. Nothing is replayed before {@link LoadedReplays.begin}. */
  load(): LoadedReplays {
    return new LoadedReplays(this.#rows, this.#progress, (market, progress) =>
      this.#byMarket.set(market, new Replay(market, this.#rows, progress)),
    );
  }

  /** What is due by `time`, oldest first in each market. */
  *takeDue(time: number): Generator<readonly [market: string, update: MarketUpdate]> {
    for (const replay of this.#byMarket.values()) {
      while (replay.next <= time) yield [replay.market, replay.take()];
    }
  }
}

/** Recordings that are being stored, a row after the other. */
class LoadedReplays {
  readonly #rows: Table<ReplayRow>;
  readonly #progress: Map<string, Progress>;
  readonly #begin: (market: string, progress: Progress) => void;

  readonly #counts = new Map<string, { readonly key: string; rows: number }>();

  constructor(
    rows: Table<ReplayRow>,
    progress: Map<string, Progress>,
    begin: (market: string, progress: Progress) => void,
  ) {
    this.#rows = rows;
    this.#progress = progress;
    this.#begin = begin;
  }

  /** Rows of all markets. */
  get count(): number {
    return [...this.#counts.values()].reduce((sum, { rows }) => sum + rows, 0);
  }

  add(market: string, row: ReplayRow): void {
    const count = this.#counts.get(market) ?? { key: this.#freeKey(market), rows: 0 };
    this.#counts.set(market, count);
    this.#rows.put(rowKey(count.key, count.rows), row);
    count.rows += 1;
  }

  /** Lets the markets follow what was stored. The rest of earlier recordings of these markets is dropped. */
  begin(): void {
    for (const [market, { key, rows }] of this.#counts) {
      const progress = { key, rows, row: 0, index: 0 };
      this.#progress.set(market, progress);
      this.#begin(market, progress);
    }
  }

  /** Not the key of the recording that the market follows now. */
  #freeKey(market: string): string {
    return this.#progress.get(market)?.key === market ? `${market}+` : market;
  }
}

function rowKey(key: string, row: number): string {
  return `${key}/${String(row).padStart(9, '0')}`;
}
