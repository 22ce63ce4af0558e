import { completing } from '../../cli/completes.js';

/** Any word; the command checks it. */
export function word(text: string): string {
  return text;
}

/** The name of an existing profile. */
export const profileName = completing({ of: 'profile' }, word);

/** A path. */
export const filePath = completing({ of: 'file' }, word);

/** The words of another program's command line. */
export const programWord = completing({ of: 'program' }, word);

/** Any word, completed with these; the command checks it. */
export function wordLike(...words: readonly string[]) {
  return completing({ of: 'words', words }, word);
}
