import { ACTIVE_PROFILE, Failure, shellWord } from '../errors.js';

/** Commands that take no profile, or take one as an argument. */
const WITHOUT_PROFILE: ReadonlySet<string | undefined> = new Set([
  'profile',
  'sandbox',
  'completion',
  'help',
  '--help',
]);

/** The arguments before `--`. Those after it may be the command line of another program. */
export function argumentsOfPit(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  return at === -1 ? args : args.slice(0, at);
}

/**
 * Writes a hint's words as a command line to copy. It names the profile that this command line was given: without it the
 * command would ask another exchange, whose "not found" reads as if nothing had happened.
 */
export function commandLine(given: readonly string[], argv: readonly string[]): string {
  const profile = profileFlag(argumentsOfPit(given));
  const isOfActive = argv.join(' ') === 'profile show';
  const takesNone = WITHOUT_PROFILE.has(argv[0]) && !isOfActive;
  const isComplete = profile === undefined || takesNone || argv.includes('--profile');
  const words = [...(isComplete ? [] : ['--profile', profile]), ...argv];
  return ['pit', ...words.map((word) => shellWord(word === ACTIVE_PROFILE ? 'NAME' : word))].join(' ');
}

/** The value of `--profile` in a command line, if it is given. */
export function profileFlag(args: readonly string[]): string | undefined {
  const joined = args.find((word) => word.startsWith('--profile='));
  if (joined !== undefined) return joined.slice('--profile='.length);
  const at = args.indexOf('--profile');
  return at === -1 ? undefined : args[at + 1];
}

/** A failure with the name of the profile in use in its hints: the layers that make them know its settings only. */
export async function withActiveProfile(thrown: unknown, profile: () => Promise<string>): Promise<unknown> {
  if (!(thrown instanceof Failure)) return thrown;
  const { hints } = thrown;
  if (!hints.some((hint) => typeof hint !== 'string' && hint.argv.includes(ACTIVE_PROFILE))) return thrown;
  try {
    const name = await profile();
    const named = (word: string) => (word === ACTIVE_PROFILE ? name : word);
    return thrown.hinting(
      hints.map((hint) => (typeof hint === 'string' ? hint : { ...hint, argv: hint.argv.map(named) })),
    );
  } catch {
    return thrown;
  }
}
