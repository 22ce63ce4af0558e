import { completing } from '../../cli/completes.js';
import type { Reader } from '../../cli/definition.js';
import { Decimal } from '../../domain/decimal.js';
import { quoted, usage } from '../../errors.js';

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(name: string, least: number, most: number): Reader<number> {
  return (word) => {
    const value = /^\d{1,9}$/.test(word) ? Number(word) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw usage(`${name} is ${quoted(word)}.`, `It must be a whole number from ${least} to ${most}.`);
  };
}

/** A decimal number above zero, as plain digits: no sign, no exponent, no thousands separators. */
export function positiveDecimal(name: string): Reader<string> {
  return (word) => {
    const value = /^\d{1,30}(\.\d{1,30})?$/.test(word) ? Decimal.parse(word) : undefined;
    if (value !== undefined && value.sign > 0) return value.toString();
    throw usage(
      `${name} is ${quoted(word)}.`,
      'It must be a number above zero, written as plain digits like 0.5 or 31000.',
    );
  };
}

/** One of these words, in any case. */
export function oneOf<const Word extends string>(name: string, ...words: readonly Word[]): Reader<Word> {
  return completing({ of: 'words', words }, (word) => {
    const found = words.find((candidate) => candidate === word.toLowerCase() || candidate === word);
    if (found !== undefined) return found;
    throw usage(`${name} is ${quoted(word)}.`, `It must be one of ${words.join(', ')}.`);
  });
}

/** An id from the exchange: more digits than a double can hold. */
export function idNumber(name: string): Reader<string> {
  return (word) => {
    if (/^\d{1,19}$/.test(word)) return BigInt(word).toString();
    throw usage(`${name} is ${quoted(word)}.`, 'It must be the id from the exchange: digits only.');
  };
}

/** The id of an existing order. */
export const orderId = completing({ of: 'order' }, idNumber('The order id'));

/** The interface allows 4 to 36 letters and digits. */
export function clientId(word: string): string {
  if (/^[A-Za-z0-9]{4,36}$/.test(word)) return word;
  throw usage(`The client order id is ${quoted(word)}.`, 'It must be 4 to 36 letters or digits.');
}

/** The client id of an existing order. */
export const knownClientId = completing({ of: 'clientId' }, clientId);

/** The client id of a write with an unknown outcome. */
export const unresolvedId = completing({ of: 'unresolved' }, clientId);
