import type { AccountType, OrderReference, OrderTerms, Side } from '../../domain/order.js';
import { isAlive, type Machine, startStamp, thisMachine } from '../../platform/processes.js';
import type { BatchEvent } from '../batches/batch-event.js';

/** The terms of an order as it is recorded. */
export interface RecordedOrderTerms extends OrderTerms {
  /** The user's own expressions for price and amount, which may be relative: `ask`, `50%`. Absent in older records. */
  readonly expressions?: { readonly price: string; readonly amount: string };
}

interface CancelTerms {
  readonly market: string;
  readonly order: OrderReference;
}

export interface ReplaceTerms {
  readonly market: string;
  /** The order that is to be cancelled. */
  readonly order: OrderReference;
  /** The new order: its amount includes what has filled of the cancelled one. */
  readonly wanted: RecordedOrderTerms;
  /** The filled amount when that was decided: at most the rest is placed. Absent in older records. */
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
  /** How many orders there are. */
  readonly count: number;
  /** The orders. The archive leaves them out, because it is read often; the job's own file has them. */
  readonly lines: readonly BatchLine[];
  /** Ids of the newest orders of this side before the first request left: newer ones may be the job's. */
  readonly baseline: readonly string[];
  /** The words of a ladder, such as `ask+1%:ask+5%:20 0.5 equal`: its prices are others whenever it is repeated. */
  readonly ladder?: string;
}

/** A call of an operation that the interface does not describe. */
export interface CallTerms {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * A write: its operation and all of its parameters except secrets. A `replace` becomes an `order` once the old order is
 * cancelled. A job counts as one write.
 */
export type Write =
  | { readonly operation: 'order'; readonly terms: RecordedOrderTerms; readonly replaces?: ReplaceTerms }
  | { readonly operation: 'cancel'; readonly terms: CancelTerms }
  | { readonly operation: 'replace'; readonly terms: ReplaceTerms }
  | { readonly operation: 'batch'; readonly terms: BatchTerms }
  | { readonly operation: 'withdraw'; readonly terms: WithdrawTerms }
  | { readonly operation: 'call'; readonly terms: CallTerms };

export type WriteKind = Write['operation'];

/** The name of a kind of write in JSON: the name of the operation if the interface has one. */
export function operationName(kind: WriteKind): string {
  if (kind === 'cancel') return 'cancelOrder';
  return kind === 'batch' ? 'orderMoreV2' : kind;
}

/** A write with everything that is recorded before it is sent. */
export type RecordedWrite<Kind extends WriteKind = WriteKind> = Extract<Write, { readonly operation: Kind }> & {
  /** "4-36 characters, digits or letters". An order carries it as its client id; elsewhere it only names the record. */
  readonly id: string;
  /** The user chose the id, so another program may use it too. */
  readonly isUserChosenId?: true;
  /** When it was recorded, by this machine's clock: milliseconds since the Unix epoch. */
  readonly time: number;
  /** The time in the request, by the exchange's clock: milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The process that sends it. */
  readonly firstOwner: Owner;
  /** The best bid that sells were checked against. Absent for buys, without a book, and in older records. */
  readonly bestBid?: string;
};

/** A process, distinguished from a later one with the same id if the system allows it. */
export interface Owner {
  readonly pid: number;
  readonly startStamp: string | null;
  /** Where it runs. Absent in older records. */
  readonly machine?: Machine;
}

/**
 * The outcome of a write. `done`: a call of an undocumented operation succeeded. `unknown`: it may have been sent, and the
 * outcome is unknown. `notSent`: it never reached the exchange and can no longer do so. `partial`: only some orders of a batch
 * were placed.
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
  /** A request of it, or a lookup of its order, got no answer. */
  readonly isUnanswered?: true;
  /** The order or withdrawal that an answer named: only a list shows whether it is this one. */
  readonly namedId?: string;
  /** The process that takes over. */
  readonly newOwner?: Owner;
  /** The owner that it takes over from; null if there was none. Version 0.2.0 did not record it. */
  readonly replacedOwner?: Owner | null;
  /** The best bid that the sells of a job were checked against when it was resumed. */
  readonly bestBid?: string;
  /** What happened to a request of a job. */
  readonly batchEvent?: BatchEvent;
  /** The outcome, for as long as the request may still be executed again. */
  readonly settled?: Settlement;
  /** Found on the exchange although it counted as refused or not sent. */
  readonly unexpected?: true;
  /** The user has asked for it since. */
  readonly shown?: true;
  /** The request has expired, and the record is kept for a day in case its order appears after all. */
  readonly isRetained?: true;
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
  /** The notional of a job's orders for the day limit, in the quote coin, duplicates included. */
  readonly notional?: string;
}

/**
 * Ids of the orders that a settled write made, duplicates included; those of a batch are in its own record. A cancellation
 * has the id of an order too, but did not make it.
 */
export function ordersMadeBy({ write, id, duplicates }: Settled): readonly string[] {
  if (!isKind(write, 'order') && !isKind(write, 'batch')) return [];
  return id === null ? duplicates : [id, ...duplicates];
}

/** The order that a write is about to cancel; null if none. */
export function orderToCancel(write: RecordedWrite): OrderReference | null {
  return isKind(write, 'cancel') || isKind(write, 'replace') ? write.terms.order : null;
}

/** The references to the order that a settled write cancelled; none if it cancelled none. */
export function orderCancelledBy({ write, outcome, id }: Settled): readonly OrderReference[] {
  if (isKind(write, 'order')) return write.replaces === undefined ? [] : [write.replaces.order];
  const order = orderToCancel(write);
  if (order === null || outcome !== 'cancelled') return [];
  return id === null ? [order] : [order, { id }];
}

/** One side of a market, which the exchange lists apart from the other. */
export interface MarketSide {
  readonly market: string;
  readonly side: Side;
}

/**
 * The list of the exchange that shows what a write makes: the orders of one side of a market, or the withdrawals of a coin.
 * Undefined if no list does.
 */
export function listShowing({ operation, terms }: Write): MarketSide | { readonly coin: string } | undefined {
  if (operation === 'order' || operation === 'batch') return { market: terms.market, side: terms.side };
  return operation === 'withdraw' ? { coin: terms.coin } : undefined;
}

/** A key for one write. The id alone is not enough, because a user may choose the same id for several writes in turn. */
export function writeKey({ write }: { readonly write: RecordedWrite }): string {
  return `${write.id} ${write.time}`;
}

/** The market of a write; undefined if it has none. */
export function marketOf({ terms }: RecordedWrite): string | undefined {
  return 'market' in terms ? terms.market : undefined;
}

/** Whether a write is of a kind. */
export function isKind<Kind extends WriteKind>(write: RecordedWrite, operation: Kind): write is RecordedWrite<Kind> {
  return write.operation === operation;
}

/**
 * A process on another machine counts as dead after this long without a new line. A live one adds a line per request and
 * answer, at most 25 s apart.
 */
export const SILENT_MS = 300_000;

/** This process, as an owner of writes. */
export function thisProcess(): Owner {
  const { pid } = process;
  return { pid, startStamp: startStamp(pid), machine: thisMachine() };
}

/** Whether it runs on this machine, so that this process can see whether it is alive. */
export function isOnThisMachine({ machine }: Owner): boolean {
  if (machine === undefined) return true;
  const here = thisMachine();
  return machine.host === here.host && machine.pids === here.pids;
}

/** Whether two owners are the same process on the same machine. */
export function isSameOwner(one: Owner, other: Owner): boolean {
  const isOneMachine = one.machine?.host === other.machine?.host && one.machine?.pids === other.machine?.pids;
  return one.pid === other.pid && one.startStamp === other.startStamp && isOneMachine;
}

/**
 * Whether the process is alive. One on another machine cannot be seen, so the age of its last line decides.
 * @param silentMs the time since the last line of its record
 */
export function isOwnerAlive(owner: Owner, silentMs: number): boolean {
  if (!isOnThisMachine(owner)) return silentMs < SILENT_MS;
  return isAlive(owner.pid) && (owner.startStamp === null || owner.startStamp === startStamp(owner.pid));
}

/** A process in words for a timeline. */
export function ownerText(owner: Owner): string {
  const { pid, machine } = owner;
  return machine === undefined || isOnThisMachine(owner) ? `process ${pid}` : `process ${pid} on ${machine.host}`;
}

/**
 * The owner of a write, alive or dead; null once released. If several processes claim it at the same time, only the first line
 * counts, for good: the others name an owner that it has already replaced.
 */
export function ownerOf({ firstOwner, time }: RecordedWrite, events: readonly JournalEvent[]): Owner | null {
  let current: Owner | null = firstOwner;
  let last = time;
  for (const { isReleased, newOwner, replacedOwner, time: now } of events) {
    if (isReleased === true) current = null;
    else if (newOwner !== undefined && mayReplace(current, replacedOwner, now - last)) current = newOwner;
    last = now;
  }
  return current;
}

function mayReplace(current: Owner | null, replaced: Owner | null | undefined, silentMs: number): boolean {
  if (replaced === undefined) return current === null || !isOwnerAlive(current, silentMs);
  return current === null || replaced === null ? current === replaced : isSameOwner(current, replaced);
}
