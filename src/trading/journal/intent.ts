import type { AccountType, OrderType, Side } from '../../protocol/words.js';
import type { OrderReference } from '../order/reference.js';

/** An order as it is to be sent: price and amount are final decimal texts. */
export interface OrderTerms {
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly account: AccountType;
  readonly price: string;
  readonly amount: string;
  readonly borrow: boolean;
  readonly repay: boolean;
}

export interface CancelTerms {
  readonly market: string;
  readonly order: OrderReference;
}

export interface ReplaceTerms {
  readonly market: string;
  /** The order that is to be cancelled. */
  readonly order: OrderReference;
  /** The order as it is to be from then on: its amount counts what has filled of the cancelled one. */
  readonly wanted: OrderTerms;
}

/**
 * A write by its operation, with everything that it says but its secrets. A `replace` is one until its order is cancelled;
 * then it goes on as the order in its place.
 */
export type Write =
  | { readonly operation: 'order'; readonly terms: OrderTerms; readonly replaces?: ReplaceTerms }
  | { readonly operation: 'cancelOrder'; readonly terms: CancelTerms }
  | { readonly operation: 'replace'; readonly terms: ReplaceTerms };

export type Operation = Write['operation'];

/** A write as it is recorded before it leaves. */
export type Intent<Kind extends Operation = Operation> = Extract<Write, { readonly operation: Kind }> & {
  /** "4-36 characters, digits or letters". An order carries it as its customerOrderId; elsewhere it only names the record. */
  readonly id: string;
  /** When it was recorded, by this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  /** What the request says of its time, by the exchange's clock: milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The process that sends it. */
  readonly process: Runner;
};

/** A process, told apart from a later one with the same id where the system allows it. */
export interface Runner {
  readonly pid: number;
  readonly stamp: string | null;
}

/**
 * What became of a write. `unknown`: it left, and nobody knows yet. `notSent`: it did not reach the exchange, and cannot
 * any more.
 */
export type Outcome = 'placed' | 'cancelled' | 'refused' | 'notSent' | 'unknown';

/** Something that happened to a write, in words for its timeline. */
export interface JournalEvent {
  /** By this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  readonly event: string;
  /** The process that sent the write, or looked for it, has given up: nobody is at it any more. */
  readonly left?: true;
}

/** What is known of a write in the end. */
export interface Settlement {
  readonly outcome: Exclude<Outcome, 'unknown'>;
  /** The exchange's id of what it made; null where it made nothing. */
  readonly id: string | null;
  /** Ids of further orders that the network made of the same request. */
  readonly duplicates: readonly string[];
  /** The order that was to take the place of a cancelled one, and that nobody sent. */
  readonly unplaced?: OrderTerms;
}

/** A write that is settled, as the archive keeps it. */
export interface Settled extends Settlement {
  readonly intent: Intent;
  readonly events: readonly JournalEvent[];
}

export function isOf<Kind extends Operation>(intent: Intent, operation: Kind): intent is Intent<Kind> {
  return intent.operation === operation;
}
