// The words of `npm run campaign:NAME -- WORDS`, checked for all campaigns in one place: one that takes a word for a count and gets no
// number would try nothing, and pass.

/** A count, a seed, and whatever numbers follow. A count of nothing tries nothing. */
const NUMBERS = /^([1-9]\d*( \d+){0,3})?$/;

/** What other campaigns take, as their first comments say. @type {Readonly<Record<string, RegExp>>} */
const OTHERS = {
  faults: /^([1-9]\d*( \d+)?|kinds( slice)?( \d+( [^-].*)?)?)?$/,
  'halt-kills': /^(([1-9]\d*|all)( \d+)?)?$/,
  halts: /^([1-9]\d*( \d+( rediss?:\/\/\S+)?)?)?$/,
  limiter: /^([1-9]\d*( rediss?:\/\/\S+)?)?$/,
  recipes: /^([^-].*)?$/,
};

/**
 * What is wrong with the words; undefined if nothing is.
 * @param {string} name of the campaign
 * @param {readonly string[]} words
 */
export function problemOfWords(name, words) {
  const form = Object.hasOwn(OTHERS, name) ? OTHERS[name] : NUMBERS;
  if (form?.test(words.join(' '))) return undefined;
  return `campaign:${name} does not take "${words.join(' ')}": see the first lines of test/campaigns/${name}.ts.`;
}
