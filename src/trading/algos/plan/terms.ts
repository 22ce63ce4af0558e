import * as v from 'valibot';
import { ACCOUNT_TYPES, SIDES, type Side } from '../../../domain/order.js';
import type { GivenLimits } from '../../guards/given-limits.js';
import { type AlgoEntryName, ENTRY } from './entries/entry-terms.js';
import { decimal, integer, market } from './line-schemas.js';

/** `2%` is the share 0.02; `300` a price; `50ticks`. */
const TRAIL = v.pipe(v.object({ unit: v.picklist(['share', 'price', 'ticks']), value: decimal }), v.readonly());

export type TrailDistance = v.InferOutput<typeof TRAIL>;

/** At least one of `take`, `stop` and `trail`. With both, the stop and the trail protect together: the one that is reached first acts. */
const EXITS = v.pipe(
  v.object({
    /** The price of the take-profit, which rests at the exchange; null for none. */
    take: v.nullable(decimal),
    /** The price that triggers the stop; null for none. */
    stop: v.nullable(decimal),
    /** The price of the order that a reached stop sends. Null: the trigger price and the slippage decide. */
    limit: v.nullable(decimal),
    /** How far the stop follows the best price; null for none. */
    trail: v.nullable(TRAIL),
  }),
  v.readonly(),
);

export type Exits = v.InferOutput<typeof EXITS>;

export type ExitPriceName = Exclude<keyof Exits, 'trail'>;

/** What each price of exits is called, and whether it is that of an order, which new rules of the market round. */
export const EXIT_PRICES: Readonly<Record<ExitPriceName, { readonly label: string; readonly isOfOrder: boolean }>> = {
  take: { label: 'take-profit', isOfOrder: true },
  stop: { label: 'stop', isOfOrder: false },
  limit: { label: 'stop limit', isOfOrder: true },
};

/** The same made of each price of exits. */
export function mapExitPrices<Value>(of: (name: ExitPriceName) => Value): { readonly [Name in ExitPriceName]: Value } {
  const names = Object.keys(EXIT_PRICES) as ExitPriceName[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as { readonly [Name in ExitPriceName]: Value };
}

const AGENT: v.GenericSchema<unknown, GivenLimits> = v.object({
  markets: v.exactOptional(v.array(v.string())),
  maxOrder: v.exactOptional(v.string()),
  maxDay: v.exactOptional(v.string()),
  maxOpen: v.exactOptional(integer),
  mayBorrow: v.exactOptional(v.boolean()),
});

/** An algo order as it was asked for, with all relative words resolved. It never changes. */
export const TERMS = v.object({
  /** Names the algo order. The client ids of its children are made from it and their numbers. */
  id: v.string(),
  /** The name of the profile that it was made with. */
  profile: v.string(),
  /** The account that it trades for, named as its journal: other hosts or keys are another account. */
  owner: v.string(),
  /** The market with its rules at the start. */
  market,
  account: v.picklist(ACCOUNT_TYPES),
  borrow: v.boolean(),
  repay: v.boolean(),
  /** Of the entry. Without an entry, of the exits. */
  side: v.picklist(SIDES),
  /** In the base coin, whole lots. */
  amount: decimal,
  /** What builds a position; null if the exits are the order itself. */
  entry: v.nullable(ENTRY),
  /** The conditions that the entry waits for, as `pit alert` understands them; none: it starts at once. */
  when: v.pipe(v.array(v.string()), v.readonly()),
  /** What ends the position, or sells or buys the amount if there is no entry. */
  exits: v.nullable(EXITS),
  /** How far from the price that triggered a child may go, as a share of it: `0.01` is 1 %. */
  slippage: decimal,
  /** The price that triggers a stop: the best one of the side that would be hit, or that of the newest trade. */
  trigger: v.picklist(['book', 'last']),
  /** After this time, in milliseconds from the start, what has not filled is given up; null for no limit. */
  forMs: v.nullable(integer),
  /** The shell command for each event; null for none. */
  exec: v.nullable(v.string()),
  /** Whether each event is shown as a notification of the desktop. */
  notify: v.boolean(),
  /** The limits of the agent that made it, which hold for its orders too; absent if the user made it. */
  agent: v.exactOptional(AGENT),
});

export type AlgoTerms = Readonly<v.InferOutput<typeof TERMS>>;

export type AlgoKind = 'stop' | 'stopLimit' | 'trail' | 'oco' | 'bracket' | 'when' | Exclude<AlgoEntryName, 'limit'>;

/** The name of the kind in lists and JSON. An entry with exits is a bracket, whatever the entry is and waits for. */
export function kindOf({ entry, when, exits }: Pick<AlgoTerms, 'entry' | 'when' | 'exits'>): AlgoKind {
  if (entry === null) return exits === null ? 'when' : kindOfExits(exits);
  if (exits !== null) return 'bracket';
  if (when.length > 0 || entry.kind === 'limit') return 'when';
  return entry.kind;
}

function kindOfExits({ take, limit, trail }: Exits): AlgoKind {
  if (take !== null) return 'oco';
  if (trail !== null) return 'trail';
  return limit === null ? 'stop' : 'stopLimit';
}

function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** Whether it has a stop or a trail, which only pit knows. */
export function hasStop({ exits }: Pick<AlgoTerms, 'exits'>): boolean {
  return exits !== null && (exits.stop !== null || exits.trail !== null);
}

/** The side of take-profit and stop: with an entry, the other one. */
export function exitSideOf({ entry, side }: Pick<AlgoTerms, 'entry' | 'side'>): Side {
  return entry === null ? side : opposite(side);
}
