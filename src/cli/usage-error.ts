import type { Command, CommanderError } from 'commander';
import { nearest } from '../config/nearest.js';
import { type Advice, Failure, quoted, suggest, usage } from '../errors.js';
import { GLOBAL_FLAGS } from './definition.js';

/** What to do about a wrong command line: the command that was probably meant, or what is missing. */
export interface Correction {
  /** The message to use instead of the one about the arguments; undefined if that says enough. */
  readonly message?: string;
  readonly hint: Advice;
}

/** The usage failure of an unreadable command line, with the corrected command if one is known. */
export async function corrected(
  thrown: unknown,
  globals: readonly string[],
  correct: () => Promise<Correction | undefined>,
): Promise<unknown> {
  const found = thrown instanceof Failure && thrown.kind === 'usage' ? await correct() : undefined;
  if (found === undefined || !(thrown instanceof Failure)) return thrown;
  // without the flags that confirm or choose the output; hints add the profile themselves
  const rest = globals.filter((word) => word === '--dry-run');
  const hints = [found.hint].flat().map((hint) => {
    return typeof hint === 'string' || hint.argv.includes('--help') ? hint : { ...hint, argv: [...hint.argv, ...rest] };
  });
  return usage(found.message ?? thrown.message, hints);
}

/**
 * The usage failure for a command line that commander could not parse.
 * @param args the words of the command line without the flags that every command takes
 */
export function usageErrorOf({ message, code }: CommanderError, program: Command, args: readonly string[]): Failure {
  if (code === 'commander.excessArguments' && args.includes('--')) {
    const words = args.slice(args.indexOf('--') + 1);
    for (const word of words) refuseNegative(word);
    const late = words.find((word) => word.startsWith('--'));
    if (late !== undefined)
      return usage(`${quoted(late)} comes after --, so it is not a flag.`, 'Write flags before --.');
  }
  const [, text = '', suggestion] = /^(?:error: )?([\s\S]*?)(?:\n\((.*)\))?$/.exec(message) ?? [];
  const [, negative] = /^unknown option '(-[\d.].*)'$/.exec(text) ?? [];
  if (negative !== undefined) return negativeNumber(negative);
  const [, flag = ''] = /^unknown option '(--[^'=]+)/.exec(text) ?? [];
  const names = GLOBAL_FLAGS.map(({ syntax }) => syntax.slice(2).split(' ')[0] ?? '');
  const [near] = suggestion === undefined ? nearest(flag.slice(2), names) : [];
  if (near !== undefined) return usage(text, `Did you mean --${near}?`);
  const path = commandPath(program, args);
  const note = path.length === 0 ? 'List the commands' : 'See its usage';
  return usage(
    text === '(outputHelp)' ? 'A command is missing.' : text,
    suggestion ?? suggest(note, ...path, '--help'),
  );
}

/** Commander takes some negative numbers for arguments, and others for unknown flags. Throws Failure `usage` for one. */
export function refuseNegative(word: string): void {
  if (/^-(\d+\.?\d*|\.\d+)$/.test(word)) throw negativeNumber(word);
}

function negativeNumber(word: string): Failure {
  return usage(`${quoted(word)} is below zero.`, 'Use a number above zero.');
}

/** The name of the command in parts, as far as it exists. */
function commandPath(parent: Command, [name, ...rest]: readonly string[]): string[] {
  const found = parent.commands.find((command) => command.name() === name);
  return found === undefined ? [] : [found.name(), ...commandPath(found, rest)];
}
