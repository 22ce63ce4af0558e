import type { CompletionSource } from '../../cli/definition.js';
import { excludedBy, neededBy, outOfReach } from '../../cli/rule.js';
import type { KnownOrder } from '../../config/completion-names.js';
import type { CommandTree } from '../reference/command-tree.js';
import {
  flagsOf,
  givenNames,
  marketWord,
  nextArgument,
  subcommandsOf,
  type TypedCommand,
  typedCommand,
} from './typed-command.js';

/** The names that pit has seen, for a profile or the one in use. */
export interface Names {
  readonly words: (kind: 'markets' | 'coins' | 'unresolved', profile: string | undefined) => readonly string[];
  /** The open orders. */
  readonly orders: (profile: string | undefined) => readonly KnownOrder[];
  readonly profiles: () => readonly string[];
  /** The ids of the algo orders that have not ended. */
  readonly algos: () => readonly string[];
  /** The ids of prepared writes that may be committed. */
  readonly prepared: () => readonly string[];
}

/** A word that can replace the last one of a line. */
interface Candidate {
  readonly word: string;
  /** What it means, in a few words; '' if there is nothing to say. */
  readonly about: string;
}

/** What can complete a line: words, or what only the shell knows: files, or the command line of another program. */
export type Completion =
  | { readonly of: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly of: 'file' | 'program' };

const NOTHING: Completion = { of: 'words', candidates: [] };

/**
 * What can complete a word of pit's command line: commands, flags, values, and names that earlier commands have
 * seen. `pit __complete` and `pit shell` both ask here.
 *
 * @param words those before it, without `pit`
 * @param typed what is typed of the word, which may be nothing
 */
export function complete(words: readonly string[], typed: string, tree: CommandTree, names: Names): Completion {
  if (words[0] === 'help') return fitting(typed, commandsBelow(words.slice(1).join(' '), tree));
  const line = typedCommand(words, tree);
  const { command, awaited, isEnded, given } = line;
  if (isEnded) return nextArgument(line)?.completes?.of === 'program' ? { of: 'program' } : NOTHING;
  if (awaited !== undefined) return valuesOf(sourceOf(awaited.long, line, tree), typed, '', line, names);
  const [lead, flag] = /^(--[a-z-]+)=/.exec(typed) ?? [];
  if (lead !== undefined && flag !== undefined)
    return valuesOf(sourceOf(flag, line, tree), typed.slice(lead.length), lead, line, names);
  if (typed.startsWith('-')) return fitting(typed, unusedFlags(line, tree));
  const below = given.length === 0 ? commandsBelow(command?.path ?? '', tree) : [];
  const next = nextArgument(line);
  const argument = next !== undefined && excludedOf(line).has(next.name) ? undefined : next;
  if (typed === '' && below.length === 0 && argument === undefined) return fitting('', unusedFlags(line, tree));
  const source = parametersSource(line, tree) ?? argument?.completes ?? null;
  const values = valuesOf(source, typed, '', line, names);
  if (values.of !== 'words') return values;
  // of several, each is given once
  const taken = argument?.presence === 'several' ? given.map(plainName) : [];
  const left = values.candidates.filter(({ word }) => !taken.includes(plainName(word)));
  return { of: 'words', candidates: [...fitting(typed, below).candidates, ...left] };
}

function commandsBelow(path: string, tree: CommandTree): Candidate[] {
  return subcommandsOf(path, tree).map((one) => ({ word: one.path.split(' ').at(-1) ?? '', about: one.summary }));
}

/** The flags that are not given yet, or may be repeated, and that may follow what is given; first those that it needs. */
function unusedFlags(line: TypedCommand, tree: CommandTree): Candidate[] {
  const given = givenNames(line);
  const rules = line.command?.rules ?? [];
  const unusable = outOfReach(given, rules);
  const needed = neededBy(given, rules);
  const unused = flagsOf(line.command, tree).filter(
    ({ long, repeats }) => (repeats || !line.flags.has(long)) && !unusable.has(long),
  );
  return [...unused.filter(({ long }) => needed.has(long)), ...unused.filter(({ long }) => !needed.has(long))].map(
    ({ long, description }) => ({ word: long, about: description }),
  );
}

function excludedOf(line: TypedCommand): ReadonlySet<string> {
  return excludedBy(givenNames(line), line.command?.rules ?? []);
}

/** What completes the value of a flag. The names that `--fields` takes are those of the command. */
function sourceOf(name: string, { command }: TypedCommand, tree: CommandTree): CompletionSource | null {
  if (name === '--fields') return { of: 'words', words: command?.fields ?? [], joined: true };
  return flagsOf(command, tree).find(({ long }) => long === name)?.completes ?? null;
}

/** After `api OPERATION` come its parameters. */
function parametersSource({ command, given }: TypedCommand, { operations }: CommandTree): CompletionSource | undefined {
  const [name = ''] = given;
  if (command?.path !== 'api' || !Object.hasOwn(operations, name)) return undefined;
  return { of: 'words', words: (operations[name] ?? []).map((parameter) => `${parameter}=`) };
}

/** @param lead what precedes the value in the same word */
function valuesOf(
  source: CompletionSource | null,
  typed: string,
  lead: string,
  line: TypedCommand,
  names: Names,
): Completion & { readonly of: 'words' | 'file' } {
  const { profile } = line;
  const offer = (words: readonly string[], comparable = lowerCase) =>
    fitting(typed, words.map(wordAlone), lead, comparable);
  switch (source?.of) {
    case 'words':
      return source.joined ? joinedWords(source.words, typed, lead) : offer(source.words);
    case 'market':
      return offer(names.words('markets', profile), plainName);
    case 'coin':
      return offer(names.words('coins', profile), plainName);
    case 'unresolved':
      return offer(names.words('unresolved', profile));
    case 'order':
    case 'clientId':
      return fitting(typed, ordersOf(names.orders(profile), source.of, line), lead);
    case 'algo':
      return offer(names.algos());
    case 'prepared':
      return offer(names.prepared());
    case 'profile':
      return offer(names.profiles());
    case 'channel':
      return offer(channels(source, typed, names.words('markets', profile)), plainChannel);
    case 'file':
      return { of: 'file' };
    case 'program':
      return offer(['--']);
    default:
      return fitting(typed, []);
  }
}

function wordAlone(word: string): Candidate {
  return { word, about: '' };
}

/** Several words in one, with commas between them; each once. */
function joinedWords(words: readonly string[], typed: string, lead: string) {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const left = words.filter((word) => !before.split(',').includes(word));
  return fitting(typed.slice(before.length), left.map(wordAlone), lead + before);
}

/** The orders of the market on the line, or all if it names none. */
function ordersOf(orders: readonly KnownOrder[], kind: 'order' | 'clientId', line: TypedCommand): Candidate[] {
  const wanted = marketWord(line);
  return orders
    .filter(({ market }) => wanted === undefined || plainName(wanted) === market)
    .flatMap(({ id, clientId, terms }) => {
      const word = kind === 'order' ? id : clientId;
      return word === null ? [] : [{ word, about: terms ?? '' }];
    });
}

/** The kinds of channels, after a colon the markets, and after another one the types of candles. */
function channels(
  { starts, candleTypes }: CompletionSource & { readonly of: 'channel' },
  typed: string,
  markets: readonly string[],
): readonly string[] {
  const [kind = '', market, type] = plainChannel(typed).split(':');
  if (market === undefined) return starts;
  if (!starts.includes(`${kind}:`)) return [];
  if (kind === 'kline' && type !== undefined) return candleTypes.map((one) => `${kind}:${market}:${one}`);
  return markets.map((name) => `${kind}:${name}${kind === 'kline' ? ':' : ''}`);
}

/** The candidates that begin with what is typed, in whatever form it is typed. */
function fitting(typed: string, candidates: readonly Candidate[], lead = '', comparable = lowerCase) {
  const wanted = comparable(typed);
  const found = candidates.filter(({ word }) => comparable(word).startsWith(wanted));
  return { of: 'words', candidates: found.map(({ word, about }) => ({ word: lead + word, about })) } as const;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** A market or coin in pit's own form: `BTC/USDT` becomes `btc_usdt`. */
function plainName(text: string): string {
  return lowerCase(text).replace(/[/-]/g, '_');
}

function plainChannel(text: string): string {
  const [kind = '', ...names] = text.split(':');
  return [lowerCase(kind), ...names.map(plainName)].join(':');
}
