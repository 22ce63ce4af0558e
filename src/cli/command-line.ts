import type { Command, CommanderError, Option } from 'commander';
import { type Advice, quoted, suggest, usage } from '../errors.js';

/**
 * Separates the global flags and their values from the other words. A global flag may stand anywhere; any other flag
 * belongs to the command before it: `order` and `order show` both have an `--id`.
 */
export function parted(options: readonly Option[], words: readonly string[]) {
  const [globals, others]: [string[], string[]] = [[], []];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return { globals, others: [...others, ...words.slice(index)] };
    const option = options.find(({ short, long }) => [short, long].includes(word.split('=')[0]));
    (option === undefined ? others : globals).push(word);
    if (option?.required !== true || word.includes('=')) continue;
    index += 1;
    const value = words[index];
    if (value === undefined) throw usage(`option '${option.flags}' argument missing`);
    globals.push(value);
  }
  return { globals, others };
}

/** The words before `--`. Those after it may be the command line of another program. */
export function ownWords(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  return at === -1 ? words : words.slice(0, at);
}

/** Commander's message without its prefix, and its suggestion as the hint. */
export function complaintOf({ message }: CommanderError, words: readonly string[]): [message: string, hint: Advice] {
  const [, text = '', suggestion] = /^(?:error: )?([\s\S]*?)(?:\n\((.*)\))?$/.exec(message) ?? [];
  const [, negative] = /^unknown option '(-[\d.].*)'$/.exec(text) ?? [];
  if (negative !== undefined) return [`${quoted(negative)} is below zero.`, 'Use a number above zero.'];
  const note = words.length === 0 ? 'List the commands' : 'See its usage';
  const hint = suggestion ?? suggest(note, ...words, '--help');
  return [text === '(outputHelp)' ? 'A command is missing.' : text, hint];
}

/** The words that lead to the named command, as far as it exists. */
export function path(parent: Command, [name, ...rest]: readonly string[]): string[] {
  const found = parent.commands.find((command) => command.name() === name);
  return found === undefined ? [] : [found.name(), ...path(found, rest)];
}
