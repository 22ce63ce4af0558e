import { textOf } from './sources.js';

/** A quoted text after the call of a test, after the cases of one, or at the beginning of a list. */
const TITLE = /(?:\b(?:it|test)\(|\)\(|\[)\s*(['"])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** What the tests of a file are called: the titles of its tests, and the first columns of its tables of cases. */
export function titlesIn(file: string): Set<string> {
  return new Set(Array.from(textOf(file).matchAll(TITLE), ([, , title = '']) => title));
}
