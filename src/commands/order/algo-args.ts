import {
  type Flag,
  type FlagRules,
  type FlagValue,
  flag,
  type Parser,
  toggle,
  withCompletion,
} from '../../cli/definition.js';
import { Decimal, plainNumber } from '../../domain/decimal.js';
import type { OrderType, Side } from '../../domain/order.js';
import { quoted, usage } from '../../errors.js';
import { percentText } from '../../trading/algos/plan/check-terms.js';
import { kindOfEntry } from '../../trading/algos/plan/entries/entry-kinds.js';
import type { AlgoEntry, AlgoEntryName, EntryOf } from '../../trading/algos/plan/entries/entry-terms.js';
import type { TrailDistance } from '../../trading/algos/plan/terms.js';
import {
  type AmountExpression,
  amountText,
  type PriceExpression,
  parseAmount,
  parsePrice,
  priceText,
} from '../../trading/expressions.js';
import { ALGO_GUARD, type GuardName } from '../../trading/guards/limits.js';
import { execWords } from '../alert/actions.js';
import { parseCondition } from '../alert/parse-condition.js';
import { durationText } from '../algo/view/terms-text.js';
import { durationUpTo, oneOf, PRICE_WORDS } from '../inputs/parsers.js';
import type { GivenOrder } from './order-args.js';

const price = withCompletion(PRICE_WORDS, parsePrice);

/** How a kind of entry is asked for. */
interface EntryFlags<Entry extends AlgoEntry> {
  /** The flag that asks for it. */
  readonly flag: string;
  /** The types of orders that a flag may choose for it. */
  readonly types: readonly OrderType[];
  isAsked(flags: EntryChoice): boolean;
  entryOf(draft: AlgoDraft, values: EntryValues): Entry | null;
}

type EntryChoice = Pick<GivenOrder, 'at'> & AlgoFlags;

/** What the expressions of an entry come to; null for those that are not given. */
export interface EntryValues {
  readonly at: Decimal | null;
  readonly show: Decimal | null;
}

/**
 * The kinds of entries by their flags; of several that are asked for, `--at` belongs to the other one.
 * @internal for a test that adds one
 */
export const ENTRY_FLAGS: { readonly [Name in AlgoEntryName]: EntryFlags<EntryOf<Name>> } = {
  twap: {
    flag: '--over',
    types: [],
    isAsked: ({ over }) => over !== undefined,
    entryOf: ({ over, every, passive }, { at }) =>
      over === undefined
        ? null
        : { kind: 'twap', durationMs: over, everyMs: every ?? DEFAULT_EVERY_MS, isPassive: passive, bound: at },
  },
  chase: {
    flag: '--chase',
    types: [],
    isAsked: ({ chase }) => chase,
    entryOf: (_, { at }) => ({ kind: 'chase', bound: at }),
  },
  iceberg: {
    flag: '--show',
    types: ['postOnly'],
    isAsked: ({ show }) => show !== undefined,
    entryOf: ({ type }, { at, show }) =>
      at && show && { kind: 'iceberg', type: type === 'postOnly' ? type : 'limit', price: at, show },
  },
  limit: {
    flag: '--at',
    types: ['postOnly', 'ioc'],
    isAsked: ({ at }) => at !== undefined,
    entryOf: ({ type }, { at }) => at && { kind: 'limit', type, price: at },
  },
};

const ENTRIES: readonly string[] = Object.values(ENTRY_FLAGS).map(({ flag }) => flag);

/** The flags of all entries but the plain limit order: they exclude each other. */
const CHOICES: readonly string[] = ENTRIES.filter((name) => name !== ENTRY_FLAGS.limit.flag);

const choicesAfter = (name: string): readonly string[] => CHOICES.slice(CHOICES.indexOf(name) + 1);

/** The flags of the entries whose orders cannot have this type. */
const withoutType = (type: OrderType): readonly string[] =>
  Object.values(ENTRY_FLAGS).flatMap(({ flag, types }) => (types.includes(type) ? [] : [flag]));

const STOPS = ['--stop', '--trail'];

/** The flags that turn an order into an algo order; each other flag of algo orders needs one of them. */
export const ALGO_ROOTS = ['--take', ...STOPS, ...CHOICES, '--when', '--for'];

/** The flags for the type of an order. */
export const TYPE_FLAGS = {
  postOnly: toggle('--post-only', 'only rest in the book; rejected if it would fill at once', {
    excludes: ['--ioc', ...withoutType('postOnly')],
  }),
  // it never waits
  ioc: toggle('--ioc', 'fill what can be filled at once, cancel the rest', {
    excludes: [...withoutType('ioc'), '--for'],
  }),
};

/** What a flag of algo orders is beside its rules. */
interface AgentFlagMore<Value> extends FlagRules {
  /** What it is to an agent, in as few words as possible. */
  readonly agent: string;
  /** A value of it as a user would type it. */
  readonly typed: (value: Value) => string;
}

/** A flag that an agent may give as a parameter of its tools, too. */
function agentFlag<Value>(syntax: string, description: string, parse: Parser<Value>, more: AgentFlagMore<Value>) {
  return { syntax, description, parse, ...more };
}

function agentToggle(syntax: string, description: string, more: FlagRules & Pick<AgentFlagMore<never>, 'agent'>) {
  return { syntax, description, ...more };
}

/** The flags of algo orders. */
export const ALGO_FLAGS = {
  // alone it is a plain order at that price
  take: agentFlag('--take <price>', 'take profit at this price; it rests at the exchange', price, {
    needs: [[...STOPS, ...ENTRIES]],
    typed: priceText,
    agent: 'algo: take-profit price',
  }),
  stop: agentFlag('--stop <price>', 'end the position when the market reaches this price', price, {
    typed: priceText,
    agent: 'algo: stop price',
  }),
  limit: agentFlag('--limit <price>', 'the limit of the order that a reached stop sends', price, {
    needs: ['--stop'],
    excludes: ['--trail'],
    typed: priceText,
    agent: 'algo: of what the stop sends',
  }),
  trail: agentFlag('--trail <distance>', 'a stop that follows the best price: 2%, 300 or 50ticks', trailDistance, {
    typed: trailText,
    agent: 'algo: stop following by 2%, 300 or 50ticks',
  }),
  over: agentFlag('--over <duration>', 'buy or sell in slices over this time (TWAP)', durationUpTo('7d'), {
    excludes: choicesAfter('--over'),
    typed: durationText,
    agent: 'algo: TWAP in slices over 2h',
  }),
  every: agentFlag('--every <duration>', 'the time between slices (default: 1m)', durationUpTo('1d'), {
    needs: ['--over'],
    typed: durationText,
    agent: 'time between slices (1m)',
  }),
  passive: agentToggle('--passive', 'slices rest post-only at the best price of their side', {
    needs: ['--over'],
    agent: 'slices rest',
  }),
  show: agentFlag('--show <amount>', 'rest at most this much of it, part after part (iceberg)', parseAmount, {
    needs: ['--at'],
    excludes: choicesAfter('--show'),
    typed: amountText,
    agent: 'algo: iceberg; at most this rests at price',
  }),
  chase: agentToggle('--chase', 'rest post-only at the best price of the side and follow it; --at is the limit', {
    excludes: choicesAfter('--chase'),
    agent: 'algo: rest at the best price, follow it',
  }),
  when: {
    ...agentFlag('--when <condition>', "wait for it before the entry, as in pit alert: 'last>30000'", parseCondition, {
      needs: [ENTRIES],
      typed: ({ text }) => text,
      agent: 'algo: wait for any: last>30000, close:15min>28000, trail<-2%, eth_usdt:bid<2000',
    }),
    repeats: true,
  },
  // exits protect until they are cancelled
  for: agentFlag('--for <duration>', 'give up an entry that has not filled after this time', durationUpTo('365d'), {
    needs: [ENTRIES],
    typed: durationText,
    agent: 'algo: give up the entry after 10m',
  }),
  slippage: agentFlag(
    '--slippage <share>',
    'how far past its trigger a stop or slice may fill (default: 1%)',
    slippageShare,
    {
      needs: [[...STOPS, '--over']],
      typed: percentText,
      agent: 'of stops and slices (1%)',
    },
  ),
  trigger: agentFlag(
    '--trigger <price>',
    'what reaches a stop: book (the best bid or ask) or last (default: book)',
    oneOf('--trigger', 'book', 'last'),
    {
      needs: [STOPS],
      typed: String,
      agent: 'of a stop (book)',
    },
  ),
  exec: flag(
    '--exec <command>',
    'of an algo order: run this program for each event, with its JSON on stdin',
    (text) => {
      execWords(text);
      return text;
    },
    { needs: [ALGO_ROOTS] },
  ),
  notify: toggle('--notify', 'of an algo order: show a notification on the desktop for each event', {
    needs: [ALGO_ROOTS],
  }),
} as const;

/** An agent runs no program of the user. */
const { exec: _exec, notify: _notify, ...agentFlags } = ALGO_FLAGS;

/** The flags that an agent may give as parameters of its tools. */
export const AGENT_ALGO_FLAGS = agentFlags;

/** What {@link ALGO_FLAGS} were given. */
export type AlgoFlags = { readonly [Name in keyof typeof ALGO_FLAGS]: FlagValue<(typeof ALGO_FLAGS)[Name]> };

/** None of {@link ALGO_FLAGS}. */
export const NO_ALGO_FLAGS = Object.fromEntries(
  Object.entries<Flag>(ALGO_FLAGS).map(([name, { parse, repeats }]) => {
    if (parse === undefined) return [name, false];
    return [name, repeats ? [] : undefined];
  }),
) as unknown as AlgoFlags;

/** An algo order as given on the command line; its prices and its amount are not evaluated yet. */
export interface AlgoDraft extends AlgoFlags {
  readonly side: Side;
  readonly market: string;
  readonly amount: AmountExpression;
  readonly at: PriceExpression | undefined;
  readonly type: OrderType;
  /** The guards that the command line overrides. */
  readonly overridden: readonly GuardName[];
}

/** The command line of an algo order. */
export function algoDraftArgs(draft: AlgoDraft, overridden: readonly GuardName[]): string[] {
  const { side, market, amount, at, type } = draft;
  return [
    ...['order', side, market, amountText(amount), ...(at === undefined ? [] : ['--at', priceText(at)])],
    ...(type === 'postOnly' ? ['--post-only'] : type === 'ioc' ? ['--ioc'] : []),
    ...Object.entries<AgentFlag>(AGENT_ALGO_FLAGS).flatMap(([name, flag]) => flagArgs(flag, draft[name as FlagName])),
    ...overridden.flatMap((guard) => ['--override', guard]),
  ];
}

type FlagName = keyof typeof AGENT_ALGO_FLAGS;

type AgentFlag = Pick<Flag, 'syntax'> & Partial<Pick<AgentFlagMore<never>, 'typed'>>;

/** The words of a flag on a command line; none if it was not given. */
function flagArgs({ syntax, typed }: AgentFlag, given: AlgoFlags[FlagName]): string[] {
  const [name = syntax] = syntax.split(' ');
  if (given === undefined || given === false) return [];
  if (typed === undefined) return [name];
  // each flag is asked about its own values only
  return [given].flat().flatMap((value) => [name, typed(value as never)]);
}

/** Whether any flag asks for an algo order. */
export function asksForAlgo(flags: AlgoFlags): boolean {
  return Object.keys(ALGO_FLAGS).some((name) => {
    const value = flags[name as keyof AlgoFlags];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
}

/** The kind of entry that is asked for, which builds a position; null without one: then the exits are the order itself. */
export function entryNameOf(flags: EntryChoice): AlgoEntryName | null {
  const names = Object.keys(ENTRY_FLAGS) as AlgoEntryName[];
  return names.find((name) => ENTRY_FLAGS[name].isAsked(flags)) ?? null;
}

/** The entry that is asked for; null without one. */
export function entryOf(draft: AlgoDraft, values: EntryValues): AlgoEntry | null {
  const name = entryNameOf(draft);
  return name && ENTRY_FLAGS[name].entryOf(draft, values);
}

/**
 * Refuses what the rules of {@link ALGO_FLAGS} cannot say: it depends on values, or on two flags and a third. Throws Failure `usage`.
 */
export function checkAlgo(given: GivenOrder, flags: AlgoFlags): void {
  refuseOrderFlags(given);
  const { at, type } = given;
  const { stop, limit, trail, over, every, passive, slippage } = flags;
  const stops = stop !== undefined || trail !== undefined;
  if (over !== undefined && over < (every ?? DEFAULT_EVERY_MS))
    throw usage('--over is shorter than the time between two slices.', 'Give a longer --over, or a shorter --every.');
  // the command asks for the price of a plain order
  if (type !== undefined && entryNameOf({ at, ...flags }) === null)
    throw usage(
      `${type === 'ioc' ? '--ioc' : '--post-only'} belongs to an order with --at.`,
      'Add --at PRICE, or leave it out: a reached stop sends an order of its own type.',
    );
  if (slippage !== undefined && limit !== undefined && over === undefined)
    throw usage('--slippage has no meaning with --limit.', 'The limit says how far the stop may fill.');
  if (slippage !== undefined && passive && !stops)
    throw usage('--slippage has no meaning with --passive.', 'Passive slices rest at the best price.');
  checkNumbers(given, flags);
}

/**
 * Refuses numbers that contradict each other in any market, before anything is asked or read. What depends on the market is checked in it.
 * Throws Failure `usage`.
 */
function checkNumbers({ side, at, amount }: GivenOrder, flags: AlgoFlags): void {
  const { take, stop, limit, trail, show } = flags;
  if (amount?.kind === 'base' && show?.kind === 'base' && show.amount.compare(amount.amount) >= 0)
    throw usage(
      `--show ${show.amount} is not below the amount ${amount.amount}: all of it would rest.`,
      'Give a smaller --show, or leave it out.',
    );
  if (trail?.unit === 'share' && trail.value.compare(ONE) >= 0)
    throw usage(`A trail of ${percentText(trail.value)} never ends.`, 'Use less than 100%.');
  if (side === undefined) return;
  const entry = entryNameOf({ at, ...flags });
  const isSold = (side === 'sell') !== (entry !== null);
  // the bound of slices and of a chase is no price that is paid
  const paid = entry === null || kindOfEntry({ kind: entry }).followsMarket ? undefined : at;
  requireOrder(['stop', stop], ['take-profit', take], isSold);
  requireOrder(['stop', stop], ['price of the entry', paid], isSold);
  requireOrder(['price of the entry', paid], ['take-profit', take], isSold);
  const [limitPrice, stopLevel] = [numberOf(limit), numberOf(stop)];
  if (limitPrice === undefined || stopLevel === undefined) return;
  const beyond = limitPrice.compare(stopLevel);
  if (isSold ? beyond > 0 : beyond < 0)
    throw usage(
      `The limit ${limitPrice} is ${isSold ? 'above' : 'below'} the stop ${stopLevel}: what a reached stop sends would not fill.`,
      `Use ${stopLevel} or ${isSold ? 'less' : 'more'}.`,
    );
}

const ONE = Decimal.of('1');

type NamedPrice = readonly [name: string, expression: PriceExpression | undefined];

/** Of exits that sell, the first price has to be below the second; of those that buy, above it. */
function requireOrder([name, first]: NamedPrice, [otherName, second]: NamedPrice, isSold: boolean): void {
  const [price, other] = [numberOf(first), numberOf(second)];
  if (price === undefined || other === undefined) return;
  const order = price.compare(other);
  if (isSold ? order < 0 : order > 0) return;
  const relation = isSold ? 'below' : 'above';
  throw usage(
    `The ${name} ${price} is not ${relation} the ${otherName} ${other}.`,
    `Use a ${name} ${relation} ${other}.`,
  );
}

/** Undefined for one that depends on the market, or is not given. */
function numberOf(expression: PriceExpression | undefined): Decimal | undefined {
  return expression?.kind === 'number' ? expression.price : undefined;
}

/** The time between two slices. */
const DEFAULT_EVERY_MS = 60_000;

/** Flags of a single order that its children could not keep. Throws Failure `usage`. */
function refuseOrderFlags({ account, borrow, repay, overridden }: GivenOrder): void {
  if (account !== 'spot' || borrow || repay)
    throw usage(
      'Algo orders trade on the spot account only.',
      'The exchange does not report margin balances, which they rest on.',
    );
  if (overridden.some((guard) => guard !== ALGO_GUARD))
    throw usage(
      '--override has no meaning for an algo order.',
      `Guards hold for each of its orders at the moment of sending. Change the limit of the profile instead. Only ${ALGO_GUARD} can be overridden.`,
    );
}

/** The distance as text that {@link trailDistance} reads: without separators. */
function trailText({ unit, value }: TrailDistance): string {
  if (unit === 'share') return percentText(value);
  return unit === 'ticks' ? `${value}ticks` : value.toString();
}

/** Throws Failure `usage`. */
function trailDistance(text: string): TrailDistance {
  const [, digits = '', unit = ''] = /^(.*?)(%|ticks?)?$/i.exec(plainNumber(text)) ?? [];
  const isNumber = /^\d{1,30}(\.\d{1,30})?$/.test(digits);
  const value = isNumber ? Decimal.of(digits) : Decimal.zero;
  const isTicks = unit.toLowerCase().startsWith('tick');
  if (value.sign <= 0 || (isTicks && value.significantScale > 0))
    throw usage(
      `${quoted(text)} is not a trail distance.`,
      'Write a share like 2%, a price difference like 300, or 50ticks.',
    );
  if (unit === '%') return { unit: 'share', value: value.times(HUNDREDTH).trimmed() };
  return { unit: isTicks ? 'ticks' : 'price', value };
}

const HUNDREDTH = Decimal.of('0.01');

/** Throws Failure `usage`. */
function slippageShare(text: string): Decimal {
  const [, digits] = /^(\d{1,2}(?:\.\d{1,10})?)%$/.exec(text) ?? [];
  if (digits === undefined)
    throw usage(
      `The slippage must be a percentage below 100%, with its % sign, not ${quoted(text)}.`,
      'Write it like 0.5%.',
    );
  return Decimal.of(digits).times(HUNDREDTH).trimmed();
}
