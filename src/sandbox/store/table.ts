/** Plain values that LMDB's encoding can hold. */
export type Row = string | number | null | readonly Row[];

/** Converts a value to a row on disk and back. */
export interface Codec<Value> {
  encode(value: Value): Row;
  decode(row: Row, key: string): Value;
}

/** What a table needs of the database. */
export interface Disk {
  get(key: string): Row | undefined;
  range(start: string, end: string, reverse: boolean): Iterable<{ key: string; value: Row }>;
}

interface Range {
  /** Inclusive. */
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly reverse?: boolean;
}

/**
 * Rows by key. Changes are visible at once and wait in memory until the store writes them; a row that changes ten times
 * meanwhile is written once. Values are encoded only then, so a waiting value may still change.
 */
export class Table<Value> {
  private waiting = new Map<string, Value | undefined>();
  private underWay = new Map<string, Value | undefined>();

  constructor(
    private readonly name: string,
    private readonly codec: Codec<Value>,
    private readonly disk: Disk,
    private readonly changed: () => void,
  ) {}

  get(key: string): Value | undefined {
    if (this.waiting.has(key)) return this.waiting.get(key);
    if (this.underWay.has(key)) return this.underWay.get(key);
    const row = this.disk.get(`${this.name}/${key}`);
    return row === undefined ? undefined : this.codec.decode(row, key);
  }

  put(key: string, value: Value): void {
    this.waiting.set(key, value);
    this.changed();
  }

  delete(key: string): void {
    this.waiting.set(key, undefined);
    this.changed();
  }

  /** The values of a range in the order of their keys. */
  *range(range: Range): Generator<Value> {
    for (const [, value] of this.entries(range)) yield value;
  }

  /** The rows of a range in the order of their keys, read as they are taken. */
  *entries({ start, end, reverse = false }: Range): Generator<[key: string, value: Value]> {
    const changes = this.changesWithin(start, end, reverse);
    const isBefore = (a: string, b: string) => (reverse ? a > b : a < b);
    let next = 0;
    for (const { key: path, value } of this.disk.range(`${this.name}/${start}`, `${this.name}/${end}`, reverse)) {
      const key = path.slice(this.name.length + 1);
      for (let change = changes[next]; change && isBefore(change[0], key); change = changes[++next]) {
        if (change[1] !== undefined) yield [change[0], change[1]];
      }
      if (changes[next]?.[0] !== key) yield [key, this.codec.decode(value, key)];
    }
    for (const [key, value] of changes.slice(next)) if (value !== undefined) yield [key, value];
  }

  /** The waiting changes, encoded; null is a deleted row. {@link written} must follow. */
  take(): [path: string, row: Row | null][] {
    this.underWay = this.waiting;
    this.waiting = new Map();
    return Array.from(this.underWay, ([key, value]) => [
      `${this.name}/${key}`,
      value === undefined ? null : this.codec.encode(value),
    ]);
  }

  /** What was taken is on disk. */
  written(): void {
    this.underWay = new Map();
  }

  private changesWithin(start: string, end: string, reverse: boolean): [string, Value | undefined][] {
    const changes = new Map<string, Value | undefined>();
    for (const map of [this.underWay, this.waiting]) {
      for (const [key, value] of map) if (key >= start && key < end) changes.set(key, value);
    }
    const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
    return reverse ? sorted.reverse() : sorted;
  }
}

/** The range of all keys that begin with `prefix`. */
export function under(prefix: string): { start: string; end: string } {
  return { start: prefix, end: `${prefix}\u{7f}` };
}
