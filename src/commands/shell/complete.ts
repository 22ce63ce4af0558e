import fs from 'node:fs';
import path from 'node:path';
import type { CompletionSource } from '../../cli/definition.js';
import { CANDLE_TYPES } from '../../domain/candle.js';
import { operations } from '../../exchange/operations/index.js';
import type { Operation } from '../../exchange/operations/operation.js';
import { CHANNEL_STARTS } from '../stream/channel-words.js';
import { scan } from './line.js';
import {
  completionOf,
  flagsOf,
  nameOf,
  nextArgument,
  subcommandsOf,
  type TypedCommand,
  typedCommand,
} from './typed-command.js';

/** The names that pit has seen, for a profile or the one in use. */
export interface Names {
  readonly lines: (
    kind: 'markets' | 'coins' | 'orders' | 'unresolved',
    profile: string | undefined,
  ) => Promise<readonly string[]>;
  readonly profiles: () => Promise<readonly string[]>;
}

/** What may stand in place of the last word of a line. */
export interface Completion {
  /** The typed part that a candidate replaces. */
  readonly replaces: string;
  readonly candidates: readonly string[];
}

/** The words that only the shell has, before those of pit. */
const OWN_WORDS: readonly string[] = ['use', 'exit', 'help'];

/** More would fill the screen. */
const MOST_FILES = 500;

/**
 * What can be typed at the end of a line: the same as the completion scripts offer.
 *
 * @param ownWords words that stand before those of pit
 */
export async function complete(line: string, names: Names, ownWords = OWN_WORDS): Promise<Completion> {
  const { words, isOpen, quote, operator } = scan(line);
  if (operator !== null || quote !== null) return { replaces: '', candidates: [] };
  const texts = words.map(({ text }) => text);
  const typed = isOpen ? (texts.pop() ?? '') : '';
  if (texts[0] === 'pit') texts.shift();
  const all = await candidatesFor(texts, typed, names, ownWords);
  const before = beforeValue(typed, all.isJoined);
  const value = all.isName ? plainName(typed.slice(before.length)) : typed.slice(before.length);
  const fitting = all.words.filter((word) => word.startsWith(value));
  const candidates = fitting.map((word) => before + word);
  const [only] = candidates;
  // a word that may go on gets no space
  if (candidates.length === 1 && only !== undefined && !/[=:/,]$/.test(only))
    return { replaces: typed, candidates: [`${only} `] };
  return { replaces: typed, candidates };
}

interface Candidates {
  readonly words: readonly string[];
  /** Markets and coins may be typed in other forms. */
  readonly isName?: boolean;
  /** Several words in one, with commas. */
  readonly isJoined?: boolean;
}

const NOTHING: Candidates = { words: [] };

/** The part of a word that stays: a flag's name, and the words before the last comma. */
function beforeValue(typed: string, isJoined = false): string {
  const flag = /^--[a-z-]+=/.exec(typed)?.[0] ?? '';
  return isJoined ? typed.slice(0, Math.max(flag.length, typed.lastIndexOf(',') + 1)) : flag;
}

function plainName(text: string): string {
  return text.toLowerCase().replace(/[/-]/, '_');
}

async function candidatesFor(
  words: readonly string[],
  typed: string,
  names: Names,
  ownWords: readonly string[],
): Promise<Candidates> {
  if (words[0] === 'use' && ownWords.includes('use'))
    return words.length === 1 ? named(await names.lines('markets', undefined)) : NOTHING;
  if (words[0] === 'help') return { words: subcommandsOf(words.slice(1).join(' ')) };
  const command = await typedCommand(words);
  if (command.awaited !== undefined) return valuesOf(completionOf(command.awaited.parse), typed, command, names);
  const flag = /^(--[a-z-]+)=/.exec(typed)?.[1];
  if (flag !== undefined) {
    const meant = flagsOf(command.definition).find((one) => nameOf(one) === flag);
    const value = typed.slice(flag.length + 1);
    return valuesOf(completionOf(meant?.parse), value, command, names);
  }
  if (command.isEnded) return NOTHING;
  if (typed.startsWith('-')) return { words: flagNames(command) };
  const below = command.given.length === 0 ? subcommandsOf(command.path) : [];
  const own = words.length === 0 ? ownWords : [];
  const next = operationValues(command) ?? completionOf(nextArgument(command)?.parse);
  const values = await valuesOf(next, typed, command, names);
  const all = { ...values, words: [...below, ...own, ...values.words] };
  return typed === '' && all.words.length === 0 ? { words: flagNames(command) } : all;
}

/** The flags that are not given yet, or may be repeated. */
function flagNames({ definition, flags }: TypedCommand): string[] {
  return [
    ...flagsOf(definition)
      .filter((flag) => flag.repeats || !flags.has(nameOf(flag)))
      .map(nameOf),
    '--help',
  ];
}

/** After `api OPERATION` come its parameters. */
function operationValues({ path: words, given }: TypedCommand): CompletionSource | undefined {
  const [name = ''] = given;
  if (words !== 'api' || !Object.hasOwn(operations, name)) return undefined;
  const { parameters } = operations[name as keyof typeof operations] as Operation;
  return { of: 'words', words: Object.keys(parameters).map((parameter) => `${parameter}=`) };
}

async function valuesOf(
  kind: CompletionSource | undefined,
  typed: string,
  command: TypedCommand,
  { lines, profiles }: Names,
): Promise<Candidates> {
  const { profile } = command;
  switch (kind?.of) {
    case 'words':
      return kind.joined ? { words: kind.words, isJoined: true } : { words: kind.words };
    case 'market':
      return named(await lines('markets', profile));
    case 'coin':
      return named(await lines('coins', profile));
    case 'unresolved':
      return { words: await lines('unresolved', profile) };
    case 'order':
    case 'clientId':
      return { words: ordersOf(await lines('orders', profile), kind.of, command) };
    case 'profile':
      return { words: await profiles() };
    case 'channel':
      return { words: channels(typed, await lines('markets', profile)) };
    case 'file':
      return { words: files(typed) };
    default:
      return NOTHING;
  }
}

function named(words: readonly string[]): Candidates {
  return { words, isName: true };
}

/** The ids of open orders, of the market on the line if there is one. A line is `MARKET ID CLIENT_ID`. */
function ordersOf(lines: readonly string[], kind: 'order' | 'clientId', { given }: TypedCommand): string[] {
  const markets = new Set(given.map(plainName));
  const orders = lines.map((line) => line.split(' '));
  const ofMarket = orders.filter(([market = '']) => markets.has(market));
  const fitting = ofMarket.length > 0 ? ofMarket : orders;
  return fitting.flatMap(([, id = '', clientId = '-']) => (kind === 'order' ? id : clientId === '-' ? [] : clientId));
}

/** The kinds of channels, after a colon the markets, and after another one the types of candles. */
function channels(typed: string, markets: readonly string[]): string[] {
  const [kind = '', market] = typed.split(':');
  if (market === undefined) return [...CHANNEL_STARTS];
  if (kind === 'kline' && typed.split(':').length > 2) return CANDLE_TYPES.map((type) => `${kind}:${market}:${type}`);
  return markets.map((name) => `${kind}:${name}${kind === 'kline' ? ':' : ''}`);
}

function files(typed: string): string[] {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  try {
    const entries = fs.readdirSync(path.resolve(folder), { withFileTypes: true }).slice(0, MOST_FILES);
    return entries
      .filter(({ name }) => /^[\w@%+=:,.-]+$/.test(name))
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
  } catch {
    return [];
  }
}
