import fc from 'fast-check';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { AlgoEntry, AlgoEntryName, EntryOf } from '../../../../src/trading/algos/plan/entries/entry-terms.js';

// What tests know of each kind of entry: how it is typed, drawn by campaigns, and what must hold of its orders.

export function limit(price: string, type: 'limit' | 'postOnly' | 'ioc' = 'limit'): AlgoEntry {
  return { kind: 'limit', type, price: Decimal.of(price) };
}

export function twap(minutes: number, more: { bound?: string; isPassive?: boolean; everyMs?: number } = {}): AlgoEntry {
  const { bound, isPassive = false, everyMs = 60_000 } = more;
  return { kind: 'twap', durationMs: minutes * 60_000, everyMs, isPassive, bound: optional(bound) };
}

export function chase(bound?: string): AlgoEntry {
  return { kind: 'chase', bound: optional(bound) };
}

export function iceberg(price: string, show: string, type: 'limit' | 'postOnly' = 'limit'): AlgoEntry {
  return { kind: 'iceberg', type, price: Decimal.of(price), show: Decimal.of(show) };
}

function optional(text: string | undefined): Decimal | null {
  return text === undefined ? null : Decimal.of(text);
}

/** What the entries of campaigns are drawn with. */
export interface EntryDraw {
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** A price at which an order rests near the market, or fills at once. */
  readonly near: Decimal;
  /** How much is drawn in all, and the smallest order at the near price. */
  readonly amount: Decimal;
  readonly least: Decimal;
  /** A price beyond which an entry does not follow the market. */
  readonly bound: Decimal;
  /** How long slices may be apart, and how many of them there may be. */
  readonly everyMs: readonly number[];
  readonly slots: readonly number[];
}

/** An entry of each kind, as campaigns draw it. */
const ENTRY_DRAWS: { readonly [Name in AlgoEntryName]: (draw: EntryDraw) => EntryOf<Name> } = {
  limit: ({ pick, near }) => ({ kind: 'limit', type: pick(['limit', 'limit', 'postOnly']), price: near }),
  twap({ chance, pick, everyMs, slots }) {
    const every = pick(everyMs);
    return { kind: 'twap', durationMs: every * pick(slots), everyMs: every, isPassive: chance(0.4), bound: null };
  },
  iceberg: ({ pick, near, amount, least }) => {
    const share = amount.times(Decimal.of(pick(['0.5', '0.34', '0.21']))).rescaled(amount.scale, 'down');
    return {
      kind: 'iceberg',
      type: pick(['limit', 'limit', 'postOnly']),
      price: near,
      show: share.compare(least) < 0 ? least : share,
    };
  },
  chase: ({ chance, bound }) => ({ kind: 'chase', bound: chance(0.5) ? bound : null }),
};

export const DRAWN_ENTRIES = Object.keys(ENTRY_DRAWS) as AlgoEntryName[];

export function drawEntry<Name extends AlgoEntryName>(name: Name, draw: EntryDraw): EntryOf<Name> {
  return ENTRY_DRAWS[name](draw);
}

/** The flags of an entry of each kind. */
const ENTRY_WORDS: { readonly [Name in AlgoEntryName]: (entry: EntryOf<Name>) => string } = {
  limit: ({ price, type }) => `--at ${price}${type === 'postOnly' ? ' --post-only' : ''}`,
  twap: ({ durationMs, everyMs, isPassive, bound }) =>
    `--over ${durationMs / 1_000}s --every ${everyMs / 1_000}s${isPassive ? ' --passive' : ''}${atBound(bound)}`,
  iceberg: ({ price, type, show }) => `--at ${price} --show ${show}${type === 'postOnly' ? ' --post-only' : ''}`,
  chase: ({ bound }) => `--chase${atBound(bound)}`,
};

function atBound(bound: Decimal | null): string {
  return bound === null ? '' : ` --at ${bound}`;
}

/** A command line with an entry of each kind, in a market that goes from 20000 up to 20300 and down to 19950 and less within 50 minutes. */
export const ENTRY_COMMANDS: readonly (readonly [kind: AlgoEntryName, command: string])[] =
  DRAWN_ENTRIES.map(commandOf);

function commandOf<Name extends AlgoEntryName>(name: Name): readonly [Name, string] {
  const entry = drawEntry(name, {
    // a chase with a bound, at which it rests
    chance: (share) => share >= 0.5,
    pick: <Value>(values: readonly Value[]) => values[0] as Value,
    ...{ near: Decimal.of('19950'), amount: Decimal.of('0.5000'), least: Decimal.of('0.001') },
    ...{ bound: Decimal.of('20040'), everyMs: [120_000], slots: [2] },
  });
  // with a time that is given, a limit order is an algo order too
  return [name, `order buy btc_usdt 0.5 ${ENTRY_WORDS[name](entry)} --for 55m`];
}

/** An entry of any kind with any numbers. */
export function anyEntry(decimal: fc.Arbitrary<Decimal>, length: fc.Arbitrary<number>): fc.Arbitrary<AlgoEntry> {
  const bound = fc.option(decimal, { nil: null });
  const entries: { readonly [Name in AlgoEntryName]: fc.Arbitrary<EntryOf<Name>> } = {
    limit: fc.record({
      kind: fc.constant('limit'),
      type: fc.constantFrom('limit', 'postOnly', 'ioc'),
      price: decimal,
    }),
    twap: fc.record({
      ...{ kind: fc.constant('twap'), durationMs: length, everyMs: length },
      ...{ isPassive: fc.boolean(), bound },
    }),
    iceberg: fc.record({
      ...{ kind: fc.constant('iceberg'), type: fc.constantFrom('limit', 'postOnly') },
      ...{ price: decimal, show: decimal },
    }),
    chase: fc.record({ kind: fc.constant('chase'), bound }),
  };
  return fc.oneof<fc.Arbitrary<AlgoEntry>[]>(...Object.values(entries));
}

/** The terms of each kind of entry that a rule is about. */
interface EntryTerms {
  readonly limit: { readonly price: string };
  readonly twap: { readonly durationMs: number; readonly everyMs: number; readonly bound: string | null };
  readonly chase: { readonly bound: string | null };
  readonly iceberg: { readonly price: string; readonly show: string };
}

export type JudgedEntry = { [Name in AlgoEntryName]: { readonly kind: Name } & EntryTerms[Name] }[AlgoEntryName];

/** What must hold of the orders of an entry of one kind, by its documentation. */
interface EntryRules<Terms> {
  /** The price that each order has, or the bound that none goes beyond; null for no bound. */
  priceOf(terms: Terms): { readonly given: string } | { readonly bound: string | null };
  /** How soon orders may follow each other: at any time, at most one a second, or one in each slot of a time. */
  paceOf(terms: Terms): 'any' | 'one a second' | Slots;
  /** How much may rest at a time; null for the whole amount. */
  shownOf(terms: Terms): string | null;
}

export interface Slots {
  readonly durationMs: number;
  readonly everyMs: number;
}

/** The rules of each kind of entry. A kind without a row is a type error. */
const ENTRY_RULES: { readonly [Name in AlgoEntryName]: EntryRules<EntryTerms[Name]> } = {
  limit: {
    priceOf: ({ price }) => ({ given: price }),
    paceOf: () => 'any',
    shownOf: () => null,
  },
  twap: {
    priceOf: ({ bound }) => ({ bound }),
    paceOf: ({ durationMs, everyMs }) => ({ durationMs, everyMs }),
    shownOf: () => null,
  },
  chase: {
    priceOf: ({ bound }) => ({ bound }),
    paceOf: () => 'one a second',
    shownOf: () => null,
  },
  iceberg: {
    priceOf: ({ price }) => ({ given: price }),
    paceOf: () => 'one a second',
    shownOf: ({ show }) => show,
  },
};

export function rulesOf({ kind }: JudgedEntry): EntryRules<JudgedEntry> {
  // the rules of a kind are asked about its own terms only
  return ENTRY_RULES[kind] as EntryRules<JudgedEntry>;
}
