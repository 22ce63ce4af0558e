import { ownWords } from './command-line.js';

/**
 * Commands that a message names, for the profile that this command was given by a flag: typed without it they would ask
 * another exchange, whose "not found" reads as if nothing had happened.
 */
export function sameProfile(text: string, words: readonly string[]): string {
  const profile = profileFlag(ownWords(words));
  if (profile === undefined || text.includes('--profile')) return text;
  // `pit profile` takes the name of one as an argument
  return text.replace(/\bpit (?!profile\b)(?=[a-z])/g, `pit --profile ${profile} `);
}

function profileFlag(words: readonly string[]): string | undefined {
  const joined = words.find((word) => word.startsWith('--profile='));
  if (joined !== undefined) return joined.slice('--profile='.length);
  const at = words.indexOf('--profile');
  return at === -1 ? undefined : words[at + 1];
}
