import { Decimal } from '../../domain/decimal.js';
import { isOvertaken } from '../../domain/market-data.js';

/** `delta`: what it does not name stays as it was. `snapshot`: what it does not name is gone (orders: is not open). */
export type Scope = 'delta' | 'snapshot';

/** The newest state of a channel: the one place that merges what came. A feed has one for its views, and to tell news from what it knows. */
export interface NewestState<Data = unknown> {
  /** Undefined before anything was taken. The same object until something changes. */
  readonly value: Data | undefined;
  /** Takes what came. Returns what is new in it, for a snapshot all that is there; undefined if nothing is new. */
  take(data: Data, scope: Scope): Data | undefined;
  /** Takes rows that are history: they are known from now on, and no part of the value. */
  remember(past: Data): void;
  /** Whether what HTTP shows has something that was not taken. */
  lacks(shown: Data): boolean;
}

/** A moment of the exchange. */
interface Timed {
  /** Milliseconds since the Unix epoch; null if the exchange does not say. */
  readonly time: number | null;
}

/** A channel whose every push is its whole state, such as a book: the newest by the exchange's time. */
export class WholeState<Data extends Timed> implements NewestState<Data> {
  readonly #isSame: (one: Data, other: Data) => boolean;

  #value: Data | undefined;

  /** @param isSame whether two states are the same but for their time */
  constructor(isSame: (one: Data, other: Data) => boolean) {
    this.#isSame = isSame;
  }

  get value(): Data | undefined {
    return this.#value;
  }

  take(data: Data): Data | undefined {
    if (this.#isOvertaken(data)) return undefined;
    this.#value = data;
    return data;
  }

  remember(): void {}

  lacks(shown: Data): boolean {
    return this.#value !== undefined && !this.#isOvertaken(shown) && !this.#isSame(this.#value, shown);
  }

  #isOvertaken({ time }: Data): boolean {
    const newest = this.#value?.time ?? null;
    return time !== null && newest !== null && isOvertaken(time, newest);
  }
}

/** What decides which rows of a channel are new, and which are kept. */
export interface RowRules<Row> {
  readonly key: (row: Row) => string | number;
  /** Whether a row has nothing new: it says less than an earlier one of its key, or nothing more. */
  readonly isOld: (row: Row, known: Row) => boolean;
  /** Whether HTTP's row says more than what is known of its key; `known` is undefined for a row that is not known. */
  readonly isMissing: (row: Row, known: Row | undefined, first: Row | undefined) => boolean;
  /** Whether a row remains that a snapshot does not name. */
  readonly remains: (row: Row) => boolean;
  /** How many of the rows that remain are kept: the oldest are dropped. */
  readonly most: number;
  /** The order of the rows. Absent: as they came first, and after them those that remain. */
  readonly compare?: (left: Row, right: Row) => number;
}

/** More rows than any account has open, whatever is sent. */
const MOST_ROWS = 10_000;

/** How many rows of history are known: what was read at the start is read again after a gap. */
const MOST_REMEMBERED = 10_000;

/** A channel of rows, such as orders: each as it was last. */
export class RowState<Row extends object> implements NewestState<readonly Row[]> {
  readonly #rules: RowRules<Row>;

  readonly #past = new Map<string | number, Row>();
  /** In the order of {@link RowRules.compare}. */
  #rows = new Map<string | number, Row>();
  #value: readonly Row[] | undefined;
  #isKnown = false;
  /** How many of the rows remain. */
  #remaining = 0;
  /** The last row in the order, and whether one came after it that belongs before it. */
  #newest: Row | undefined;
  #isUnsorted = false;

  constructor(rules: RowRules<Row>) {
    this.#rules = rules;
  }

  get value(): readonly Row[] | undefined {
    if (!this.#isKnown) return undefined;
    this.#value ??= this.#listed();
    return this.#value;
  }

  take(rows: readonly Row[], scope: Scope): readonly Row[] | undefined {
    const { key, isOld, isMissing } = this.#rules;
    if (scope === 'snapshot') this.#dropWhatIsGone(new Set(rows.map(key)));
    const news: Row[] = [];
    for (const row of rows) {
      const current = this.#rows.get(key(row));
      const past = this.#past.get(key(row));
      // of history only what says more is news: it was passed on, or is not wanted
      const isNews =
        current === undefined ? past === undefined || isMissing(row, past, undefined) : !isOld(row, current);
      if (isNews) {
        this.#put(row);
        news.push(row);
      } else if (scope === 'snapshot' && current !== undefined) news.push(current);
    }
    if (news.length === 0 && scope === 'delta' && this.#isKnown) return undefined;
    this.#isKnown = true;
    this.#value = undefined;
    this.#sort();
    this.#trim();
    return news;
  }

  remember(past: readonly Row[]): void {
    for (const row of past) if (this.#knownOf(row) === undefined) this.#remember(row);
  }

  lacks(shown: readonly Row[]): boolean {
    const [first] = this.#rows.values();
    return shown.some((row) => this.#rules.isMissing(row, this.#knownOf(row), first));
  }

  #knownOf(row: Row): Row | undefined {
    const key = this.#rules.key(row);
    return this.#rows.get(key) ?? this.#past.get(key);
  }

  #listed(): readonly Row[] {
    const rows = [...this.#rows.values()];
    const { remains, compare } = this.#rules;
    if (compare !== undefined || this.#remaining === 0) return rows;
    return [...rows.filter((row) => !remains(row)), ...rows.filter(remains)];
  }

  #dropWhatIsGone(named: ReadonlySet<string | number>): void {
    for (const [key, row] of this.#rows) if (!named.has(key) && !this.#rules.remains(row)) this.#rows.delete(key);
  }

  #put(row: Row): void {
    const { key, remains, compare } = this.#rules;
    const name = key(row);
    const before = this.#rows.get(name);
    if (before !== undefined && remains(before)) this.#remaining -= 1;
    // what ends comes last
    if (remains(row) && compare === undefined) this.#rows.delete(name);
    this.#rows.set(name, row);
    this.#past.delete(name);
    if (!remains(row)) return;
    this.#remaining += 1;
    if (compare === undefined || before !== undefined) return;
    if (this.#newest === undefined || compare(this.#newest, row) < 0) this.#newest = row;
    else this.#isUnsorted = true;
  }

  /** Rows mostly come in their order. */
  #sort(): void {
    const { compare } = this.#rules;
    if (!this.#isUnsorted || compare === undefined) return;
    this.#isUnsorted = false;
    this.#rows = new Map([...this.#rows].sort(([, left], [, right]) => compare(left, right)));
  }

  #trim(): void {
    const { most, remains } = this.#rules;
    if (this.#remaining <= most && this.#rows.size <= MOST_ROWS) return;
    for (const [key, row] of this.#rows) {
      const isRemaining = remains(row);
      if (isRemaining ? this.#remaining <= most : this.#rows.size <= MOST_ROWS) continue;
      this.#rows.delete(key);
      if (isRemaining) this.#remaining -= 1;
      if (this.#rules.compare === undefined) this.#remember(row);
    }
  }

  #remember(row: Row): void {
    this.#past.set(this.#rules.key(row), row);
    if (this.#past.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#past.keys();
    if (oldest !== undefined) this.#past.delete(oldest);
  }
}

/** Whether two numbers are the same, however many zeros their texts end with; null only equals null. */
export function isSameNumber(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  return one === other || Decimal.of(one).equals(Decimal.of(other));
}

/** Whether the first number is the smaller one. */
export function isLess(one: string, other: string): boolean {
  return one !== other && Decimal.of(one).compare(Decimal.of(other)) < 0;
}
