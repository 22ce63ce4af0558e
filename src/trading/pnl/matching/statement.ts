import { Decimal } from '../../../domain/decimal.js';
import type { Bill } from '../../../domain/funds.js';
import { groupBy } from '../group-by.js';

/** A bill with its place in the statement. */
export interface Line {
  readonly id: string;
  readonly place: number;
  readonly coin: string;
  readonly change: Decimal;
  readonly time: number;
  /** The exchange's name for its kind; null if it has none. */
  readonly type: string | null;
}

const SECOND_MS = 1_000;

/** The bills of an account, oldest first, each taken by at most one record. */
export class Statement {
  readonly lines: readonly Line[];
  /** How long a moment of the statement lasts, in ms: some exchanges date bills in whole seconds. */
  readonly momentMs: number;
  /** By place. */
  readonly #taken: Uint8Array;
  readonly #inOrder: Line[] = [];

  private constructor(lines: readonly Line[], momentMs: number) {
    this.lines = lines;
    this.momentMs = momentMs;
    this.#taken = new Uint8Array(lines.length);
  }

  static of(bills: readonly Bill[]): Statement {
    const lines = bills.map(({ id, coin, change, time, type }, place) => {
      return { id, place, coin, change: Decimal.of(change), time, type };
    });
    return new Statement(lines, bills.every(({ time }) => time % SECOND_MS === 0) ? SECOND_MS : 1);
  }

  /** The same bills, none of which is taken. */
  untaken(): Statement {
    return new Statement(this.lines, this.momentMs);
  }

  /** Whether a bill may be of something that was done at a moment, in ms, or later. */
  isSince(moment: number): (line: Line) => boolean {
    return ({ time }) => time + this.momentMs > moment;
  }

  isTaken(place: number): boolean {
    return this.#taken[place] === 1;
  }

  take(line: Line): void {
    if (this.isTaken(line.place)) return;
    this.#taken[line.place] = 1;
    this.#inOrder.push(line);
  }

  /** The bills that were taken, the first one first. */
  get taken(): readonly Line[] {
    return this.#inOrder;
  }

  takenTypes(): Set<string> {
    const types = new Set<string>();
    for (const { type } of this.#inOrder) if (type !== null) types.add(type);
    return types;
  }

  /** The bills of one moment. */
  at(time: number): readonly Line[] {
    let [low, high] = [0, this.lines.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.lines[middle]?.time ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (this.lines[end]?.time === time) end += 1;
    return this.lines.slice(low, end);
  }

  /** The bills of each moment. */
  *moments(): Generator<readonly Line[]> {
    for (let start = 0; start < this.lines.length; ) {
      const time = this.lines[start]?.time;
      let end = start + 1;
      while (this.lines[end]?.time === time) end += 1;
      yield this.lines.slice(start, end);
      start = end;
    }
  }
}

/** The bills that are left, by coin and amount. */
export class AmountIndex {
  readonly #statement: Statement;

  readonly #lines: ReadonlyMap<string, readonly Line[]>;

  constructor(statement: Statement) {
    this.#statement = statement;

    const left = statement.lines.filter(({ place }) => !statement.isTaken(place));
    this.#lines = groupBy(left, ({ coin, change }) => bookingKey(coin, change));
  }

  /** The oldest bill of exactly this amount that `suits`. */
  find(coin: string, change: Decimal, suits: (line: Line) => boolean = () => true): Line | undefined {
    return this.#lines.get(bookingKey(coin, change))?.find((one) => !this.#statement.isTaken(one.place) && suits(one));
  }

  /** All bills of exactly this amount that `suits`, oldest first. */
  all(coin: string, change: Decimal, suits: (line: Line) => boolean = () => true): readonly Line[] {
    const lines = this.#lines.get(bookingKey(coin, change)) ?? [];
    return lines.filter((one) => !this.#statement.isTaken(one.place) && suits(one));
  }

  /** Takes the bill that {@link find} finds. */
  take(coin: string, change: Decimal, suits?: (line: Line) => boolean): Line | undefined {
    const line = this.find(coin, change, suits);
    if (line !== undefined) this.#statement.take(line);
    return line;
  }
}

function bookingKey(coin: string, change: Decimal): string {
  return `${coin} ${change.trimmed().toString()}`;
}

export function magnitude({ change }: Pick<Line, 'change'>): Decimal {
  return change.sign < 0 ? change.negated() : change;
}

export function distance(one: Line, other: Line): number {
  return Math.abs(one.place - other.place);
}
