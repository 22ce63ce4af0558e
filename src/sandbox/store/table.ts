import type { Database } from 'lmdb';

/** What a table needs of the database. */
export type Rows = Pick<Database<unknown, string>, 'get' | 'getRange' | 'put' | 'remove'>;

interface Range {
  /** Inclusive. */
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly reverse?: boolean;
}

/**
 * Rows by key: plain values, bigints included. Changes are visible at once and wait in memory until the store writes them; a row
 * that changes ten times meanwhile is written once. It is encoded only then, so a waiting value may still change.
 */
export class Table<Value> {
  readonly #name: string;
  readonly #rows: Rows;
  readonly #changed: () => void;

  #changes = new Map<string, Value | undefined>();

  /** `changed` is called with each change. */
  constructor(name: string, rows: Rows, changed: () => void = () => undefined) {
    this.#name = name;
    this.#rows = rows;
    this.#changed = changed;
  }

  get(key: string): Value | undefined {
    if (this.#changes.has(key)) return this.#changes.get(key);
    return this.#rows.get(`${this.#name}/${key}`) as Value | undefined;
  }

  put(key: string, value: Value): void {
    this.#changes.set(key, value);
    this.#changed();
  }

  delete(key: string): void {
    this.#changes.set(key, undefined);
    this.#changed();
  }

  /** The rows of a range in the order of their keys, read as they are taken. */
  *entries({ start, end, reverse = false }: Range): Generator<[key: string, value: Value]> {
    const changes = this.#changesWithin(start, end, reverse);
    const isBefore = (a: string, b: string) => (reverse ? a > b : a < b);
    const [from, to] = [`${this.#name}/${start}`, `${this.#name}/${end}`];
    const range = reverse
      ? { start: to, end: from, reverse, exclusiveStart: true, inclusiveEnd: true }
      : { start: from, end: to };
    let next = 0;
    for (const row of this.#rows.getRange(range)) {
      const [key, value] = [row.key.slice(this.#name.length + 1), row.value as Value];
      for (let change = changes[next]; change && isBefore(change[0], key); change = changes[++next]) {
        if (change[1] !== undefined) yield [change[0], change[1]];
      }
      if (changes[next]?.[0] !== key) yield [key, value];
    }
    for (const [key, value] of changes.slice(next)) if (value !== undefined) yield [key, value];
  }

  /** Writes the changes, within a transaction. Call {@link written} once it is committed. */
  write(): void {
    for (const [key, value] of this.#changes) {
      if (value === undefined) void this.#rows.remove(`${this.#name}/${key}`);
      else void this.#rows.put(`${this.#name}/${key}`, value);
    }
  }

  written(): void {
    // a map that is emptied keeps what it held in V8's memory until a major collection
    this.#changes = new Map();
  }

  #changesWithin(start: string, end: string, reverse: boolean): [string, Value | undefined][] {
    const within: [string, Value | undefined][] = [];
    for (const change of this.#changes) if (change[0] >= start && change[0] < end) within.push(change);
    const sorted = within.sort(([a], [b]) => (a < b ? -1 : 1));
    return reverse ? sorted.reverse() : sorted;
  }
}

/** The range of all keys that begin with `prefix`; without one, of all. */
export function under(prefix = ''): { start: string; end: string } {
  return { start: prefix, end: `${prefix}\u{7f}` };
}
