import type { Parser } from '../../cli/definition.js';
import { plainNumber } from '../../domain/decimal.js';
import { quoted, usage } from '../../errors.js';
import type { NumberSchema } from '../../sandbox/admin/parameters.js';
import { duration, wholeNumber } from '../inputs/parsers.js';

/** What a number may be. */
function limitsOf(rule: NumberSchema) {
  const [, { requirement: min }, { requirement: max }] = rule.pipe;
  return { min, max, isWhole: rule.pipe.length === 4 };
}

/** Reads a number as the sandbox takes it. */
export function numberBy(name: string, rule: NumberSchema): Parser<number> {
  const { min, max, isWhole } = limitsOf(rule);
  if (isWhole && min >= 0) return wholeNumber(name, min, max);
  return (text) => {
    const plain = isWhole ? text : plainNumber(text);
    const value = /^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/.test(plain) ? Number(plain) : Number.NaN;
    if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
    throw usage(`${name} must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}, not ${quoted(text)}.`);
  };
}

const DAY = 86_400_000;

/** Reads a duration as milliseconds that the sandbox takes. */
export function durationBy(rule: NumberSchema): Parser<number> {
  const { max } = limitsOf(rule);
  return (word) => {
    const milliseconds = duration(word);
    if (milliseconds <= max) return milliseconds;
    throw usage(`The duration ${quoted(word)} is too long.`, `Use at most ${max / DAY}d.`);
  };
}
