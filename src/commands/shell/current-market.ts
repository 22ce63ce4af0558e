import { marketWord, type TypedCommand } from '../completion/typed-command.js';
import { marketName } from '../inputs/parsers.js';

/** The market that a command line names; undefined if it names none. */
export function marketOf(line: TypedCommand): string | undefined {
  const word = marketWord(line);
  try {
    return word === undefined ? undefined : marketName(word);
  } catch {
    return undefined;
  }
}

/**
 * The words with a market put in, if they are a command that only reads, needs a market first and names none. A write has to
 * name its market: what is typed has to say what it changes.
 */
export function withMarket(
  words: readonly string[],
  { command, length, given }: TypedCommand,
  market: string | undefined,
): readonly string[] {
  const first = command?.arguments[0];
  const lacksMarket = first?.completes?.of === 'market' && first.presence === 'required' && given.length === 0;
  if (market === undefined || command?.changes !== false || !lacksMarket) return words;
  return [...words.slice(0, length), market, ...words.slice(length)];
}
