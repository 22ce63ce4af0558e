import { Decimal } from '../../domain/decimal.js';

/** A line on disk that is not what pit writes. */
class UnreadableLine extends Error {}

/** What a line of JSON holds; undefined if `decode` finds that it is not what pit writes, for instance because it was cut off. */
export function tryDecode<Value>(line: string, decode: (fields: LineFields) => Value): Value | undefined {
  try {
    return decode(new LineFields(JSON.parse(line)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnreadableLine) return undefined;
    throw error;
  }
}

/** No market has more decimals. */
const MAX_SCALE = 30;

/** The parts of an object that was read. Each method throws {@link UnreadableLine} for a part that is missing or another kind of value. */
export class LineFields {
  readonly #parts: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableLine();
    this.#parts = value as Readonly<Record<string, unknown>>;
  }

  static text(this: void, value: unknown): string {
    if (typeof value !== 'string') throw new UnreadableLine();
    return value;
  }

  static decimal(this: void, value: unknown): Decimal {
    const decimal = Decimal.parse(LineFields.text(value));
    if (decimal === undefined) throw new UnreadableLine();
    return decimal;
  }

  static numeric(this: void, value: unknown): string {
    LineFields.decimal(value);
    return LineFields.text(value);
  }

  static integer(this: void, value: unknown): number {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new UnreadableLine();
    return value;
  }

  absent(name: string): boolean {
    return !Object.hasOwn(this.#parts, name);
  }

  text(name: string): string {
    return LineFields.text(this.#parts[name]);
  }

  decimal(name: string): Decimal {
    return LineFields.decimal(this.#parts[name]);
  }

  integer(name: string): number {
    return LineFields.integer(this.#parts[name]);
  }

  /** Milliseconds since the Unix epoch that a date can show. */
  time(name: string): number {
    const time = this.integer(name);
    if (Number.isNaN(new Date(time).getTime())) throw new UnreadableLine();
    return time;
  }

  /** A number of decimals. */
  scale(name: string): number {
    const scale = this.integer(name);
    if (scale < 0 || scale > MAX_SCALE) throw new UnreadableLine();
    return scale;
  }

  /** A decimal as it is written. */
  numeric(name: string): string {
    return LineFields.numeric(this.#parts[name]);
  }

  flag(name: string): boolean {
    const value = this.#parts[name];
    if (typeof value !== 'boolean') throw new UnreadableLine();
    return value;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
    const word = words.find((one) => one === this.#parts[name]);
    if (word === undefined) throw new UnreadableLine();
    return word;
  }

  object(name: string): LineFields {
    return new LineFields(this.#parts[name]);
  }

  list<Value>(name: string, read: (value: unknown) => Value): Value[] {
    const value = this.#parts[name];
    if (!Array.isArray(value)) throw new UnreadableLine();
    return value.map(read);
  }

  /** Null stands for null; what is missing is unreadable. */
  optional<Value>(name: string, read: (value: unknown) => Value): Value | null {
    const value = this.#parts[name];
    return value === null ? null : read(value);
  }
}
