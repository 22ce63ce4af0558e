import type { Parser } from '../../cli/definition.js';
import { plainNumber } from '../../domain/decimal.js';
import { quoted, usage } from '../../errors.js';
import type { Rule } from '../../sandbox/admin/parameters.js';
import { duration, oneOf, wholeNumber } from '../inputs/parsers.js';

type NumberRule = Extract<Rule, { readonly kind: 'number' | 'whole' }>;

/** Reads a number as the sandbox takes it. */
export function numberBy(name: string, { kind, min, max }: NumberRule): Parser<number> {
  if (kind === 'whole' && min >= 0) return wholeNumber(name, min, max);
  return (text) => {
    const plain = kind === 'number' ? plainNumber(text) : text;
    const value = /^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/.test(plain) ? Number(plain) : Number.NaN;
    if (value >= min && value <= max && (kind === 'number' || Number.isInteger(value))) return value;
    throw usage(
      `${name} must be a ${kind === 'whole' ? 'whole ' : ''}number from ${min} to ${max}, not ${quoted(text)}.`,
    );
  };
}

/** Reads one of the words that the sandbox takes. */
export function wordBy<const Word extends string>(
  name: string,
  { of }: { readonly of: readonly Word[] },
): Parser<Word> {
  return oneOf(name, ...of);
}

const DAY = 86_400_000;

/** Reads a duration as milliseconds that the sandbox takes. */
export function durationBy({ max }: NumberRule): Parser<number> {
  return (word) => {
    const milliseconds = duration(word);
    if (milliseconds <= max) return milliseconds;
    throw usage(`The duration ${quoted(word)} is too long.`, `Use at most ${max / DAY}d.`);
  };
}
