import { isSafeNumber, parse, stringify } from 'lossless-json';

/** A JSON number as the characters that were sent: a double would change a 19-digit id. */
export class NumberText {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Between two checks, so that they cost nothing. */
const NUMBERS = 1_024;

/**
 * Parses JSON without losing a digit: every number becomes a {@link NumberText}. Throws SyntaxError, also on nesting too deep
 * to read, and on a key that comes twice with different values.
 * @param check called from time to time; what it throws ends the parsing
 */
export function parseJson(text: string, check?: () => void): unknown {
  let count = 0;
  const toNumber = (number: string) => {
    count += 1;
    if (count % NUMBERS === 0) check?.();
    return new NumberText(number);
  };
  try {
    return parse(text, undefined, toNumber);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SyntaxError(error.message, { cause: error });
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
