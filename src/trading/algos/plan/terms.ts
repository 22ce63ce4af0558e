import type { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { AccountType, OrderType, Side } from '../../../domain/order.js';
import type { GivenLimits } from '../../guards/given-limits.js';

/** An algo order as it was asked for, with all relative words resolved. It never changes. */
export interface AlgoTerms {
  /** Names the algo order. The client ids of its children are made from it and their numbers. */
  readonly id: string;
  /** The name of the profile that it was made with. */
  readonly profile: string;
  /** The account that it trades for, named as its journal: other hosts or keys are another account. */
  readonly owner: string;
  /** The market with its rules at the start. */
  readonly market: Market;
  readonly account: AccountType;
  readonly borrow: boolean;
  readonly repay: boolean;
  /** Of the entry. Without an entry, of the exits. */
  readonly side: Side;
  /** In the base coin, whole lots. */
  readonly amount: Decimal;
  /** What builds a position; null if the exits are the order itself. */
  readonly entry: AlgoEntry | null;
  /** The conditions that the entry waits for, as `pit alert` understands them; none: it starts at once. */
  readonly when: readonly string[];
  /** What ends the position, or sells or buys the amount if there is no entry. */
  readonly exits: Exits | null;
  /** How far from the price that triggered a child may go, as a share of it: `0.01` is 1 %. */
  readonly slippage: Decimal;
  /** The price that triggers a stop: the best one of the side that would be hit, or that of the newest trade. */
  readonly trigger: TriggerSource;
  /** After this time, in milliseconds from the start, what has not filled is given up; null for no limit. */
  readonly forMs: number | null;
  /** The shell command for each event; null for none. */
  readonly exec: string | null;
  /** Whether each event is shown as a notification of the desktop. */
  readonly notify: boolean;
  /** The limits of the agent that made it, which hold for its orders too; absent if the user made it. */
  readonly agent?: GivenLimits;
}

export type TriggerSource = 'book' | 'last';

export type AlgoEntry =
  /** One order. */
  | { readonly kind: 'limit'; readonly type: OrderType; readonly price: Decimal }
  /** Slices over a time: orders that fill at once, or, if it is passive, orders at the best price of their own side. */
  | {
      readonly kind: 'twap';
      readonly durationMs: number;
      readonly everyMs: number;
      readonly isPassive: boolean;
      /** No slice goes beyond this price; null for no bound. */
      readonly bound: Decimal | null;
    }
  /** One post-only order that follows the best price of its side, never beyond the bound. */
  | { readonly kind: 'chase'; readonly bound: Decimal | null }
  /** Orders at one price, one after the other: at most `show` of the base coin rests. */
  | {
      readonly kind: 'iceberg';
      readonly type: Exclude<OrderType, 'ioc'>;
      readonly price: Decimal;
      readonly show: Decimal;
    };

export type AlgoEntryName = AlgoEntry['kind'];

/** The entry of a kind. */
export type EntryOf<Name extends AlgoEntryName> = Extract<AlgoEntry, { readonly kind: Name }>;

/** The terms of an entry as they are printed, beside its kind, its price and its conditions. Null for what it does not have. */
export interface EntryParts {
  readonly overMs: number | null;
  readonly everyMs: number | null;
  readonly passive: boolean;
  /** In the base coin, as a text. */
  readonly show: string | null;
}

export const NO_PARTS: EntryParts = { overMs: null, everyMs: null, passive: false, show: null };

/** At least one of `take`, `stop` and `trail`. With both, the stop and the trail protect together: the one that is reached first acts. */
export interface Exits {
  /** The price of the take-profit, which rests at the exchange; null for none. */
  readonly take: Decimal | null;
  readonly stop: Decimal | null;
  /** The price of the order that a reached stop sends; null: the trigger price and the slippage decide. */
  readonly limit: Decimal | null;
  /** How far the stop follows the best price; null for none. */
  readonly trail: TrailDistance | null;
}

export type ExitPriceName = Exclude<keyof Exits, 'trail'>;

/** The prices of exits: what each is called, and whether it is that of an order, which new rules of the market round. */
export const EXIT_PRICES: {
  readonly [Name in ExitPriceName]: { readonly label: string; readonly isOfOrder: boolean };
} = {
  take: { label: 'take-profit', isOfOrder: true },
  stop: { label: 'stop', isOfOrder: false },
  limit: { label: 'stop limit', isOfOrder: true },
};

/** The same made of each price of exits. */
export function mapExitPrices<Value>(of: (name: ExitPriceName) => Value): { readonly [Name in ExitPriceName]: Value } {
  const names = Object.keys(EXIT_PRICES) as ExitPriceName[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as { readonly [Name in ExitPriceName]: Value };
}

/** `2%` is the share 0.02; `300` a price; `50ticks`. */
export type TrailDistance =
  | { readonly unit: 'share'; readonly value: Decimal }
  | { readonly unit: 'price'; readonly value: Decimal }
  | { readonly unit: 'ticks'; readonly value: Decimal };

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
