import type { Side } from '../../domain/order.js';
import type { Store } from '../store/store.js';
import type { Codec, Table } from '../store/table.js';
import { type Print, printsOf, type RecordedCandle, type Recording } from './recording.js';

type StoredRow = readonly Print[];

/** The progress of a replay: its number of rows, the next row (from 0), and the next print within it. */
interface Progress {
  rows: number;
  row: number;
  print: number;
}

/** A row as in the file: a candle has seven numbers, a trade four. */
const rowCodec: Codec<RecordedCandle | Print> = {
  encode: (row) =>
    'open' in row
      ? [row.time, row.length, ...[row.open, row.high, row.low, row.close, row.volume].map(String)]
      : [row.time, row.side, String(row.price), String(row.amount)],
  decode: (row) => {
    const [time, second, ...rest] = row as [number, number | Side, ...string[]];
    const [first = 0n, next = 0n, third = 0n, fourth = 0n, fifth = 0n] = rest.map(BigInt);
    if (typeof second === 'string') return { time, side: second, price: first, amount: next };
    return { time, length: second, open: first, high: next, low: third, close: fourth, volume: fifth };
  },
};

const progressCodec: Codec<Progress> = {
  encode: ({ rows, row, print }) => [rows, row, print],
  decode: (row) => {
    const [rows, next, print] = row as [number, number, number];
    return { rows, row: next, print };
  },
};

/** The replay of one market. It continues after a restart. */
class Replay {
  private prints: StoredRow = [];

  constructor(
    readonly market: string,
    private readonly rows: Table<RecordedCandle | Print>,
    private readonly progress: Progress,
    private readonly changed: (progress: Progress) => void,
  ) {
    this.read();
  }

  get left(): number {
    return this.progress.rows - this.progress.row;
  }

  /** When the next print is due; infinity if there are no more. */
  get next(): number {
    return this.prints[this.progress.print]?.time ?? Number.POSITIVE_INFINITY;
  }

  take(): Print {
    const print = this.prints[this.progress.print];
    if (print === undefined) throw new RangeError('the replay is over');
    this.progress.print += 1;
    if (this.progress.print === this.prints.length) {
      this.progress.row += 1;
      this.progress.print = 0;
      this.read();
    }
    this.changed(this.progress);
    return print;
  }

  private read(): void {
    const row = this.left > 0 ? this.rows.get(rowKey(this.market, this.progress.row)) : undefined;
    if (row === undefined) this.prints = [];
    else this.prints = 'open' in row ? printsOf(row) : [row];
  }
}

/** The replays of recorded markets. In a market that was replayed, simulated traders no longer trade on their own. */
export class Replays {
  private readonly byMarket = new Map<string, Replay>();
  private readonly rows: Table<RecordedCandle | Print>;
  private readonly progress: Table<Progress>;

  constructor(store: Store) {
    this.rows = store.table('replayRows', rowCodec);
    this.progress = store.table('replays', progressCodec);
    for (const [market, progress] of this.progress.entries({ start: '', end: '\u{7f}' })) this.open(market, progress);
  }

  has(market: string): boolean {
    return this.byMarket.has(market);
  }

  /** Rows of all markets that are still to be replayed. */
  get left(): number {
    return [...this.byMarket.values()].reduce((sum, replay) => sum + replay.left, 0);
  }

  /** When the next print of any market is due; infinity if there is none. */
  get next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const replay of this.byMarket.values()) next = Math.min(next, replay.next);
    return next;
  }

  /** Lets a market follow a recording. The rest of an earlier one is dropped. */
  add(market: string, { rows }: Recording): void {
    for (const [index, row] of rows.entries()) this.rows.put(rowKey(market, index), row);
    const progress = { rows: rows.length, row: 0, print: 0 };
    this.progress.put(market, progress);
    this.open(market, progress);
  }

  /** The prints that are due by `time`, oldest first. */
  *takeDue(time: number): Generator<readonly [market: string, print: Print]> {
    for (const replay of this.byMarket.values()) {
      while (replay.next <= time) yield [replay.market, replay.take()];
    }
  }

  private open(market: string, progress: Progress): void {
    const changed = (state: Progress) => this.progress.put(market, state);
    this.byMarket.set(market, new Replay(market, this.rows, progress, changed));
  }
}

function rowKey(market: string, row: number): string {
  return `${market}/${String(row).padStart(9, '0')}`;
}
