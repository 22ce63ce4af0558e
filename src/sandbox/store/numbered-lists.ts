import { type Table, under } from './table.js';

/** Enough for 10^12 rows. Keys of equal length sort like their numbers. */
const DIGITS = 12;

/**
 * Entries that share a row. A commit rewrites the last row of a list if it grew, so many entries in one commit cost little more
 * than one. Two rows of this many bills still fit into a disk page.
 */
const ENTRIES_PER_ROW = 32;

/** The last row of a list, which grows: consecutive entries, oldest first. */
interface Tail<Value> {
  readonly number: number;
  readonly key: string;
  readonly chunk: Value[];
}

/**
 * Append-only lists on disk. Entries are found by their place, counted from 1, so a page costs the same anywhere in a list of
 * any length. Only the last entries are in memory.
 */
export class NumberedLists<Value> {
  readonly #table: Table<Value[]>;
  readonly #mostRows: number;

  readonly #tails = new Map<string, Tail<Value>>();

  /** @param most so many of the last entries of each list are kept at least; older ones are deleted, a row at a time */
  constructor(table: Table<Value[]>, most = Number.POSITIVE_INFINITY) {
    this.#table = table;
    this.#mostRows = Math.ceil(most / ENTRIES_PER_ROW) + 1;
  }

  length(list: string): number {
    const { number, chunk } = this.#tail(list);
    return number * ENTRIES_PER_ROW + chunk.length;
  }

  /** Adds an entry. Its place. */
  append(list: string, value: Value): number {
    let tail = this.#tail(list);
    if (tail.chunk.length === ENTRIES_PER_ROW) tail = this.#begin(list, tail.number + 1);
    tail.chunk.push(value);
    this.#table.put(tail.key, tail.chunk);
    return tail.number * ENTRIES_PER_ROW + tail.chunk.length;
  }

  /** Replaces the entry at a place. */
  put(list: string, place: number, value: Value): void {
    const number = chunkOf(place);
    const chunk = this.#chunk(list, number);
    chunk[indexOf(place)] = value;
    this.#table.put(entryKey(list, number), chunk);
  }

  /** Throws RangeError if there is no such entry, which would be a defect: places come from this list and are not deleted. */
  at(list: string, place: number): Value {
    const value = this.#chunk(list, chunkOf(place))[indexOf(place)];
    if (value === undefined) throw new RangeError(`${list} has no entry ${place}`);
    return value;
  }

  /** The entries from one place to another, both included, oldest first. Places beyond the end, and deleted ones, are left out. */
  between(list: string, first: number, last: number): Value[] {
    const values: Value[] = [];
    const kept = chunkOf(Math.max(first, this.#firstKept(list)));
    for (let number = kept; number <= chunkOf(last); number += 1) {
      const before = number * ENTRIES_PER_ROW;
      values.push(...this.#chunk(list, number).slice(Math.max(0, first - 1 - before), Math.max(0, last - before)));
    }
    return values;
  }

  /** A page, newest first; pages count from 1. Only places from `first` to `last` are shown. */
  newest(list: string, page: number, size: number, first = 1, last = this.length(list)): Value[] {
    const top = last - (page - 1) * size;
    return this.between(list, Math.max(first, top - size + 1), top).reverse();
  }

  /** The first place whose entry is kept and not `before`, by binary search: all entries that are must come first. */
  firstNot(list: string, before: (value: Value) => boolean): number {
    let [low, high] = [this.#firstKept(list), this.length(list) + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(this.at(list, middle))) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first place that is not deleted. */
  #firstKept(list: string): number {
    return Math.max(0, this.#tail(list).number + 1 - this.#mostRows) * ENTRIES_PER_ROW + 1;
  }

  #chunk(list: string, number: number): Value[] {
    const tail = this.#tail(list);
    if (number > tail.number) return [];
    const chunk = number === tail.number ? tail.chunk : this.#table.get(entryKey(list, number));
    if (chunk === undefined) throw new RangeError(`${list} lacks its row ${number}`);
    return chunk;
  }

  #tail(list: string): Tail<Value> {
    return this.#tails.get(list) ?? this.#stored(list) ?? this.#begin(list, 0);
  }

  #stored(list: string): Tail<Value> | undefined {
    for (const [key, chunk] of this.#table.entries({ ...under(`${list}/`), reverse: true })) {
      return this.#keep(list, { number: Number(key.slice(-DIGITS)), key, chunk });
    }
    return undefined;
  }

  #begin(list: string, number: number): Tail<Value> {
    if (number >= this.#mostRows) this.#table.delete(entryKey(list, number - this.#mostRows));
    return this.#keep(list, { number, key: entryKey(list, number), chunk: [] });
  }

  #keep(list: string, tail: Tail<Value>): Tail<Value> {
    this.#tails.set(list, tail);
    return tail;
  }
}

function chunkOf(place: number): number {
  return Math.floor((place - 1) / ENTRIES_PER_ROW);
}

function indexOf(place: number): number {
  return (place - 1) % ENTRIES_PER_ROW;
}

function entryKey(list: string, number: number): string {
  return `${list}/${String(number).padStart(DIGITS, '0')}`;
}
