import { Decimal } from '../../../domain/decimal.js';
import type { AlgoFacts } from '../record/facts.js';
import type { AlgoMarket } from './algo-market.js';
import {
  type Child,
  type ChildRole,
  filledOf,
  isExit,
  outstandingOf,
  positionOf,
  positive,
  wholeLots,
} from './children.js';
import type { AlgoTerms } from './terms.js';

/** All that a decision is made from. */
export interface DecisionInput {
  readonly terms: AlgoTerms;
  readonly facts: AlgoFacts;
  readonly market: AlgoMarket;
  readonly children: readonly Child[];
}

/** Something that the user should know and that changes nothing. */
export type AlgoNote =
  /** The stop was reached and left again while the market was not seen. Nothing follows from it. */
  | { readonly note: 'missed'; readonly level: Decimal; readonly price: Decimal }
  /** Neither trades nor candles show this part of a time in which the market was not seen: a trail may lack its best price. */
  | { readonly note: 'unknownGap'; readonly from: number; readonly to: number }
  /** The stop is reached, and the algo order is paused. Without the price: it is said once for each level. */
  | { readonly note: 'reachedWhilePaused'; readonly level: Decimal }
  /** Another command or program cancelled this child. It is not placed again. */
  | { readonly note: 'cancelledByOthers'; readonly child: Child }
  /** The entry has filled this much that no exit can end yet: it is below the minimums. */
  | { readonly note: 'unprotected'; readonly amount: Decimal }
  | GoneNote
  /** The network made orders of a leg twice: this much has filled or may fill beyond what was asked. `child` is one of them. */
  | { readonly note: 'excess'; readonly amount: Decimal; readonly child: Child };

export type GoneNote =
  /** Exits that sell: the account has this much less than they need. */
  | { readonly note: 'gone'; readonly amount: Decimal }
  /** Exits that buy: the account has these coins, which pay for this amount, and that is less than they need. */
  | { readonly note: 'short'; readonly coins: Decimal; readonly amount: Decimal };

/** An order of the algo order that should be open. */
export interface WantedChild {
  readonly role: ChildRole;
  readonly type: Child['type'];
  readonly price: Decimal;
  /** What should be open, in the base coin. */
  readonly amount: Decimal;
  /** If it is not open yet, it is not placed before this time of the exchange; null: at once. */
  readonly notBefore: number | null;
}

/** What one leg wants: the entry, or the exits. */
export interface LegPlan {
  readonly wanted: WantedChild | null;
  /** Whether it wants no other child, ever. */
  readonly isOver: boolean;
  /** Why it is over, or waits, as a clause without a capital; null if there is nothing to say. */
  readonly reason: string | null;
  /** When the plan changes by itself, by the exchange's clock; null if it does not. */
  readonly until: number | null;
  /** Whether what it wants may change with the market. Absent for an entry: as long as its kind follows the market and it is not over. */
  readonly needsMarket?: boolean;
  /** That the account has less than is needed. Absent if it has enough, or that is unknown. */
  readonly gone?: GoneNote;
  /** What is below the minimums, so that no exit can end it yet. Absent if there is nothing like that. */
  readonly unprotected?: Decimal;
}

/** The plan of a leg that wants nothing any more. */
export function over(reason: string | null): LegPlan {
  return { wanted: null, isOver: true, reason, until: null };
}

/** The plan of a leg that wants nothing now, and may later. */
export function waiting(reason: string | null): LegPlan {
  return { wanted: null, isOver: false, reason, until: null };
}

export function wanting(wanted: WantedChild): LegPlan {
  return { wanted, isOver: false, reason: null, until: null };
}

/** No child of the same leg follows another sooner, in milliseconds: neither a new price nor a new try. */
export const PACE_MS = 1_000;

export function entriesOf({ children }: Pick<DecisionInput, 'children'>): Child[] {
  return children.filter((child) => !isExit(child));
}

export function exitsOf({ children }: Pick<DecisionInput, 'children'>): Child[] {
  return children.filter(isExit);
}

/** The open order of a role. Duplicates that the network made are none. */
export function openOf(children: readonly Child[], role: ChildRole): Child | null {
  return children.find((child) => child.role === role && child.state === 'open' && child.duplicate === null) ?? null;
}

/** What the exits have left to do, in whole lots. */
export function exitRest(input: Omit<DecisionInput, 'market' | 'facts'>): Decimal {
  return restOf(input, positionOf(input.terms, input.children), exitsOf(input));
}

/** What the entry has left to do, in whole lots. */
export function entryRest(input: Omit<DecisionInput, 'market' | 'facts'>): Decimal {
  return restOf(input, input.terms.amount, entriesOf(input));
}

function restOf({ terms }: Pick<DecisionInput, 'terms'>, limit: Decimal, leg: readonly Child[]): Decimal {
  return positive(wholeLots(limit.minus(filledOf(leg)), terms.market));
}

/** Why a leg waits. */
export const DUPLICATE_OPEN = 'an order that may be its duplicate is open';

/** What may still fill of orders that the network may have made twice, and that may as well be the user's. */
export function unprovenOf(leg: readonly Child[]): Decimal {
  return Decimal.sum(leg.filter(({ duplicate }) => duplicate === 'unproven').map(outstandingOf));
}

/** An open order as it is. */
export function asItIs(child: Child): WantedChild {
  const { role, type, price } = child;
  return { role, type, price, amount: outstandingOf(child), notBefore: null };
}

/** The child with the highest number. */
export function newestOf(children: readonly Child[]): Child | null {
  return children.reduce<Child | null>(
    (newest, child) => (newest === null || child.number > newest.number ? child : newest),
    null,
  );
}

/** Whether it was, or may have been, at the exchange. */
export function hasArrived({ end }: Child): boolean {
  return end !== 'notSent' && end !== 'rejected';
}

/** The earliest of some times; null for none. */
export function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The latest of some times; null for none. */
export function latest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}
