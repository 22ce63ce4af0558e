import type { Definition } from '../cli/definition.js';
import { profileFlag } from '../cli/hints.js';
import type { Correction } from '../cli/usage-error.js';
import { nearest } from '../config/nearest.js';
import { Profiles } from '../config/profiles.js';
import { Failure, suggest } from '../errors.js';
import type { Host } from '../platform/host.js';
import { commands } from './index.js';
import { groups } from './names.js';
import { CompletionNames, namesFolder } from './session/completion-names.js';

/** Names that earlier commands have seen. No request is sent to find out more. */
export interface KnownNames {
  readonly markets: readonly string[];
  /** The market of an open order, by its id or client id. */
  readonly marketOf: (order: string) => string | undefined;
}

/** A command line in parts. */
interface Line {
  readonly path: string;
  /** The arguments that are neither flags nor values of flags. */
  readonly args: readonly string[];
  /** Those of them that another program's flag named: `5` of `--qty 5` is an amount, and no price. */
  readonly namedArgs: readonly string[];
  /** Flags with their values. */
  readonly flags: readonly (readonly [name: string, value?: string])[];
}

/**
 * Finds the line that was meant by one that cannot be read. What it names can be read: each argument was given to the
 * parser of its place.
 *
 * @param args without the flags that every command takes
 * @returns undefined if nothing is close
 */
export async function correct(args: readonly string[], host: Host): Promise<Correction | undefined> {
  const path = [3, 2, 1].map((length) => args.slice(0, length).join(' ')).find((name) => Object.hasOwn(commands, name));
  if (path === undefined) return correctionInGroup(args);
  const rest = args.slice(path.split(' ').length);
  if (path === 'order' && rest.some(isOrderId) && !rest.some((word) => word === 'buy' || word === 'sell'))
    return correct(['order', 'show', ...rest], host);
  const definition = (await commands[path]?.())?.default;
  return definition && correctionOf(path, definition, rest, await knownNames(host));
}

/** The commands of a group, for a word that is none of them. */
function correctionInGroup(args: readonly string[]): Correction | undefined {
  const group = [2, 1].map((length) => args.slice(0, length).join(' ')).find((name) => Object.hasOwn(groups, name));
  if (group === undefined) return undefined;
  const below = Object.keys(commands).filter((name) => name.startsWith(`${group} `));
  const names = [...new Set(below.map((name) => name.slice(group.length + 1).split(' ')[0] ?? ''))];
  // the message names a near one
  if (nearest(args[group.split(' ').length] ?? '', names).length > 0) return undefined;
  return {
    hint: [`Its commands: ${names.join(', ')}.`, suggest('See what they do', ...group.split(' '), '--help')],
  };
}

async function knownNames(host: Host): Promise<KnownNames> {
  const { directories, environment } = host;
  const named = profileFlag(host.arguments) ?? environment.PIT_PROFILE;
  const profile = named || (await new Profiles(directories.config).active().catch(() => 'sandbox'));
  const names = new CompletionNames(directories.cache, namesFolder(profile, environment));
  const orders = names.read('orders').map((line) => line.split(' '));
  return {
    markets: names.read('markets'),
    marketOf: (order) => orders.find(([, id, clientId]) => order !== '-' && (id === order || clientId === order))?.[0],
  };
}

/** As {@link correct}, for the words after those of a command. */
export function correctionOf(
  path: string,
  definition: Definition,
  rest: readonly string[],
  known: KnownNames,
): Correction | undefined {
  if (rest.includes('help')) return { hint: suggest('See its usage', ...path.split(' '), '--help') };
  const typed = parse(path, definition, joinOffsets(rest));
  if (typed === undefined) return undefined;
  const { line, isMarketOrder } = asBestPrice(typed);
  const meant = firstReadable(definition, line, known);
  if (meant !== undefined && isMarketOrder)
    return {
      message: 'The exchange has no market orders.',
      hint: suggest('Take the best price at once', ...argsOf(meant)),
    };
  if (meant !== undefined)
    return isAsTyped(meant, line, rest) ? undefined : { hint: suggest('Run this', ...argsOf(meant)) };
  return (
    coinCorrection(definition, line, known) ?? missingMarket(definition, line) ?? exampleFor(definition, line, known)
  );
}

/** Whether reading the line changed nothing in it: the mistake is elsewhere then. */
function isAsTyped(meant: Line, typed: Line, rest: readonly string[]): boolean {
  const given = rest.flatMap((word) => (word.startsWith('-') ? splitAtEquals(word) : [word]));
  const read = [...meant.args, ...meant.flags.flat()];
  return meant.args.join(' ') === typed.args.join(' ') && read.sort().join(' ') === given.sort().join(' ');
}

function argsOf({ path, args, flags }: Line): string[] {
  const pairs = flags.flatMap(([name, value]) => (value === undefined ? [name] : [name, value]));
  return [...path.split(' '), ...args, ...pairs];
}

/** Flags of other programs for the same thing: each set is of one meaning, and a command has at most one of it. */
const FLAG_SYNONYMS = [
  ['--at', '--price', '--limit', '-p'],
  ['--type', '--interval', '--timeframe', '--period'],
  ['--size', '--limit', '--count', '--levels', '-n'],
  ['--from', '--since', '--start', '--after'],
  ['--to', '--until', '--end', '--before'],
  ['--since', '--from', '--start', '--after'],
  ['--until', '--to', '--end', '--before'],
  ['--to', '--address'],
  ['--state', '--status'],
  ['--base', '--coin', '--currency'],
  ['--id', '--client-id', '--order-id', '--client-order-id'],
  ['--post-only', '--maker', '--maker-only'],
  ['--ioc', '--immediate'],
  ['--yes', '-y', '--confirm', '--assume-yes'],
] as const satisfies readonly (readonly string[])[];

/** Flags of other programs for what is a word without a flag here. */
const WORD_FLAGS: ReadonlySet<string> = new Set([
  ...['-m', '-s', '--market', '--symbol', '--pair', '--instrument', '-c', '--coin', '--asset', '--currency'],
  ...['--side', '--amount', '-a', '--size', '--quantity', '--qty', '--order', '--order-id'],
]);

/** Switches of other programs for a value. */
const VALUE_SWITCHES: Readonly<Record<string, readonly [name: string, value: string]>> = {
  '--open': ['--state', 'open'],
  '--filled': ['--state', 'filled'],
  '--closed': ['--state', 'all'],
  '--cancelled': ['--state', 'cancelled'],
  '--canceled': ['--state', 'cancelled'],
  '--buy': ['--side', 'buy'],
  '--sell': ['--side', 'sell'],
};

/** Undefined for a line whose flags mean nothing here. */
function parse(path: string, definition: Definition, rest: readonly string[]): Line | undefined {
  const declaredFlags = flagsOf(definition);
  const args: string[] = [];
  const namedArgs: string[] = [];
  const flags: [string, string?][] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (word === '--') return undefined;
    if (!/^-\D/.test(word)) {
      args.push(word);
      continue;
    }
    const [name = '', inline] = splitAtEquals(word);
    const [switched, value] = VALUE_SWITCHES[name] ?? [];
    const flag = declaredFlags.has(name) ? name : meantFlag(name, declaredFlags);
    const takesValue = flag === undefined ? WORD_FLAGS.has(name) : declaredFlags.get(flag) === true;
    const next = rest[index + 1];
    const given = inline ?? (takesValue && next !== undefined && !/^-\D/.test(next) ? next : undefined);
    if (given !== undefined && inline === undefined) index += 1;
    if (flag !== undefined) {
      if (takesValue && given === undefined) return undefined;
      flags.push(given === undefined ? [flag] : [flag, given]);
    } else if (switched !== undefined) {
      if (declaredFlags.has(switched)) flags.push([switched, value ?? '']);
      else args.push(value ?? '');
    } else if (given !== undefined) {
      args.push(given);
      namedArgs.push(given);
    } else if (name === '--market') args.push('market');
    else return undefined;
  }
  return { path, args, namedArgs, flags };
}

function splitAtEquals(word: string): [name: string, value?: string] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** The flags of a command by name, and whether each takes a value. */
function flagsOf({ flags = {} }: Definition): ReadonlyMap<string, boolean> {
  const declared = Object.values(flags).map(
    ({ syntax, parse }) => [syntax.split(' ')[0] ?? '', parse !== undefined] as const,
  );
  return new Map([...declared, ['--yes', false]]);
}

function meantFlag(name: string, declaredFlags: ReadonlyMap<string, boolean>): string | undefined {
  const set = FLAG_SYNONYMS.find(
    ([flag, ...others]) => declaredFlags.has(flag) && (others as readonly string[]).includes(name),
  );
  return set?.[0];
}

/** `bid + 1` and `bid +1` as one word. */
function joinOffsets(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of args) {
    const last = joined.at(-1) ?? '';
    const isRest = /^(bid|ask|mid)$/i.test(last) ? /^[+-](\d|$)/.test(word) : /^(bid|ask|mid)[+-]$/i.test(last);
    if (isRest) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

const MARKET_ORDER = /^(?:market|mkt|best)$/i;

/** Turns a market order into an IOC order at the best price of the other side: the interface has no market orders. */
function asBestPrice(line: Line): { readonly line: Line; readonly isMarketOrder: boolean } {
  const { path, args, flags } = line;
  const isMeant =
    args.some((word) => MARKET_ORDER.test(word)) || flags.some(([, value = '']) => MARKET_ORDER.test(value));
  if (path !== 'order' || !isMeant) return { line, isMarketOrder: false };
  const at = args.some((word) => /^(sell|short)$/i.test(word)) ? 'bid' : 'ask';
  return {
    line: {
      ...line,
      args: args.filter((word) => !MARKET_ORDER.test(word)),
      flags: [...flags.filter(([name]) => name !== '--at' && name !== '--ioc'), ['--at', at], ['--ioc']],
    },
    isMarketOrder: true,
  };
}

/** What may have been meant by some arguments, each as a line without them; undefined if they are not there. */
type Fix = (line: Line, definition: Definition, known: KnownNames) => Line | undefined;

const SAME_WORDS: ReadonlyMap<string, string> = new Map([
  ['long', 'buy'],
  ['short', 'sell'],
  ['bid', 'buy'],
  ['offer', 'sell'],
]);

const FIXES: readonly Fix[] = [
  // order at 28000, @28000, 0.5@28000
  (line) => {
    if (!line.path.startsWith('order') || line.flags.some(([name]) => name === '--at')) return undefined;
    const at = line.args.findIndex((word) => /^at$|@/i.test(word));
    if (at === -1) return undefined;
    const [amount = '', price] = (line.args[at] ?? '').replace(/^at$/i, '@').split('@');
    const end = price === '' ? 2 : 1;
    const value = price === '' ? line.args[at + 1] : price;
    if (value === undefined) return undefined;
    const args = [...line.args.slice(0, at), ...(amount === '' ? [] : [amount]), ...line.args.slice(at + end)];
    return { ...line, args, flags: [...line.flags, ['--at', value]] };
  },
  // order limit buy …, order long …
  (line) => {
    if (line.path !== 'order') return undefined;
    const args = line.args
      .filter((word) => !/^limit$/i.test(word))
      .map((word) => SAME_WORDS.get(word.toLowerCase()) ?? word);
    return changed(line, args);
  },
  // resolve all
  (line) =>
    line.path === 'resolve'
      ? changed(
          line,
          line.args.filter((word) => word !== 'all'),
        )
      : undefined,
  // stream ticker btc_usdt, stream btc_usdt
  (line) => {
    if (line.path !== 'stream') return undefined;
    const joined = line.args.join(' ').replace(/\b(ticker|depth|trades|kline|orders) (?=[^ ]+_)/g, '$1:');
    return changed(
      line,
      joined.split(' ').map((word) => (/^[a-z0-9]+_[a-z0-9]+$/i.test(word) ? `ticker:${word}` : word)),
    );
  },
  // 0,5 but not 1,500, which may be 1500 as well as 1.5
  (line) =>
    changed(
      line,
      line.args.map((word) => word.replace(/^(\d+),(\d{1,2}|\d{4,})$/, '$1.$2')),
    ),
  // all of what is available
  (line) => {
    if (line.path !== 'order' && line.path !== 'withdraw') return undefined;
    return changed(
      line,
      line.args.map((word) => (/^(?:all|max)$/i.test(word) ? '100%' : word)),
    );
  },
  // 100 usdt
  (line) => {
    const coins = line.args.filter((word) => /[_/]/.test(word)).flatMap((word) => word.toLowerCase().split(/[_/]/));
    const at = line.args.findIndex(
      (word, index) => /^\d[\d.,]*$/.test(word) && coins.includes(line.args[index + 1]?.toLowerCase() ?? ''),
    );
    return at === -1 ? undefined : changed(line, line.args.toSpliced(at, 2, line.args.slice(at, at + 2).join('')));
  },
  // btc usdt
  (line, _, { markets }) => {
    const at = line.args.findIndex((word, index) => markets.includes(`${word}_${line.args[index + 1]}`.toLowerCase()));
    if (at === -1) return undefined;
    const market = `${line.args[at]}_${line.args[at + 1]}`.toLowerCase();
    return { ...line, args: [...line.args.slice(0, at), market, ...line.args.slice(at + 2)] };
  },
  // btc,eth
  (line) =>
    changed(
      line,
      line.args.flatMap((word) => word.split(/[,;]/).filter((part) => part !== '')),
    ),
  // btc/usdt for coins
  (line, { arguments: declaredArgs = {} }) =>
    Object.values(declaredArgs)[0]?.parse.completes?.of === 'coin'
      ? changed(
          line,
          line.args.flatMap((word) => word.split(/[/_]/)),
        )
      : undefined,
  // an order's id without its market
  (line, definition, { marketOf }) => {
    if (!takesMarketFirst(definition)) return undefined;
    const market = [...line.args, ...line.flags.map(([, value = '']) => value)].flatMap(
      (word) => marketOf(word) ?? [],
    )[0];
    return market === undefined || line.args.includes(market) ? undefined : { ...line, args: [market, ...line.args] };
  },
];

function changed(line: Line, args: readonly string[]): Line | undefined {
  return args.join(' ') === line.args.join(' ') ? undefined : { ...line, args };
}

/** The flags that a word without one may have been meant for, the likeliest first; a switch goes by its own name. */
const FLAG_FOR_WORD: Readonly<Record<string, readonly string[]>> = {
  order: ['--at'],
  'order replace': ['--at'],
  'order show': ['--id'],
  'order batch': ['--ladder'],
  kline: ['--type', '--size'],
  depth: ['--size'],
  orders: ['--side', '--state'],
  ticker: ['--quote'],
  markets: ['--base', '--quote'],
  cancel: ['--all', '--id'],
  withdraw: ['--to'],
};

/** More words than any command takes: each order of them is tried. */
const MAX_WORDS = 5;

/** The first line that can be read: in another order, with words fixed, or with one or two that lacked their flag. */
function firstReadable(definition: Definition, typed: Line, known: KnownNames): Line | undefined {
  let lines = [typed];
  for (const fix of FIXES) lines = lines.flatMap((line) => [fix(line, definition, known) ?? [], line].flat());
  return lines
    .filter(({ args }) => args.length <= MAX_WORDS)
    .flatMap((line) => withFlags(line, known))
    .flatMap((line) => permutations(line.args).map((args) => ({ ...line, args })))
    .find((line) => canRead(definition, line));
}

/** The line itself, then with a word as the value of a flag that it lacks. */
function withFlags(line: Line, known: KnownNames, depth = 2): Line[] {
  if (depth === 0) return [line];
  const names = (FLAG_FOR_WORD[line.path] ?? []).filter((name) => !line.flags.some(([given]) => given === name));
  const moved = names.flatMap((name) =>
    line.args
      .map((word, index): Line | undefined => {
        const args = line.args.toSpliced(index, 1);
        if (name === '--all') return word === 'all' ? { ...line, args, flags: [...line.flags, [name]] } : undefined;
        const isMeant = !line.namedArgs.includes(word) && isMeantFor(name, word, known);
        return isMeant ? { ...line, args, flags: [...line.flags, [name, word]] } : undefined;
      })
      .filter((one) => one !== undefined)
      .reverse(),
  );
  return [line, ...moved, ...moved.flatMap((one) => withFlags(one, known, depth - 1).slice(1))];
}

/** Any word can be read as a coin: it has to be one of a known market, and as a quote one that is not the base of any. */
function isMeantFor(name: string, word: string, { markets }: KnownNames): boolean {
  const coin = word.toLowerCase();
  if (markets.length === 0) return true;
  const isBase = markets.some((market) => market.startsWith(`${coin}_`));
  if (name === '--base') return isBase;
  return name !== '--quote' || (!isBase && markets.some((market) => market.endsWith(`_${coin}`)));
}

function permutations(args: readonly string[]): string[][] {
  if (args.length <= 1) return [[...args]];
  return args.flatMap((word, index) => permutations(args.toSpliced(index, 1)).map((others) => [word, ...others]));
}

function canRead(definition: Definition, line: Line): boolean {
  const { args } = line;
  const declared = Object.values(definition.arguments ?? {});
  const last = declared.at(-1);
  if (args.length > declared.length && last?.presence !== 'several') return false;
  if (declared.some(({ presence }, index) => presence === 'required' && args[index] === undefined)) return false;
  const readArgs = () => {
    for (const [index, word] of args.entries()) (declared[index] ?? last)?.parse(word);
  };
  return doesNotFail(readArgs) && canReadFlags(definition, line);
}

function canReadFlags(definition: Definition, { flags }: Line): boolean {
  const byName = new Map(Object.values(definition.flags ?? {}).map((flag) => [flag.syntax.split(' ')[0], flag]));
  return doesNotFail(() => {
    for (const [name, value] of flags) if (value !== undefined) byName.get(name)?.parse?.(value);
  });
}

function doesNotFail(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function isOrderId(word: string): boolean {
  return /^\d{9,19}$/.test(word);
}

function takesMarketFirst({ arguments: declaredArgs = {} }: Definition): boolean {
  return Object.values(declaredArgs).some(({ parse }) => parse.completes?.of === 'market');
}

/** A coin in the place of a market: its markets, those that it is the base of first. */
function coinCorrection(definition: Definition, line: Line, known: KnownNames): Correction | undefined {
  if (!takesMarketFirst(definition) || line.path === 'markets') return undefined;
  for (const [index, word] of line.args.entries()) {
    const coin = word.toLowerCase();
    const asBase = known.markets.filter((market) => market.startsWith(`${coin}_`));
    const [first] = asBase;
    const meant =
      first === undefined
        ? undefined
        : firstReadable(definition, { ...line, args: line.args.with(index, first) }, known);
    if (meant === undefined) continue;
    const all = [...asBase, ...known.markets.filter((market) => market.endsWith(`_${coin}`))];
    const shown =
      all.length > MAX_SHOWN
        ? `${all.slice(0, MAX_SHOWN).join(', ')} and ${all.length - MAX_SHOWN} more`
        : all.join(', ');
    return {
      message: `"${word}" is a coin, not a market.`,
      hint: [`Its markets: ${shown}.`, suggest(all.length === 1 ? 'Run this' : 'For example', ...argsOf(meant))],
    };
  }
  return undefined;
}

const MAX_SHOWN = 8;

/** For a line that has an order's id where its market should be. */
function missingMarket(definition: Definition, { path, args }: Line): Correction | undefined {
  const id = args.find(isOrderId);
  if (id === undefined || args.length !== 1 || !takesMarketFirst(definition)) return undefined;
  return {
    message: `The market of the order ${id} is missing.`,
    hint: [
      suggest('Find it', 'orders', '--all-markets'),
      suggest('Then name it before the id', ...path.split(' '), 'MARKET', id),
    ],
  };
}

/** An example, if words are missing or are too many; one with the same flags, if there is one. */
function exampleFor(definition: Definition, typed: Line, known: KnownNames): Correction | undefined {
  const { arguments: declaredArgs = {}, examples } = definition;
  const all = Object.values(declaredArgs);
  const least = all.filter(({ presence }) => presence === 'required').length;
  const hasOther = ({ args }: Line) =>
    args.length < least || (args.length > all.length && all.at(-1)?.presence !== 'several');
  const line = withFlags(typed, known).find((one) => hasOther(one) && canReadFlags(definition, one));
  if (line === undefined) return undefined;
  const example = examples.find((one) => line.flags.every(([name]) => one.includes(name))) ?? examples[0] ?? line.path;
  return {
    hint: [suggest('For example', ...example.split(' ')), suggest('See its usage', ...line.path.split(' '), '--help')],
  };
}
