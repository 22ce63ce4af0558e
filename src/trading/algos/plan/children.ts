import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { OrderType } from '../../../domain/order.js';
import type { Refusal } from '../../../domain/refusal.js';
import type { AlgoTerms } from './terms.js';

/** What a child is for. `stop` is what a reached stop or trail sends; it and the take-profit are exits. */
export const CHILD_ROLES = ['entry', 'take', 'stop'] as const;

export type ChildRole = (typeof CHILD_ROLES)[number];

/**
 * `recorded`: it is in the journal, and its answer has not come yet. `unknown`: no answer came to it or to its cancellation, and
 * nothing has shown the outcome yet. `open`: it rests at the exchange. `closed`: nothing more can come of it.
 */
export type ChildState = 'recorded' | 'unknown' | 'open' | 'closed';

/**
 * How a child closed. `cancelled`: by this algo order, or by the exchange: the rest of an IOC order. `cancelledByOthers`: by the user, another program, or a timed cancellation. `notSent`: it never reached the exchange.
 */
export const CHILD_ENDS = ['filled', 'cancelled', 'cancelledByOthers', 'rejected', 'notSent'] as const;

export type ChildEnd = (typeof CHILD_ENDS)[number];

/** An order that an algo order has placed. */
export interface Child {
  /** Counted from 1. A duplicate that the network made has the number of its order. */
  readonly number: number;
  readonly role: ChildRole;
  readonly type: OrderType;
  readonly price: Decimal;
  /** In the base coin. */
  readonly amount: Decimal;
  readonly state: ChildState;
  /** Null until it is closed. */
  readonly end: ChildEnd | null;
  /** What is known to have filled, in the base coin. */
  readonly filled: Decimal;
  /** The same in the quote coin. */
  readonly filledValue: Decimal;
  /** What was paid for it, by coin. Empty if nothing filled; null if the exchange does not show the fee. */
  readonly fees: readonly { readonly coin: string; readonly amount: Decimal }[] | null;
  /** Why the exchange rejected it. */
  readonly refusal: Refusal | null;
  /** When it was sent: milliseconds since the Unix epoch, by the exchange's clock. */
  readonly time: number;
  /** When the exchange last rejected a cancellation of it, by the exchange's clock; null if never. */
  readonly cancelRefused: number | null;
  /** Whether the network made it, by carrying out a request twice. `unproven`: it may as well be an order of the user. */
  readonly duplicate: 'proven' | 'unproven' | null;
}

/** A child that is to be placed. */
export interface NewChild {
  readonly role: ChildRole;
  readonly type: OrderType;
  readonly price: Decimal;
  /** In the base coin. */
  readonly amount: Decimal;
}

/** Whether a role ends a position. */
export function isExit({ role }: Pick<Child, 'role'>): boolean {
  return role !== 'entry';
}

/** What may still fill of a child. */
export function outstandingOf({ state, amount, filled }: Pick<Child, 'state' | 'amount' | 'filled'>): Decimal {
  return state === 'closed' ? Decimal.zero : positive(amount.minus(filled));
}

/** What all of these children have filled, in the base coin. */
export function filledOf(children: readonly Child[]): Decimal {
  return Decimal.sum(children.map(({ filled }) => filled));
}

/** The amount in whole lots, rounded down. */
export function wholeLots(amount: Decimal, { amountScale }: Market): Decimal {
  return amount.rescaled(amountScale, 'down');
}

/** The amount, or zero if it is below zero. */
export function positive(amount: Decimal): Decimal {
  return amount.sign < 0 ? Decimal.zero : amount;
}

export function least(one: Decimal, other: Decimal): Decimal {
  return one.compare(other) < 0 ? one : other;
}

export function most(one: Decimal, other: Decimal): Decimal {
  return one.compare(other) > 0 ? one : other;
}

/**
 * The most that the exits may fill together: the amount, or what the entry has bought or sold, in whole lots. A buy is counted less the
 * fees that were taken in the base coin; a fee that the exchange does not show counts as none.
 */
export function positionOf(terms: AlgoTerms, children: readonly Child[]): Decimal {
  if (terms.entry === null) return terms.amount;
  const entries = children.filter(({ role }) => role === 'entry');
  const fees = terms.side === 'sell' ? [] : entries.flatMap((child) => child.fees ?? []);
  const inBase = fees.filter(({ coin }) => coin === terms.market.base).map(({ amount }) => amount);
  return positive(wholeLots(filledOf(entries).minus(Decimal.sum(inBase)), terms.market));
}

/** How much the children of a leg have filled, or may still fill, beyond its limit, because the network made orders twice. */
export function excessOf(terms: AlgoTerms, children: readonly Child[], leg: Pick<Child, 'role'>): Decimal {
  const own = children.filter((child) => isExit(child) === isExit(leg));
  const limit = isExit(leg) ? positionOf(terms, children) : terms.amount;
  return positive(Decimal.sum([filledOf(own), ...own.map(outstandingOf)]).minus(limit));
}

/** A role of each leg. */
const LEGS = ['entry', 'stop'] as const;

/** The excess of both legs: an exit may sell too much as well as an entry may buy too much. */
export function totalExcessOf(terms: AlgoTerms, children: readonly Child[]): Decimal {
  return Decimal.sum(LEGS.map((role) => excessOf(terms, children, { role })));
}

/** Whether there is an excess, or may be one, because it is unknown what became of a child. */
export function mayExceed(terms: AlgoTerms, children: readonly Child[]): boolean {
  const isKnown = children.every(({ state }) => state === 'open' || state === 'closed');
  return !isKnown || totalExcessOf(terms, children).sign > 0;
}

/** Whether no other child of a leg is at work. What may be the user's own order does not count. */
export function isLegFree(children: readonly Child[], { role }: Pick<Child, 'role'>): boolean {
  return areClosed(children.filter((child) => isExit(child) === isExit({ role })));
}

/** Whether nothing more can come of these children. What may be the user's own order does not count. */
export function areClosed(children: readonly Child[]): boolean {
  return children.every(({ state, duplicate }) => state === 'closed' || duplicate === 'unproven');
}
