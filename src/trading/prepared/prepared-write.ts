import { createHmac } from 'node:crypto';
import type { AccountType, OrderType, Side } from '../../domain/order.js';
import { algoIdOf } from '../algos/record/algo-id.js';
import type { GivenLimits } from '../guards/given-limits.js';

/** What an agent may prepare. */
export const PREPARED_KINDS = [
  ...(['order', 'ladder', 'replace', 'cancel'] as const),
  ...(['algo', 'algoCancel', 'algoPause', 'algoResume'] as const),
] as const;

export type PreparedKind = (typeof PREPARED_KINDS)[number];

/** Whether a kind of write, once it was sent, has a record with the id under which it was prepared. */
export function leavesRecord(kind: PreparedKind): boolean {
  return kind === 'order' || kind === 'ladder' || kind === 'replace' || kind === 'algo';
}

/** An order that a prepared write places. */
export interface OrderToPlace {
  readonly side: Side;
  readonly type: OrderType;
  readonly account: AccountType;
  readonly borrow: boolean;
  readonly repay: boolean;
  readonly price: string;
  readonly amount: string;
}

/** An order that a prepared write cancels, as it was when the write was prepared. */
export interface OrderToCancel {
  readonly id: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
}

/** A command line of pit that was worked out for an agent, and what it does. */
export interface WorkedOut {
  readonly kind: PreparedKind;
  readonly market: string;
  /** The command line: each price and amount is a number, so that it means the same whenever it runs. */
  readonly argv: readonly string[];
  /** What is sent: the same for writes that repeat each other. Null if a write of this kind cannot be repeated. */
  readonly key: string | null;
  /** What was asked for, likewise: with the expressions, whatever they come to. */
  readonly askedKey: string | null;
  /** What it does, in a sentence. */
  readonly text: string;
  /** What an algo order will do, in sentences. */
  readonly does: readonly string[];
  readonly places: readonly OrderToPlace[];
  readonly cancels: readonly OrderToCancel[];
  /** Of all orders that it places, in the quote coin; null if it places none. */
  readonly notional: string | null;
}

/** What was estimated of a write when it was prepared, for the user who decides. Null is unknown. */
export interface Estimates {
  readonly fee: string | null;
  readonly feeCoin: string | null;
  readonly spentCoin: string | null;
  readonly balanceBefore: string | null;
  readonly balanceAfter: string | null;
  readonly warnings: readonly string[];
}

export const NO_ESTIMATES: Estimates = {
  fee: null,
  feeCoin: null,
  spentCoin: null,
  balanceBefore: null,
  balanceAfter: null,
  warnings: [],
};

/** What a command line comes to, as it is shown to the user who decides. */
export interface Shown {
  readonly write: WorkedOut;
  readonly estimates: Estimates;
}

/** A write that was checked and shown, and may be committed once. Times are in milliseconds since the Unix epoch. */
export interface PreparedWrite extends Shown {
  /** The id of its record in the journal, once it is committed, and the client id of its order. */
  readonly id: string;
  /** The name of the profile that it is for. */
  readonly profile: string;
  /** The account that it is for, named as its journal. */
  readonly account: string;
  readonly made: number;
  readonly expires: number;
  /** The limits of the agent that prepared it. They also hold when the user commits it. */
  readonly limits: GivenLimits;
}

/** The same without an id. The nonce makes the ids of equal writes differ. */
export type PreparedContent = Omit<PreparedWrite, 'id'> & { readonly nonce: string };

/**
 * The id of a prepared write: a digest of everything in it, with a key. So no term, profile or time of what has this id can be
 * another than when it was prepared, and only who reads the key can make another write. It has the form of a client id, for a
 * ladder that of a job, and for an algo order that of its id.
 */
export function idOf(text: string, kind: PreparedKind, key: Uint8Array): string {
  const bytes = createHmac('sha256', key).update(text).digest();
  if (kind === 'algo') return algoIdOf(bytes);
  const digest = bytes.toString('hex');
  return kind === 'ladder' ? `job${digest.slice(0, 20)}` : `pit${digest.slice(0, 24)}`;
}

/** Whether one write repeats another, whatever its prices have become. */
export function isSameWrite(one: WorkedOut, other: WorkedOut): boolean {
  if (one.kind !== other.kind) return false;
  return (one.key !== null && one.key === other.key) || (one.askedKey !== null && one.askedKey === other.askedKey);
}

/** Whether a command line does what was shown when it was prepared. What fills of an order that it replaces leaves less to place. */
export function isUnchanged(now: WorkedOut, prepared: WorkedOut): boolean {
  const exactly = ({ kind, argv, key, places, cancels }: WorkedOut) =>
    JSON.stringify([
      ...[kind, argv, key],
      places.map((order) => (kind === 'replace' ? { ...order, amount: null } : order)),
      cancels.map((order) => ({ ...order, filled: null })),
    ]);
  return exactly(now) === exactly(prepared);
}
