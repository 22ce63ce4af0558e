import { isSafeNumber, parse, stringify } from 'lossless-json';

/** A JSON number as the characters that were sent: a double would change a 19-digit id. */
export class NumberText {
  /** @param isPlain it has neither sign nor exponent */
  constructor(
    readonly text: string,
    readonly isPlain = false,
  ) {}

  toString(): string {
    return this.text;
  }
}

/** Between two checks, so that they cost nothing. */
const NUMBERS = 1_024;

/**
 * Parses JSON without losing a digit: every number becomes a {@link NumberText}. Throws SyntaxError, also on nesting too deep
 * to read.
 * @param check called from time to time; what it throws ends the parsing
 */
export function parseJson(text: string, check?: () => void): unknown {
  let count = 0;
  const toNumber = (number: string, isPlain = false) => {
    count += 1;
    if (count % NUMBERS === 0) check?.();
    return new NumberText(number, isPlain);
  };
  const regular = parseRegularJson(text, toNumber);
  if (regular !== undefined) return regular;
  try {
    return parse(text, undefined, (number) => toNumber(number));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The JSON text of what {@link parseJson} gave, on one line, every number as it was sent. */
export function printJson(value: unknown): string {
  const numbers = { test: (one: unknown) => one instanceof NumberText, stringify: (one: unknown) => String(one) };
  return stringify(value, undefined, undefined, [numbers]) ?? 'null';
}

/** A count, scale or code as a number; undefined when it is none that a double holds exactly. */
export function asInteger(value: unknown): number | undefined {
  const text = scalarText(value);
  return text !== undefined && /^-?\d+$/.test(text) && isSafeNumber(text) ? Number(text) : undefined;
}

/** The characters of a JSON number or string; undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
  if (value instanceof NumberText) return value.text;
  return typeof value === 'string' ? value : undefined;
}

/** JSON that {@link parseRegularJson} leaves to another parser: a key that may come twice, deep nesting, or a mistake. */
class Irregular extends Error {}

const IRREGULAR = new Irregular('this JSON is left to another parser');

/** Deeper than any message. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const MINUS = 0x2d;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Parses JSON of the usual form, many times faster than a parser that explains what is wrong. Undefined if it is not of that
 * form: it may still be JSON.
 * @param toNumber makes the value of a number; `isPlain` if it has neither sign nor exponent
 */
export function parseRegularJson(text: string, toNumber: (text: string, isPlain: boolean) => object): unknown {
  try {
    return new RegularJson(text, toNumber).document();
  } catch (thrown) {
    if (thrown === IRREGULAR) return undefined;
    throw thrown;
  }
}

class RegularJson {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly toNumber: (text: string, isPlain: boolean) => object,
  ) {}

  document(): unknown {
    const value = this.value(this.skipSpace());
    if (!Number.isNaN(this.skipSpace())) throw IRREGULAR;
    return value;
  }

  /** @param first the character that it begins with */
  private value(first: number): unknown {
    if (first === QUOTE) return this.string();
    if (first === 0x5b) return this.array();
    if (first === 0x7b) return this.object();
    if (first === 0x74) return this.word('true', true);
    if (first === 0x66) return this.word('false', false);
    if (first === 0x6e) return this.word('null', null);
    return this.number(first);
  }

  private array(): unknown[] {
    this.enter();
    const items: unknown[] = [];
    let next = this.skipSpace();
    while (next !== 0x5d) {
      items.push(this.value(next));
      next = this.skipSpace();
      if (next === 0x2c) {
        this.at += 1;
        next = this.skipSpace();
        if (next === 0x5d) throw IRREGULAR;
      } else if (next !== 0x5d) throw IRREGULAR;
    }
    this.leave();
    return items;
  }

  private object(): object {
    this.enter();
    const object: Record<string, unknown> = {};
    let next = this.skipSpace();
    while (next !== 0x7d) {
      if (next !== QUOTE) throw IRREGULAR;
      const key = this.string();
      // it came before, or every object has it
      if (object[key] !== undefined) throw IRREGULAR;
      if (this.skipSpace() !== 0x3a) throw IRREGULAR;
      this.at += 1;
      object[key] = this.value(this.skipSpace());
      next = this.skipSpace();
      if (next === 0x2c) {
        this.at += 1;
        next = this.skipSpace();
        if (next === 0x7d) throw IRREGULAR;
      } else if (next !== 0x7d) throw IRREGULAR;
    }
    this.leave();
    return object;
  }

  private enter(): void {
    this.at += 1;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw IRREGULAR;
  }

  private leave(): void {
    this.at += 1;
    this.depth -= 1;
  }

  private string(): string {
    const { text } = this;
    const start = this.at + 1;
    let at = start;
    let isEscaped = false;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
      // also at the end of the text, where there is no code
      if (!(code >= SPACE)) throw IRREGULAR;
      if (code === BACKSLASH) {
        isEscaped = true;
        at += 1;
      }
      at += 1;
    }
    this.at = at + 1;
    return isEscaped ? unescaped(text.slice(start - 1, this.at)) : text.slice(start, at);
  }

  private number(first: number): object {
    const { text } = this;
    const start = this.at;
    let isPlain = first !== MINUS;
    if (!isPlain) this.at += 1;
    if (text.charCodeAt(this.at) === ZERO) this.at += 1;
    else this.digits();
    if (text.charCodeAt(this.at) === DOT) {
      this.at += 1;
      this.digits();
    }
    // e or E
    if ((text.charCodeAt(this.at) | 0x20) === 0x65) {
      isPlain = false;
      this.at += 1;
      const sign = text.charCodeAt(this.at);
      if (sign === MINUS || sign === PLUS) this.at += 1;
      this.digits();
    }
    return this.toNumber(text.slice(start, this.at), isPlain);
  }

  /** One or more. */
  private digits(): void {
    const { text } = this;
    const start = this.at;
    let at = start;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at += 1;
    if (at === start) throw IRREGULAR;
    this.at = at;
  }

  private word<Value>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) throw IRREGULAR;
    this.at += word.length;
    return value;
  }

  /** The next character that is no space; NaN at the end. */
  private skipSpace(): number {
    const { text } = this;
    let code = text.charCodeAt(this.at);
    while (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) {
      this.at += 1;
      code = text.charCodeAt(this.at);
    }
    return code;
  }
}

function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw IRREGULAR;
  }
}
