import { shellWord } from '../config/private.js';
import { ACTIVE_PROFILE } from '../errors.js';
import { ownWords } from './command-line.js';

/** Commands that take no profile, or take one as an argument. */
const WITHOUT_PROFILE: ReadonlySet<string | undefined> = new Set([
  'profile',
  'sandbox',
  'completion',
  'help',
  '--help',
]);

/**
 * Writes a hint's words as a command line to copy. It names the profile that this command line was given: without it the
 * command would ask another exchange, whose "not found" reads as if nothing had happened.
 */
export function commandLine(given: readonly string[]): (argv: readonly string[]) => string {
  const profile = profileFlag(ownWords(given));
  return (argv) => {
    const isComplete = profile === undefined || WITHOUT_PROFILE.has(argv[0]) || argv.includes('--profile');
    const words = [...(isComplete ? [] : ['--profile', profile]), ...argv];
    return ['pit', ...words.map((word) => shellWord(word === ACTIVE_PROFILE ? 'NAME' : word))].join(' ');
  };
}

function profileFlag(words: readonly string[]): string | undefined {
  const joined = words.find((word) => word.startsWith('--profile='));
  if (joined !== undefined) return joined.slice('--profile='.length);
  const at = words.indexOf('--profile');
  return at === -1 ? undefined : words[at + 1];
}
