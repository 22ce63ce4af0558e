import type { CommandTree, DescribedArgument, DescribedCommand, DescribedFlag } from '../reference/command-tree.js';

/** What has been typed of a command line: the command that it names, and what may come next. */
export interface TypedCommand {
  /** The command or group that the words name so far; undefined if they name none. */
  readonly command: DescribedCommand | undefined;
  /** How many of the words lead to the command, the global flags before it included. */
  readonly length: number;
  /** The arguments that are given. */
  readonly given: readonly string[];
  /** The names of the flags that are given. */
  readonly flags: ReadonlySet<string>;
  /** The flag whose value comes next. */
  readonly awaited: DescribedFlag | undefined;
  /** Whether `--` came. */
  readonly isEnded: boolean;
  readonly profile: string | undefined;
}

/** Reads the words of a command line in any state, right or wrong. */
export function typedCommand(words: readonly string[], tree: CommandTree): TypedCommand {
  const given: string[] = [];
  const flags = new Set<string>();
  let command: DescribedCommand | undefined;
  let awaited: DescribedFlag | undefined;
  let isEnded = false;
  let length = 0;
  let profile: string | undefined;
  for (const [index, word] of words.entries()) {
    if (awaited !== undefined) {
      if (awaited.long === '--profile') profile = word;
      awaited = undefined;
    } else if (isEnded) given.push(word);
    else if (word === '--') isEnded = true;
    else if (/^-[^\d.]/.test(word)) {
      const [name = '', value] = word.split('=', 2);
      flags.add(name);
      const flag = flagsOf(command, tree).find(({ long }) => long === name);
      if (value === undefined) awaited = flag?.value == null ? undefined : flag;
      else if (name === '--profile') profile = value;
    } else {
      const below = given.length === 0 ? subcommandsOf(command?.path ?? '', tree) : [];
      const named = below.find(({ path }) => path.split(' ').at(-1) === word);
      if (named === undefined) given.push(word);
      else [command, length] = [named, index + 1];
    }
  }
  return { command, length, given, flags, awaited, isEnded, profile };
}

/** The flags that a command takes. */
export function flagsOf(command: DescribedCommand | undefined, { globals }: CommandTree): readonly DescribedFlag[] {
  return [...(command?.flags ?? []), ...globals];
}

/** The commands directly below some words; those that a line begins with for ''. */
export function subcommandsOf(path: string, { commands }: CommandTree): readonly DescribedCommand[] {
  const lead = path === '' ? '' : `${path} `;
  return commands.filter((one) => one.path.startsWith(lead) && /^[^ ]+$/.test(one.path.slice(lead.length)));
}

/** The next argument, which may be the last one again if it takes several words. */
export function nextArgument({ command, given }: TypedCommand): DescribedArgument | undefined {
  const declared = command?.arguments ?? [];
  const last = declared.at(-1);
  return declared[given.length] ?? (last?.presence === 'several' ? last : undefined);
}

/** What is given, as rules name it: the command, its arguments and flags. */
export function givenNames({ command, given, flags }: TypedCommand): ReadonlySet<string> {
  const declared = command?.arguments ?? [];
  const names = given.flatMap((_, index) => (declared[index] ?? declared.at(-1))?.name ?? []);
  return new Set([`pit ${command?.path}`, ...names, ...flags]);
}

/** The word that stands where the command takes a market; undefined if there is none. */
export function marketWord({ command, given }: TypedCommand): string | undefined {
  return given[command?.arguments.findIndex(({ completes }) => completes?.of === 'market') ?? -1];
}
