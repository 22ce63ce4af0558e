import type { AccountType, OrderType, Side } from '../../domain/order.js';
import type { Place } from '../../platform/processes.js';
import type { BatchFact } from '../batches/batch-fact.js';
import type { OrderReference } from '../orders/reference.js';

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
  /** Price and amount in the user's words, which may be relative; absent where there were none. */
  readonly asked?: { readonly price: string; readonly amount: string };
}

interface CancelTerms {
  readonly market: string;
  readonly order: OrderReference;
}

export interface ReplaceTerms {
  readonly market: string;
  /** The order that is to be cancelled. */
  readonly order: OrderReference;
  /** The order as it is to be from then on: its amount counts what has filled of the cancelled one. */
  readonly wanted: OrderTerms;
  /** What had filled of the order when that was decided: at most the rest is placed. Earlier records do not tell. */
  readonly filled?: string;
}

/** A withdrawal as it is to be sent: amounts are final decimal texts in the coin. The fund password is in no record. */
export interface WithdrawTerms {
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  /** As the exchange gets it: with the memo, where there is one, as `<account>_<memo>`. */
  readonly address: string;
  /** Whether it may be moved within the exchange. */
  readonly internal: boolean;
  /** What there was before: only what is newer can be this withdrawal. */
  readonly before: FundsBaseline;
}

/** The newest records of a coin at a moment; "0" where there are none. */
export interface FundsBaseline {
  /** The highest id of a withdrawal record. */
  readonly record: string;
  /** The highest id of a bill; null where bills are not looked at. */
  readonly bill: string | null;
}

/** One order of a batch: the number of its line for the user, and final decimal texts. */
export type BatchLine = readonly [number: number, price: string, amount: string];

/** Many limit orders of one side, a job, that go out in many requests. */
export interface BatchTerms {
  readonly market: string;
  readonly side: Side;
  readonly account: AccountType;
  /** How many orders there are. */
  readonly count: number;
  /** The orders themselves; none in the archive, which is read often: there the job's own file is kept beside it. */
  readonly lines: readonly BatchLine[];
  /** Ids of the newest orders of this side before the first request left: what is newer may be the job's. */
  readonly baseline: readonly string[];
}

/** A call of an operation that the interface does not describe. What nobody can explain has no secrets either. */
export interface CallTerms {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * A write by its operation, with everything that it says but its secrets. A `replace` is one until its order is cancelled;
 * then it goes on as the order in its place. A job counts as one.
 */
export type Write =
  | { readonly operation: 'order'; readonly terms: OrderTerms; readonly replaces?: ReplaceTerms }
  | { readonly operation: 'cancelOrder'; readonly terms: CancelTerms }
  | { readonly operation: 'replace'; readonly terms: ReplaceTerms }
  | { readonly operation: 'orderMoreV2'; readonly terms: BatchTerms }
  | { readonly operation: 'withdraw'; readonly terms: WithdrawTerms }
  | { readonly operation: 'call'; readonly terms: CallTerms };

export type Operation = Write['operation'];

/** A write as it is recorded before it leaves. */
export type Intent<Kind extends Operation = Operation> = Extract<Write, { readonly operation: Kind }> & {
  /** "4-36 characters, digits or letters". An order carries it as its client id; elsewhere it only names the record. */
  readonly id: string;
  /** The user chose the id, so that others may use it too. */
  readonly chosen?: true;
  /** When it was recorded, by this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  /** What the request says of its time, by the exchange's clock: milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The process that sends it. */
  readonly process: Runner;
  /** The best bid that its sells were held against; absent for buys, where the book was not seen, and in earlier records. */
  readonly bid?: string;
};

/** A process, told apart from a later one with the same id where the system allows it. */
export interface Runner {
  readonly pid: number;
  readonly stamp: string | null;
  /** Where it runs; earlier records do not tell. */
  readonly place?: Place;
}

/**
 * What became of a write. `done`: a call that nobody can explain was answered with success. `unknown`: it left, and nobody
 * knows yet. `notSent`: it did not reach the exchange, and cannot any more. `partial`: a batch of which a part is placed.
 */
export type Outcome = 'placed' | 'partial' | 'cancelled' | 'done' | 'refused' | 'notSent' | 'unknown';

/** Something that happened to a write, in words for its timeline. */
export interface JournalEvent {
  /** By this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  readonly event: string;
  /** The process that sent the write, or looked for it, has given up: nobody is at it any more. */
  readonly left?: true;
  /** Found out when the write was settled and nobody was at it, which it leaves as it is. */
  readonly late?: true;
  /** It left, and from here on nobody knows what became of it, also while a process still looks. */
  readonly doubt?: true;
  /** The process that is at it from now on, unless another one is. */
  readonly runner?: Runner;
  /** The best bid that the sells of a job were held against when it was gone on with. */
  readonly bid?: string;
  /** What it says of the requests of a job. */
  readonly fact?: BatchFact;
  /** What became of the write, for as long as its request may still be carried out again. */
  readonly settled?: Settlement;
  /** Nothing can come of its request any more; it is kept for an order that appears after all. */
  readonly verified?: true;
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
  /** When the last list was read that it was held against, by the exchange's clock: milliseconds since the Unix epoch. */
  readonly checkedTo?: number;
}

/** A write that is settled, as the archive keeps it. */
export interface Settled extends Settlement {
  readonly intent: Intent;
  readonly events: readonly JournalEvent[];
  /** What the orders of a job count for in the quote coin, those that the network made included. */
  readonly notional?: string;
}

/** One side of a market, which the exchange lists apart from the other. */
export interface MarketSide {
  readonly market: string;
  readonly side: Side;
}

/** Which list of the exchange shows what a write makes: that of one side of a market, or of a coin; undefined for none. */
export function listOf({ operation, terms }: Write): MarketSide | { readonly coin: string } | undefined {
  if (operation === 'order' || operation === 'orderMoreV2') return { market: terms.market, side: terms.side };
  return operation === 'withdraw' ? { coin: terms.coin } : undefined;
}

/** The market that a write is about; undefined for one that is about none. */
export function marketOf({ terms }: Intent): string | undefined {
  return 'market' in terms ? terms.market : undefined;
}

export function isOf<Kind extends Operation>(intent: Intent, operation: Kind): intent is Intent<Kind> {
  return intent.operation === operation;
}
