import type { AccountType, OrderReference, OrderTerms, Side } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import type { BatchEvent } from '../batches/batch-event.js';
import { isOwner, type Owner } from './owner.js';

/** The terms of an order as it is recorded. */
export interface RecordedOrderTerms extends OrderTerms {
  /** The user's own expressions for price and amount, which may be relative: `ask`, `50%`. */
  readonly expressions?: { readonly price: string; readonly amount: string };
}

/** The request of an order that `pit api` was given: it is sent as it was typed. */
export interface TypedRequest {
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether they give the order a client id. Without one, only an answer or a list shows what became of it. */
  readonly hasClientId: boolean;
}

export interface ReplaceTerms {
  readonly market: string;
  /** The order that is to be cancelled. */
  readonly order: OrderReference;
  /** The new order: its amount includes what has filled of the cancelled one. */
  readonly wanted: RecordedOrderTerms;
  /** The filled amount when that was decided: at most the rest is placed. */
  readonly filled?: string;
}

/** The terms of a withdrawal: amounts are final decimal texts in the coin. The fund password is in no record. */
export interface WithdrawTerms {
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  /** As sent to the exchange: with the memo, if any, as `<account>_<memo>`. */
  readonly address: string;
  /** Whether it may be moved within the exchange. */
  readonly internal: boolean;
  /** The id of the coin's newest record before it, "0" if there was none: only newer ones can be this withdrawal. */
  readonly before: { readonly record: string };
}

/** One order of a batch: the number of its line for the user, and final decimal texts. */
export type BatchLine = readonly [number: number, price: string, amount: string];

/** A job: many limit orders of one side, sent in many requests. */
export interface BatchTerms {
  readonly market: string;
  readonly side: Side;
  readonly account: AccountType;
  /** Whether its requests name the spot account too, as `pit api` was given it. */
  readonly namesSpot?: boolean | undefined;
  /** How many orders there are. */
  readonly count: number;
  /** The orders. The archive leaves them out, because it is read often; the job's own file has them. */
  readonly lines: readonly BatchLine[];
  /**
   * Ids of the newest orders of this side before the first request left: newer ones may be the job's. Absent if the exchange did not
   * list them: then the time of an order decides.
   */
  readonly baseline?: readonly string[];
  /** The words of a ladder, such as `ask+1%:ask+5%:20 0.5 equal`: its prices are others whenever it is repeated. */
  readonly ladder?: string;
  /** The guards that the user overrode for its orders. */
  readonly overridden?: readonly string[];
}

/** A call of an operation that the interface does not describe. */
export interface CallTerms {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * A write: its operation and all of its parameters except secrets. A `replace` becomes an `order` once the old order is
 * cancelled. A job counts as one write. A cancellation is none: it may be repeated, and the order itself shows what became of it.
 */
export type Write =
  | {
      readonly operation: 'order';
      readonly terms: RecordedOrderTerms;
      readonly replaces?: ReplaceTerms;
      readonly typed?: TypedRequest | undefined;
    }
  | { readonly operation: 'replace'; readonly terms: ReplaceTerms }
  | { readonly operation: 'batch'; readonly terms: BatchTerms }
  | { readonly operation: 'withdraw'; readonly terms: WithdrawTerms }
  | { readonly operation: 'call'; readonly terms: CallTerms };

export type WriteKind = Write['operation'];

/** The name of a kind of write in JSON: the name of the operation if the interface has one. */
export function operationName(kind: WriteKind): string {
  return kind === 'batch' ? 'orderMoreV2' : kind;
}

/** A write with everything that is recorded before it is sent. */
export type RecordedWrite<Kind extends WriteKind = WriteKind> = Extract<Write, { readonly operation: Kind }> & {
  /** Names the record, and no other ever. An order without a `clientId` carries it as its client id, unless it was sent as typed. */
  readonly id: string;
  /** The client id that the user chose for an order, which another program may use too. */
  readonly clientId?: string;
  /** When it was recorded, by this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  /** The time in the request, by the exchange's clock: milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The process that sends it. */
  readonly firstOwner: Owner;
  /** The best bid that sells were checked against. Absent for buys, and without a book. */
  readonly bestBid?: string;
};

/** Whether a value that was read is a write: the parts without which no command can work with it are there. */
export function isRecordedWrite(value: unknown): value is RecordedWrite {
  if (!isObject(value)) return false;
  const { operation, id, time, reqTime, terms, firstOwner } = value;
  const isNamed = typeof operation === 'string' && typeof id === 'string';
  const isDated = typeof time === 'number' && typeof reqTime === 'number';
  return isNamed && isDated && isObject(terms) && hasTermsOf(operation, terms) && isOwner(firstOwner);
}

/** The terms of each kind of write that are texts, and those that have parts. A job of the archive has no lines. */
const TERMS: Readonly<Record<WriteKind, { readonly texts: readonly string[]; readonly parts: readonly string[] }>> = {
  order: { texts: ['market', 'side', 'type', 'account', 'price', 'amount'], parts: [] },
  replace: { texts: ['market'], parts: ['order', 'wanted'] },
  batch: { texts: ['market', 'side', 'account'], parts: [] },
  withdraw: { texts: ['coin', 'amount', 'fee', 'address'], parts: ['before'] },
  call: { texts: ['method'], parts: ['parameters'] },
};

function hasTermsOf(operation: string, terms: Readonly<Record<string, unknown>>): boolean {
  if (!Object.hasOwn(TERMS, operation)) return false;
  const { texts, parts } = TERMS[operation as WriteKind];
  const { baseline } = terms;
  return (
    texts.every((name) => typeof terms[name] === 'string') &&
    parts.every((name) => isObject(terms[name])) &&
    (baseline === undefined || Array.isArray(baseline))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * The outcome of a write. `done`: a call of an undocumented operation succeeded. `unknown`: it may have been sent, and the
 * outcome is unknown. `notSent`: it did not leave, or the exchange showed nothing of it after its request had expired.
 * `partial`: only some orders of a batch were placed.
 */
export type Outcome = 'placed' | 'partial' | 'cancelled' | 'done' | 'refused' | 'notSent' | 'unknown';

/** The outcome of a write that made nothing; undefined for any other. A late execution may still make it. */
export function absentOutcome(outcome: Outcome | undefined): 'refused' | 'notSent' | undefined {
  return outcome === 'refused' || outcome === 'notSent' ? outcome : undefined;
}

/** Something that happened to a write, in words for its timeline. */
export interface JournalEvent {
  /** By this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  readonly event: string;
  /** The process released the write. */
  readonly isReleased?: true;
  /** It was learned after the write was settled, and does not change the owner. */
  readonly isLate?: true;
  /** Its request got no answer. In a record that pit 0.2 made, it may also be a lookup of its order that got none. */
  readonly isUnanswered?: true;
  /** The exchange could not say whether it has its order. */
  readonly couldNotLookUp?: true;
  /** The exchange rejected its request. A replacement has two requests, so the operation says which one. */
  readonly refused?: { readonly operation: WriteKind; readonly refusal: Refusal };
  /** The exchange showed that the id in its answer belongs to another order or withdrawal. */
  readonly isContradicted?: true;
  /** The order or withdrawal that an answer named: only the exchange shows whether it is this one. */
  readonly namedId?: string;
  /** The process that takes over. */
  readonly newOwner?: Owner;
  /** The best bid that the sells of a job were checked against when it was resumed. */
  readonly bestBid?: string;
  /** The guards that the user overrode when a job was resumed. */
  readonly overridden?: readonly string[];
  /** What happened to a request of a job. */
  readonly batchEvent?: BatchEvent;
  /** The outcome, for as long as the request may still be executed again. */
  readonly settled?: Settlement;
  /** Found on the exchange although it counted as refused or not sent. */
  readonly unexpected?: true;
  /** The user has asked for it since. */
  readonly shown?: true;
}

/** A write's final outcome. */
export interface Settlement {
  readonly outcome: Exclude<Outcome, 'unknown'>;
  /** The exchange's id of the order or withdrawal; null if there is none. */
  readonly id: string | null;
  /** Ids of duplicates that the network made from the same request. */
  readonly duplicates: readonly string[];
  /** Ids of records that may have been this withdrawal and, as the user says, are not. */
  readonly ruledOut?: readonly string[];
  /** The replacement that was not sent. */
  readonly unplaced?: RecordedOrderTerms;
  /** When the last list it was compared with was read (exchange clock, ms since the Unix epoch). */
  readonly checkedTo?: number;
}

/** A write that is settled, as the archive keeps it. */
export interface Settled extends Settlement {
  readonly write: RecordedWrite;
  readonly events: readonly JournalEvent[];
  /**
   * What its orders count for the limit of a day, in the quote coin: those of a job, duplicates included, and an order of an algo order
   * that was closed before it had filled. Absent: the order in full.
   */
  readonly notional?: string;
}

/** An order that pit saw cancelled, as the archive keeps it. */
export interface CancelledOrder {
  readonly market: string;
  readonly id: string;
}

/**
 * Ids of the orders that a settled write made, duplicates included; those of a batch are in its own record. A replacement that placed
 * nothing has the id of an order too, but did not make it.
 */
export function ordersMadeBy({ write, id, duplicates }: Settled): readonly string[] {
  if (!isKind(write, 'order') && !isKind(write, 'batch')) return [];
  return id === null ? duplicates : [id, ...duplicates];
}

/** The order that a write replaces, which it cancels first; undefined if it replaces none. */
export function replacedOrder(write: RecordedWrite): OrderReference | undefined {
  if (isKind(write, 'order')) return write.replaces?.order;
  return isKind(write, 'replace') ? write.terms.order : undefined;
}

/** The references to the order that a settled replacement cancelled; none if it cancelled none. */
export function orderCancelledBy({ write, outcome, id }: Settled): readonly OrderReference[] {
  const order = replacedOrder(write);
  if (order === undefined || (isKind(write, 'replace') && outcome !== 'cancelled')) return [];
  return isKind(write, 'order') || id === null ? [order] : [order, { id }];
}

/** One side of a market, which the exchange lists apart from the other. */
export interface MarketSide {
  readonly market: string;
  readonly side: Side;
}

/** A list of the exchange: the orders of one side of a market, or the withdrawals of a coin. */
export type ShowingList = MarketSide | { readonly coin: string };

/** The list of the exchange that shows what a write makes; undefined if none does. */
export function listShowing({ operation, terms }: Write): ShowingList | undefined {
  if (operation === 'order' || operation === 'batch') return { market: terms.market, side: terms.side };
  return operation === 'withdraw' ? { coin: terms.coin } : undefined;
}

/** The client id that an order was sent with; undefined if it was sent as typed, without one. */
export function sentClientId(write: RecordedWrite<'order'>): string | undefined {
  return write.typed?.hasClientId === false ? undefined : clientIdOf(write);
}

/** The id by which the user asks for a write: the client id of an order that has one, or else that of its record. */
export function clientIdOf({ id, clientId = id }: RecordedWrite): string {
  return clientId;
}

/** The market of a write; undefined if it has none. */
export function marketOf({ terms }: RecordedWrite): string | undefined {
  return 'market' in terms ? terms.market : undefined;
}

/** The coin that a write withdraws; undefined if it withdraws none. */
export function coinOf(write: RecordedWrite): string | undefined {
  return isKind(write, 'withdraw') ? write.terms.coin : undefined;
}

/** Whether a write is of a kind. */
export function isKind<Kind extends WriteKind>(write: RecordedWrite, operation: Kind): write is RecordedWrite<Kind> {
  return write.operation === operation;
}

/** The owner of a write, alive or dead; null once released. */
export function ownerOf({ firstOwner }: RecordedWrite, events: readonly JournalEvent[]): Owner | null {
  const change = events.findLast(({ isReleased, newOwner }) => isReleased === true || newOwner !== undefined);
  return change === undefined ? firstOwner : (change.newOwner ?? null);
}
