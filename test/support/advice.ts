import { expect } from 'vitest';
import { type Advice, adviceParts } from '../../src/errors.js';

/** An advice as a test reads it: its sentences, and its commands as they are typed. */
export function adviceText(advice: Advice): string {
  return adviceParts(advice)
    .map((part) => (typeof part === 'string' ? part : `${part.note}: pit ${part.argv.join(' ')}`))
    .join(' ');
}

/** Stands in an expectation for the hints of a failure that say this. */
export function saying(words: string | RegExp): Advice {
  return expect.toSatisfy((hints: Advice) => {
    const text = adviceText(hints);
    return typeof words === 'string' ? text.includes(words) : words.test(text);
  }) as Advice;
}
