import type { Order } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import { tryRead } from '../../errors.js';
import type { NotSent as NotSentReason, WriteResponse } from '../../exchange/exchange.js';
import type { JournalEntry } from '../journal/entry.js';
import type { RecordedWrite } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import type { DuplicateOrders } from './duplicates.js';
import { isUnusedIdNotFound, lookUp, type Mismatch } from './look-up-order.js';
import { namedIdOf } from './open-writes.js';
import { certainAt, pollUntilSettled } from './poll-until-settled.js';
import { EXPIRED, type OrderList, readOrderList, settle } from './reconcile-orders.js';

interface Placed {
  readonly outcome: 'placed';
  readonly id: string;
  /** Duplicates of it and of earlier orders of this side; null if they could not be looked up. */
  readonly duplicates: readonly DuplicateOrders[] | null;
  /** The order as the exchange last showed it; null for one of earlier that it no longer shows. */
  readonly order: Order | null;
}

export interface NotSent extends NotSentReason {
  readonly outcome: 'notSent';
}

/** The outcome of an order. */
export type Placement = Placed | NotSent | Unknown | { readonly outcome: 'refused'; readonly refusal: Refusal };

/**
 * Finds the outcome of a sent order within the time budget, and records it. An answer that names an order counts once the exchange
 * shows that order: on the newest page of its list, which shows duplicates too, or by its id.
 */
export async function settleByResponse(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  response: WriteResponse<{ readonly id: string }>,
): Promise<Placement> {
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint, halted } = response;
    return { outcome: 'notSent', reason, failure, hint, halted };
  }
  if (response.kind === 'done') {
    const { id } = response.value;
    entry.note(`accepted: ${id}`, { namedId: id });
    const list = await readNewest(trading, entry.write);
    const found = await findOrder(trading, entry, { shown: list?.orders.find((order) => order.id === id) });
    if (found.outcome === 'placed') return placedWith(trading, entry, found.order, list);
    if (found.outcome === 'unknown') return found;
    return notSentPlacement();
  }
  if (response.kind === 'lost') {
    entry.note(`no answer: ${response.reason}`, { isUnanswered: true });
    trading.reportProgress(`No answer: ${response.reason}. Looking up the order; it is not sent again.`);
  } else entry.note(`refused: ${response.refusal.code} ${response.refusal.message}`);
  const refusal = response.kind === 'refused' ? response.refusal : undefined;
  const found = await findOrder(trading, entry, { refusal });
  if (found.outcome === 'placed')
    return placedWith(trading, entry, found.order, await readNewest(trading, entry.write));
  if (found.outcome === 'unknown')
    return response.kind === 'lost' ? { ...found, reason: found.mismatch ?? response.reason } : found;
  return refusal === undefined ? notSentPlacement() : { outcome: 'refused', refusal };
}

function notSentPlacement(): NotSent {
  return { outcome: 'notSent', reason: EXPIRED, failure: 'unreachable', hasExpired: true };
}

/** The newest orders of its side, back to its request; undefined if the exchange does not list them. */
function readNewest(
  trading: TradingContext,
  { terms, reqTime }: RecordedWrite<'order'>,
): Promise<OrderList | undefined> {
  return tryRead(() => readOrderList(trading, terms, { to: reqTime }));
}

/**
 * An order that was found, with what its list shows beyond it.
 * @param list undefined if it could not be read
 */
async function placedWith(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  order: Order,
  list: OrderList | undefined,
): Promise<Placed> {
  const findings = list && (await tryRead(() => settle(trading, list, entry)));
  const found = findings?.duplicates ?? [];
  const duplicates = [...found, ...(await recordedDuplicates(trading, entry.write, order.id, found))];
  // duplicates of one moment are listed side by side
  const isShown =
    list?.orders.some(({ id }) => id === order.id) === true && list.since <= Math.min(entry.write.reqTime, order.time);
  const isChecked = findings !== undefined && (isShown || duplicates.length > 0);
  return { outcome: 'placed', id: order.id, duplicates: isChecked ? duplicates : null, order };
}

/** Its duplicates by the archive: another command may have reported them and closed the write. */
async function recordedDuplicates(
  { journal }: TradingContext,
  { id: writeId, terms }: RecordedWrite<'order'>,
  orderId: string,
  found: readonly DuplicateOrders[],
): Promise<DuplicateOrders[]> {
  const reported = new Set(found.flatMap(({ ids }) => ids));
  // what the list has shown counts even if the archive cannot be read
  const settled = await tryRead(async () => journal.archive.find(writeId));
  const ids = settled?.duplicates.filter((one) => !reported.has(one)) ?? [];
  return ids.length === 0 ? [] : [{ writeId, terms, orderId, ids, shown: [], isProven: false }];
}

/** The event that settles a write that was refused. */
export const REFUSED_AND_ABSENT = 'refused; not found on the exchange';

/** What the exchange has shown of an order. */
export type FoundOrder =
  | { readonly outcome: 'placed'; readonly order: Order }
  | { readonly outcome: 'refused' | 'notSent' }
  | Unknown;

export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
  /** What its answer named; null if none did, or the exchange shows something else by that id. */
  readonly id: string | null;
  /** How an order with its client id differs from this one, in words. */
  readonly mismatch?: string;
  /** When the outcome is certain, by this machine's clock in ms since the Unix epoch; null if unknown. */
  readonly certainAt: number | null;
}

/** What is known of an order before the exchange is asked for it. */
interface KnownOrder {
  /**
   * With which the exchange rejected it. A proxy may have repeated the request: the first one was placed and the refusal answers
   * the second.
   */
  readonly refusal?: Refusal | undefined;
  /** The order that its answer named, as a list has shown it just now. */
  readonly shown?: Order | undefined;
}

/**
 * Looks an order up, by the id that its answer named and by its client id, until the outcome is known or the budget ends, and records
 * what that shows. A rejected order that is not found was rejected. One without an answer counts as not sent once its request has
 * expired and the exchange answers the same for a client id that was never used. One whose answer named an order stays unknown until
 * that order is shown, or contradicts the answer.
 */
export async function findOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  { refusal, shown }: KnownOrder = {},
): Promise<FoundOrder> {
  const { reqTime, terms } = entry.write;
  let listed = shown;
  const { settled, unproven } = await pollUntilSettled<FoundOrder>(
    trading,
    { reqTime, of: { market: terms.market } },
    async (isExpired) => {
      const found = await lookUp(trading, entry, refusal?.code, listed);
      listed = undefined;
      if (found === undefined) return undefined;
      if (found !== 'none') return 'mismatch' in found ? leaveMismatched(entry, found) : settlePlaced(entry, found);
      if (refusal !== undefined) return settleAbsent(entry, 'refused');
      if (!isExpired || !(await isUnusedIdNotFound(trading, terms.market))) return 'none';
      const namedId = namedIdOf(entry);
      return namedId === undefined ? settleAbsent(entry, 'notSent') : leaveUnshown(entry, namedId);
    },
  );
  if (settled !== undefined) return settled;
  entry.release();
  const id = namedIdOf(entry) ?? null;
  if (id !== null) return unshown(id, unproven);
  const missing = unproven ?? 'the exchange shows no such order, but the request may still arrive';
  const reason = refusal === undefined ? missing : uncheckedRefusalText(refusal, missing);
  return { outcome: 'unknown', reason, id, certainAt: certainAt(trading, entry.write) };
}

/** Releases an order that its answer named and the exchange does not show: no later read can decide whether the answer was true. */
function leaveUnshown(entry: JournalEntry<'order'>, namedId: string): Unknown {
  entry.release();
  return unshown(namedId);
}

function unshown(id: string, why = 'the exchange does not show it'): Unknown {
  return { outcome: 'unknown', reason: `the answer names order ${id}, but ${why}`, id, certainAt: null };
}

/** Why the outcome of a write is unknown that was refused, as a part of a sentence. @param unchecked why it could not be looked up */
export function uncheckedRefusalText({ message }: Refusal, unchecked: string): string {
  return `the exchange rejected it (${message}), but a duplicate may have been executed: ${unchecked}`;
}

function settlePlaced(entry: JournalEntry<'order'>, order: Order): FoundOrder {
  entry.settle({ outcome: 'placed', id: order.id, duplicates: [] }, `placed: ${order.id}`);
  return { outcome: 'placed', order };
}

function settleAbsent(entry: JournalEntry<'order'>, outcome: 'refused' | 'notSent'): FoundOrder {
  entry.settle(
    { outcome, id: null, duplicates: [] },
    outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${EXPIRED}`,
  );
  return { outcome };
}

/** Releases an order whose outcome cannot be decided: another order has its client id, or the exchange changed it. */
function leaveMismatched(entry: JournalEntry<'order'>, { mismatch }: Mismatch): Unknown {
  entry.release();
  return { outcome: 'unknown', reason: mismatch, id: namedIdOf(entry) ?? null, mismatch, certainAt: null };
}
