import { createHmac } from 'node:crypto';
import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import { usage } from '../../errors.js';
import { decodeFact, encodeFact } from '../algos/record/fact-line.js';
import type { FactOf } from '../algos/record/facts.js';
import { algoIdOf } from '../algos/record/store.js';
import { areSameJobs, type BatchPlan } from '../batches/lines.js';
import type { GivenLimits } from '../guards/given-limits.js';
import type { RecordedOrderTerms, ReplaceTerms } from '../journal/write.js';
import { isSameOrder } from '../orders/terms.js';
import type { GivenAccount } from '../replace/order-account.js';

/** What a prepared write sends: all relative prices and amounts are resolved. */
export type PreparedTerms =
  | { readonly kind: 'order'; readonly terms: RecordedOrderTerms }
  | { readonly kind: 'ladder'; readonly terms: BatchPlan }
  | {
      readonly kind: 'replace';
      readonly terms: ReplaceTerms;
      readonly given: GivenAccount;
      readonly replaced: OrderToCancel;
    }
  | { readonly kind: 'cancel'; readonly terms: { readonly market: string; readonly orders: readonly OrderToCancel[] } }
  /** `began` is its first fact as a line, without an id and a time. */
  | {
      readonly kind: 'algo';
      readonly terms: { readonly market: string; readonly began: string; readonly notional: string };
    }
  | AlgoChange;

/** A change of algo orders. */
export interface AlgoChange {
  readonly kind: 'algoCancel' | 'algoPause' | 'algoResume';
  readonly terms: {
    readonly market: string;
    readonly ids: readonly string[];
    /** What it does, by the terms of the algo orders. */
    readonly text: string;
  };
}

export type PreparedKind = PreparedTerms['kind'];

/** Whether a kind of write, once it was sent, has a record with the id under which it was prepared. */
export function leavesRecord(kind: PreparedKind): kind is 'order' | 'ladder' | 'replace' | 'algo' {
  return kind === 'order' || kind === 'ladder' || kind === 'replace' || kind === 'algo';
}

/** The algo order of a prepared write, with the market in which it was prepared. */
export function algoIn({ began }: Extract<PreparedTerms, { kind: 'algo' }>['terms']): FactOf<'began'> {
  const fact = decodeFact(began);
  if (fact?.fact !== 'began')
    throw usage('What was prepared cannot be read, so nothing was sent.', 'Prepare it again.');
  return fact;
}

/** An order that a prepared write cancels, as it was when the write was prepared. */
export interface OrderToCancel {
  readonly id: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
}

/** Throws Failure `usage` if the exchange shows another order under the id than the one that was shown. What has filled may change. */
export function requireSameOrder(order: OrderToCancel, shown: OrderToCancel): void {
  const isSame =
    order.side === shown.side && areEqual(order.price, shown.price) && areEqual(order.amount, shown.amount);
  if (isSame) return;
  throw usage(`Order ${shown.id} is not the one that was shown, so nothing was sent.`, 'Prepare it again.');
}

function areEqual(one: string, other: string): boolean {
  return Decimal.of(one).compare(Decimal.of(other)) === 0;
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

/** A write that was checked and shown, and may be committed once. Times are in milliseconds since the Unix epoch. */
export interface PreparedWrite {
  /** The id of its record in the journal, once it is committed, and the client id of its order. */
  readonly id: string;
  readonly write: PreparedTerms;
  /** The name of the profile that it is for. */
  readonly profile: string;
  /** The account that it is for, named as its journal. */
  readonly account: string;
  readonly made: number;
  readonly expires: number;
  readonly estimates: Estimates;
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

/** Whether one write repeats another, whatever its prices have become. A replacement or cancellation cannot be repeated. */
export function isSameWrite(one: PreparedTerms, other: PreparedTerms): boolean {
  if (one.kind === 'order') return other.kind === 'order' && isSameOrder(one.terms, other.terms);
  if (one.kind === 'algo') return other.kind === 'algo' && termsLine(one.terms) === termsLine(other.terms);
  return one.kind === 'ladder' && other.kind === 'ladder' && areSameJobs(one.terms, other.terms);
}

/** The terms of an algo order, whatever the market was. */
function termsLine(terms: Extract<PreparedTerms, { kind: 'algo' }>['terms']): string {
  return encodeFact({ ...algoIn(terms), bid: null, ask: null });
}
