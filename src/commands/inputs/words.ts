import { completing } from '../../cli/completes.js';

/** A word whose rules its owner checks. */
export function word(text: string): string {
  return text;
}

/** The name of a profile that is there. */
export const profileName = completing({ of: 'profile' }, word);

/** A path of a file. */
export const filePath = completing({ of: 'file' }, word);

/** The words of another program's command line. */
export const programWord = completing({ of: 'program' }, word);

/** One of some words or something else, as its owner checks. */
export function wordLike(...words: readonly string[]) {
  return completing({ of: 'words', words }, word);
}
