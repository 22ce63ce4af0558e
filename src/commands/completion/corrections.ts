import type { CommandTable, Definition } from '../../cli/definition.js';
import { profileFlag } from '../../cli/hints.js';
import type { Correction } from '../../cli/usage-error.js';
import type { KnownOrder } from '../../config/completion-names.js';
import { nearest } from '../../config/nearest.js';
import { parseMarket } from '../../domain/market.js';
import { ANY_MARKET, Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { groups } from '../reference/command-words.js';
import { scan } from '../shell/line.js';
import type { Names } from './complete.js';
import { knownNames } from './known-names.js';

/** A command line in parts. */
interface Line {
  readonly path: string;
  /** The words that are neither flags nor values of flags. */
  readonly args: readonly string[];
  /** Those of them that another program's flag named: `5` of `--qty 5` is an amount, and no price. */
  readonly namedArgs: readonly string[];
  readonly flags: readonly (readonly [name: string, value?: string])[];
}

/**
 * Finds the line that was meant by one that pit cannot parse: with flags of other programs, without a flag, in another order,
 * or without the market. The parsers accept every word of the line that it returns.
 *
 * @param args without the flags that every command takes
 * @param market of the prompt, for a line that lacks one
 * @returns undefined if nothing is close
 */
export async function correct(
  args: readonly string[],
  host: Host,
  commands: CommandTable,
  market?: string,
): Promise<Correction | undefined> {
  const path = [3, 2, 1].map((length) => args.slice(0, length).join(' ')).find((name) => Object.hasOwn(commands, name));
  if (path === undefined) return correctionInGroup(args, Object.keys(commands));
  const definition = (await commands[path]?.())?.default;
  const names = await knownNames(host, profileFlag(host.arguments));
  return definition && correctionOf(path, definition, args.slice(path.split(' ').length), names, market);
}

/** The commands of a group, for a word that is none of them. */
function correctionInGroup(args: readonly string[], commands: readonly string[]): Correction | undefined {
  const group = [2, 1].map((length) => args.slice(0, length).join(' ')).find((name) => Object.hasOwn(groups, name));
  if (group === undefined) return undefined;
  const below = commands.filter((name) => name.startsWith(`${group} `));
  const names = [...new Set(below.map((name) => name.slice(group.length + 1).split(' ')[0] ?? ''))];
  // the message names a near one
  if (nearest(args[group.split(' ').length] ?? '', names).length > 0) return undefined;
  return { hint: [`Its commands: ${names.join(', ')}.`, suggest('See what they do', ...group.split(' '), '--help')] };
}

/**
 * As {@link correct}, for the words after those of a command.
 *
 * @param names that earlier commands have seen: no request is sent to find out more
 */
export function correctionOf(
  path: string,
  definition: Definition,
  rest: readonly string[],
  names: Names,
  market = ANY_MARKET,
): Correction | undefined {
  if (rest.includes('help')) return { hint: suggest('See its usage', ...path.split(' '), '--help') };
  const typed = parse(path, definition, rest);
  if (typed === undefined) return undefined;
  const namingMarket = withoutMarket(definition, typed, names, market);
  if (namingMarket !== undefined) return namingMarket;
  const atBestPrice = path === 'order' ? takingBestPrice(typed) : undefined;
  const meant = firstReadable(definition, atBestPrice ?? withMarketOfOrder(definition, typed, names));
  if (meant === undefined) return coinCorrection(definition, typed, names) ?? exampleFor(definition, typed);
  if (atBestPrice === undefined)
    return isAsTyped(meant, typed, rest) ? undefined : { hint: suggest('Run this', ...wordsOf(meant)) };
  return {
    message: 'The exchange has no market orders.',
    hint: suggest('Take the best price at once', ...wordsOf(meant)),
  };
}

/** The place of the market in lines that name an order or place one. */
const MARKET_AT: Readonly<Record<string, number>> = { order: 1, cancel: 0, 'order show': 0, 'order replace': 0 };

/** The line with the market that it lacks: no word of it can be one. Undefined for any other line. */
function withoutMarket(definition: Definition, typed: Line, names: Names, market: string): Correction | undefined {
  const line = joined(typed);
  const at = MARKET_AT[line.path];
  // 100usdt is an amount
  const isNamed = line.args.some((word) => !/^[\d.]+[a-z]+$/i.test(word) && parseMarket(word) !== undefined);
  if (at === undefined || isNamed || line.args.length < Math.max(1, at + 1)) return undefined;
  if (withMarketOfOrder(definition, line, names) !== line) return undefined;
  const naming = (name: string): Line => ({ ...line, args: line.args.toSpliced(at, 0, name) });
  if (!canRead(definition, naming('btc_usdt'))) return undefined;
  const message = 'The market is missing.';
  const words = wordsOf(naming(market));
  if (line.path !== 'order')
    return { message, hint: [suggest('Name the market', ...words), suggest('See your open orders', 'orders')] };
  const hasPrice = line.flags.some(([name]) => name === '--at');
  return { message, hint: suggest('Name the market', ...words, ...(hasPrice ? [] : ['--at', 'PRICE'])) };
}

/** Whether reading the line changed nothing in it: the mistake is elsewhere then. */
function isAsTyped(meant: Line, typed: Line, rest: readonly string[]): boolean {
  const given = rest.flatMap((word) => (word.startsWith('-') ? splitAtEquals(word) : [word]));
  const read = [...meant.args, ...meant.flags.flat()];
  return meant.args.join(' ') === typed.args.join(' ') && read.sort().join(' ') === given.sort().join(' ');
}

function wordsOf({ path, args, flags }: Line): string[] {
  const pairs = flags.flatMap(([name, value]) => (value === undefined ? [name] : [name, value]));
  return [...path.split(' '), ...args, ...pairs];
}

/** A flag, or one with its value, and those of other programs for the same thing. */
const FLAG_SYNONYMS: readonly (readonly [flag: string, ...others: string[]])[] = [
  ['--at', '--price', '--limit', '-p'],
  ['--type', '--interval', '--timeframe', '--period'],
  ['--size', '--limit', '--count', '--levels', '-n'],
  ['--from', '--since', '--start', '--after'],
  ['--to', '--until', '--end', '--before', '--address'],
  ['--since', '--from', '--start', '--after'],
  ['--until', '--to', '--end', '--before'],
  ['--state', '--status'],
  ['--state=open', '--open'],
  ['--state=filled', '--filled'],
  ['--state=cancelled', '--cancelled', '--canceled'],
  ['--state=all', '--closed'],
  ['--base', '--coin', '--currency'],
  ['--id', '--client-id', '--order-id', '--client-order-id'],
  ['--post-only', '--maker', '--maker-only'],
  ['--ioc', '--immediate'],
  ['--yes', '-y', '--confirm', '--assume-yes'],
];

/** Flags of other programs for what is a word without a flag here. */
const WORD_FLAGS: ReadonlySet<string> = new Set([
  ...['-m', '-s', '--market', '--symbol', '--pair', '--instrument', '-c', '--coin', '--asset', '--currency'],
  ...['--side', '--amount', '-a', '--size', '--quantity', '--qty', '--order', '--order-id'],
]);

/** Undefined for a line whose flags mean nothing here. */
function parse(path: string, definition: Definition, rest: readonly string[]): Line | undefined {
  const takesValue = flagsOf(definition);
  const args: string[] = [];
  const namedArgs: string[] = [];
  const flags: [string, string?][] = [];
  const left = [...rest];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!isFlag(word)) {
      args.push(word);
      continue;
    }
    const [name, inline] = splitAtEquals(word);
    const [flag, fixed] = splitAtEquals(meantFlag(name, takesValue));
    if (fixed !== undefined || takesValue.get(flag) === false) {
      if (inline !== undefined) return undefined;
      flags.push(fixed === undefined ? [flag] : [flag, fixed]);
      continue;
    }
    const hasNext = left[0] !== undefined && !isFlag(left[0]);
    const value = inline ?? (hasNext ? left.shift() : undefined);
    if (value === undefined && name === '--market') args.push('market');
    else if (value === undefined) return undefined;
    else if (takesValue.has(flag)) flags.push([flag, value]);
    else if (WORD_FLAGS.has(name)) {
      args.push(value);
      namedArgs.push(value);
    } else return undefined;
  }
  return { path, args, namedArgs, flags };
}

function isFlag(word: string): boolean {
  return /^-\D/.test(word);
}

function splitAtEquals(word: string): [name: string, value?: string] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** The flags of a command by name, and whether each takes a value. */
function flagsOf({ flags = {} }: Definition): ReadonlyMap<string, boolean> {
  const declared = Object.values(flags).map(({ syntax, parse }) => [nameOf(syntax), parse !== undefined] as const);
  return new Map([...declared, ['--yes', false]]);
}

function nameOf(syntax: string): string {
  return syntax.split(' ')[0] ?? '';
}

function meantFlag(name: string, declared: ReadonlyMap<string, boolean>): string {
  const isMeant = ([flag, ...others]: readonly [string, ...string[]]) =>
    declared.has(splitAtEquals(flag)[0]) && others.includes(name);
  return declared.has(name) ? name : (FLAG_SYNONYMS.find(isMeant)?.[0] ?? name);
}

const MARKET_ORDER = /^(?:market|mkt|best)$/i;

/** A market order as an IOC order at the best price of the other side: the interface has none. Undefined for another order. */
function takingBestPrice(line: Line): Line | undefined {
  const { args, flags } = line;
  const isMarketOrder = [...args, ...flags.map(([, value = '']) => value)].some((word) => MARKET_ORDER.test(word));
  if (!isMarketOrder) return undefined;
  const others = flags.filter(([name]) => name !== '--at' && name !== '--ioc');
  const at = args.some((word) => /^sell$/i.test(word)) ? 'bid' : 'ask';
  return {
    ...line,
    args: args.filter((word) => !MARKET_ORDER.test(word)),
    flags: [...others, ['--at', at], ['--ioc']],
  };
}

/** With the market of an open order whose id, or client id, is given alone. */
function withMarketOfOrder(definition: Definition, line: Line, names: Names): Line {
  if (!takesMarket(definition)) return line;
  const words = new Set([...line.args, ...line.flags.flatMap(([, value]) => value ?? [])]);
  const isNamed = ({ id, clientId }: KnownOrder) => words.has(id) || (clientId !== null && words.has(clientId));
  const market = names.orders(undefined).find(isNamed)?.market;
  return market === undefined || words.has(market) ? line : { ...line, args: [market, ...line.args] };
}

function takesMarket({ arguments: declared = {} }: Definition): boolean {
  return Object.values(declared).some(({ parse }) => parse.completes?.of === 'market');
}

/** The flags that a word without one may have been meant for, the likeliest first. */
const FLAG_FOR_WORD: Readonly<Record<string, readonly string[]>> = {
  order: ['--at'],
  'order replace': ['--at'],
  kline: ['--type', '--size'],
  depth: ['--size'],
  orders: ['--side', '--state'],
  withdraw: ['--to'],
};

/** More words than any command takes: each order of them is tried. */
const MAX_WORDS = 5;

/** The first line that can be read: with its words in another order, or with some of them given to flags that it lacks. */
function firstReadable(definition: Definition, line: Line): Line | undefined {
  if (line.args.length > MAX_WORDS) return undefined;
  return (FLAG_FOR_WORD[line.path] ?? [])
    .reduce<readonly Line[]>(
      (lines, name) => lines.flatMap((one) => [one, ...withFlag(one, name)]),
      [line, joined(line), split(line), spelled(definition, line)],
    )
    .flatMap((one) => permutations(one.args).map((args) => ({ ...one, args })))
    .find((one) => canRead(definition, one));
}

/** With an amount and its coin as one word: `100 usdt` is `100usdt`. */
function joined(line: Line): Line {
  const at = line.args.findIndex(
    (word, index) => /^[\d.,]+$/.test(word) && /^[a-z]+$/i.test(line.args[index + 1] ?? ''),
  );
  if (at === -1) return line;
  const whole = `${line.args[at]}${line.args[at + 1]}`;
  return { ...line, args: line.args.toSpliced(at, 2, whole) };
}

/** With the names of a list as words: `BTC,ETH` is `BTC ETH`. A number may have commas too. */
function split(line: Line): Line {
  const isList = (word: string) => word.split(',').every((name) => /[a-z]/i.test(name));
  return { ...line, args: line.args.flatMap((word) => (isList(word) ? word.split(',') : word)) };
}

/** With a mistyped word for one of a few: `by` is `buy`. */
function spelled({ arguments: declared = {} }: Definition, line: Line): Line {
  const places = Object.values(declared);
  const args = line.args.map((word, index) => {
    const source = places[index]?.parse.completes;
    const words = source?.of === 'words' ? source.words : [];
    return words.length === 0 ? word : (nearest(word.toLowerCase(), words)[0] ?? word);
  });
  return { ...line, args };
}

/** The lines in which one word, the last one first, is the value of a flag. */
function withFlag(line: Line, name: string): Line[] {
  if (line.flags.some(([given]) => given === name)) return [];
  return line.args
    .map(
      (word, index): Line => ({ ...line, args: line.args.toSpliced(index, 1), flags: [...line.flags, [name, word]] }),
    )
    .filter((_, index) => !line.namedArgs.includes(line.args[index] ?? ''))
    .reverse();
}

function permutations(args: readonly string[]): string[][] {
  if (args.length <= 1) return [[...args]];
  return args.flatMap((word, index) => permutations(args.toSpliced(index, 1)).map((others) => [word, ...others]));
}

function canRead({ arguments: declaredArgs = {}, flags: declaredFlags = {} }: Definition, line: Line): boolean {
  const declared = Object.values(declaredArgs);
  const last = declared.at(-1);
  if (line.args.length > declared.length && last?.presence !== 'several') return false;
  if (declared.some(({ presence }, index) => presence === 'required' && line.args[index] === undefined)) return false;
  const byName = new Map(Object.values(declaredFlags).map((flag) => [nameOf(flag.syntax), flag]));
  try {
    for (const [index, word] of line.args.entries()) (declared[index] ?? last)?.parse(word);
    for (const [name, value] of line.flags) if (value !== undefined) byName.get(name)?.parse?.(value);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

const MAX_SHOWN = 8;

/** A coin in the place of a market: its markets, those that it is the base of first. */
function coinCorrection(definition: Definition, line: Line, names: Names): Correction | undefined {
  if (!takesMarket(definition)) return undefined;
  const markets = names.words('markets', undefined);
  for (const [index, word] of line.args.entries()) {
    const asBase = markets.filter((market) => market.startsWith(`${word.toLowerCase()}_`));
    const [first] = asBase;
    const meant = first && firstReadable(definition, { ...line, args: line.args.with(index, first) });
    if (!meant) continue;
    const all = [...asBase, ...markets.filter((market) => market.endsWith(`_${word.toLowerCase()}`))];
    const more = all.length > MAX_SHOWN ? ` and ${all.length - MAX_SHOWN} more` : '';
    return {
      message: `"${word}" is a coin, not a market.`,
      hint: [
        `Its markets: ${all.slice(0, MAX_SHOWN).join(', ')}${more}.`,
        suggest(all.length === 1 ? 'Run this' : 'For example', ...wordsOf(meant)),
      ],
    };
  }
  return undefined;
}

/** An example, if words are missing or are too many; one with the same flags, if there is one. */
function exampleFor({ arguments: declared = {}, examples }: Definition, line: Line): Correction | undefined {
  const all = Object.values(declared);
  const least = all.filter(({ presence }) => presence === 'required').length;
  const isTooLong = line.args.length > all.length && all.at(-1)?.presence !== 'several';
  if (line.args.length >= least && !isTooLong) return undefined;
  const example = examples.find((one) => line.flags.every(([name]) => one.includes(name))) ?? examples[0] ?? line.path;
  const words = scan(example).words.map(({ text }) => text);
  return {
    hint: [suggest('For example', ...words), suggest('See its usage', ...line.path.split(' '), '--help')],
  };
}
