import {
  type Argument,
  type CompletionSource,
  type Definition,
  type Flag,
  GLOBAL_FLAGS,
} from '../../cli/definition.js';
import { commands } from '../index.js';
import { marketName } from '../inputs.js';

/** What has been typed of a command line: the command that it names, and what may come next. */
export interface TypedCommand {
  /** The words of the command, such as `order show`; empty if none is named yet. */
  readonly path: string;
  readonly definition: Definition | undefined;
  /** How many of the words lead to the command, the global flags before it included. */
  readonly length: number;
  /** How many arguments are given. */
  readonly given: readonly string[];
  readonly flags: ReadonlySet<string>;
  /** The flag whose value comes next. */
  readonly awaited: Flag | undefined;
  /** Whether `--` came. */
  readonly isEnded: boolean;
  readonly profile: string | undefined;
}

/** Reads the words of a command line in any state, right or wrong. Only the named command is loaded. */
export async function typedCommand(words: readonly string[]): Promise<TypedCommand> {
  const path: string[] = [];
  const given: string[] = [];
  const flags = new Set<string>();
  let definition: Definition | undefined;
  let awaited: Flag | undefined;
  let isEnded = false;
  let length = 0;
  let profile: string | undefined;
  for (const [index, word] of words.entries()) {
    if (awaited !== undefined) {
      if (nameOf(awaited) === '--profile') profile = word;
      awaited = undefined;
    } else if (isEnded) given.push(word);
    else if (word === '--') isEnded = true;
    else if (/^-[^\d.]/.test(word)) {
      const [name = '', value] = word.split('=', 2);
      flags.add(name);
      const flag = flagsOf(definition).find((one) => nameOf(one) === name);
      if (value === undefined) awaited = flag?.parse === undefined ? undefined : flag;
      else if (name === '--profile') profile = value;
    } else if (given.length === 0 && subcommandsOf(path.join(' ')).includes(word)) {
      path.push(word);
      definition = (await commands[path.join(' ')]?.())?.default;
      length = index + 1;
    } else given.push(word);
  }
  return { path: path.join(' '), definition, length, given, flags, awaited, isEnded, profile };
}

/** The flags that may stand after a command. */
export function flagsOf(definition: Definition | undefined): Flag[] {
  return [...Object.values(definition?.flags ?? {}), ...GLOBAL_FLAGS];
}

/** The long name of a flag. */
export function nameOf({ syntax }: Flag): string {
  return /--[a-z-]+/.exec(syntax)?.[0] ?? syntax;
}

/** The names of the commands directly below some words; the first words of all for ''. */
export function subcommandsOf(path: string): string[] {
  const lead = path === '' ? '' : `${path} `;
  const below = Object.keys(commands).filter((words) => words.startsWith(lead));
  return [...new Set(below.map((words) => words.slice(lead.length).split(' ')[0] ?? ''))].filter((name) => name !== '');
}

/** The argument that comes next, or goes on. */
export function nextArgument({ definition, given }: TypedCommand): Argument | undefined {
  const all = Object.values(definition?.arguments ?? {});
  const last = all.at(-1);
  return all[given.length] ?? (last?.presence === 'several' ? last : undefined);
}

/** What completes a word of an argument or a flag. */
export function completionOf(read: Argument['parse'] | undefined): CompletionSource | undefined {
  return read?.completes;
}

/** The market that a command line names; undefined if it names none. */
export function marketOf({ definition, given }: TypedCommand): string | undefined {
  const index = Object.keys(definition?.arguments ?? {}).indexOf('market');
  const word = index === -1 ? undefined : given[index];
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
  { definition, length, given }: TypedCommand,
  market: string | undefined,
): readonly string[] {
  const [[name, first] = []] = Object.entries(definition?.arguments ?? {});
  const isRead = definition?.dryRunOutput === undefined;
  const lacksMarket = name === 'market' && first?.presence === 'required' && given.length === 0;
  if (market === undefined || !isRead || !lacksMarket) return words;
  return [...words.slice(0, length), market, ...words.slice(length)];
}
