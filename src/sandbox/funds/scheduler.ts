import type { Codec, Table } from '../store/table.js';

/** Something that is to happen at a moment of the exchange's clock; `key` says what and to which record. */
interface Due {
  readonly time: number;
  readonly key: string;
}

export const timeCodec: Codec<number> = { encode: (time) => time, decode: Number };

/** What is still to happen, in its order. It is stored, and as short as the number of things under way. */
export class Scheduler {
  private readonly entries: Due[] = [];

  constructor(private readonly table: Table<number>) {
    for (const [key, time] of table.entries({ start: '', end: '\u{7f}' })) this.entries.push({ key, time });
    this.entries.sort((one, other) => (isAfter(one, other) ? 1 : -1));
  }

  /** When the next thing is due; infinity when nothing is. */
  get next(): number {
    return this.entries[0]?.time ?? Number.POSITIVE_INFINITY;
  }

  /** Puts a key in its place; new ones belong near the end. */
  add(key: string, time: number): void {
    const due = { key, time };
    const before = this.entries.findLastIndex((entry) => isAfter(due, entry));
    this.entries.splice(before + 1, 0, due);
    this.table.put(key, time);
  }

  /** Takes the next thing out when it is due by `time`. */
  take(time: number): Due | undefined {
    if (this.next > time) return undefined;
    const due = this.entries.shift();
    if (due !== undefined) this.table.delete(due.key);
    return due;
  }

  remove(key: string): void {
    const index = this.entries.findIndex((entry) => entry.key === key);
    if (index >= 0) this.entries.splice(index, 1);
    this.table.delete(key);
  }
}

/** Keys decide between things of one moment, so that a restart keeps their order. */
function isAfter(one: Due, other: Due): boolean {
  return one.time > other.time || (one.time === other.time && one.key > other.key);
}
