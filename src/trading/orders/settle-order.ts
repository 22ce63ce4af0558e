import type { Order } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import { tryRead } from '../../errors.js';
import type { Exchange, NotSent as NotSentReason } from '../../exchange/exchange.js';
import type { DuplicateOrders } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import { clientIdOf } from '../journal/write.js';
import { certainAt, type PollResult, pollUntilSettled } from '../poll-until-settled.js';
import { SLACK_MS } from '../reconcile.js';
import { isSameRefusal } from '../same-refusal.js';
import type { TradingContext } from '../trading-context.js';
import { differences, newClientId } from './terms.js';
import { type Verified, verifyOrders } from './verify-orders.js';

interface Placed {
  readonly outcome: 'placed';
  readonly id: string;
  /** Duplicates of it and of earlier orders of this side; null if they could not be looked up. */
  readonly duplicates: readonly DuplicateOrders[] | null;
  /** The order as the exchange last showed it; null if it has not yet. */
  readonly order: Order | null;
}

export interface NotSent extends NotSentReason {
  readonly outcome: 'notSent';
}

export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
  /** How an order with its client id differs from this one, in words. */
  readonly mismatch?: string;
  /** When the outcome is certain, by this machine's clock in ms since the Unix epoch; null if unknown. */
  readonly certainAt: number | null;
}

/** The reason for an order that counts as not sent: no order has its client id, and its request can arrive no more. */
export const EXPIRED = 'the request has expired and the exchange has no such order';

/** The event that settles a write that was refused. */
export const REFUSED_AND_ABSENT = 'refused; not found on the exchange';

/** Why the outcome of a write is unknown that was refused, as a part of a sentence. @param unchecked why it could not be looked up */
export function uncheckedRefusalText({ message }: Refusal, unchecked: string): string {
  return `the exchange rejected it (${message}), but a duplicate may have been executed: ${unchecked}`;
}

/** The outcome of an order that left. */
export type OrderOutcome = Placed | NotSent | Unknown;

export interface SettleOptions {
  /** When to check for duplicates: now, or together with the next list of this side. */
  readonly duplicates?: 'now' | 'later';
  /** What to record of a write that provably made nothing: `refused` if the exchange answered so. */
  readonly absentAs?: 'notSent' | 'refused';
}

/**
 * Looks the order up by its client id until the budget ends. It counts as not sent once its request has expired and the
 * exchange answers the same for a client id that was never used.
 */
export async function findOrderOutcome(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  options: SettleOptions = {},
): Promise<OrderOutcome> {
  const { reqTime, terms } = entry.write;
  const result = await pollUntilSettled<OrderOutcome>(
    trading,
    { reqTime, of: { market: terms.market } },
    async () => {
      const found = await findSentOrder(trading, entry);
      if (typeof found !== 'object') return found;
      return 'mismatch' in found ? releaseMismatched(entry, found) : settlePlaced(trading, entry, found, options);
    },
    async () => ((await isUnusedIdNotFound(trading, entry)) ? settleAbsent(entry, options) : undefined),
  );
  return result.settled ?? leaveUnknown(trading, entry, result);
}

/**
 * Settles an accepted order. A server in between may have answered with the response to another request. Then it names another
 * order, or one that no list shows, and the client id decides.
 */
export async function settleAcceptedOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  id: string,
): Promise<OrderOutcome> {
  const verified = await tryRead(() =>
    verifyOrders(trading, entry.write.terms, { justPlaced: { entry, orderId: id } }),
  );
  if (verified?.contradiction === undefined) return recordPlaced(entry, id, verified);
  const found = await findSentOrder(trading, entry);
  if (typeof found === 'object' && !('mismatch' in found)) return settlePlaced(trading, entry, found);
  entry.note(`the answer names order ${id}, ${verified.contradiction}`, { isUnanswered: true });
  trading.reportProgress(
    `The answer names order ${id}, ${verified.contradiction}. Looking up the order; it is not sent again.`,
  );
  return findOrderOutcome(trading, entry);
}

/** Settles an order that exists, by default after a check for duplicates. */
export async function settlePlaced(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  found: Order,
  { duplicates = 'now' }: SettleOptions = {},
): Promise<Placed> {
  const justPlaced = { entry, orderId: found.id, isProven: true };
  const read = () => verifyOrders(trading, entry.write.terms, { justPlaced });
  const placed = recordPlaced(
    entry,
    found.id,
    duplicates === 'now' ? await tryRead(read) : { duplicates: [], listed: undefined },
  );
  return { ...placed, order: placed.order ?? found };
}

function recordPlaced(entry: JournalEntry<'order'>, id: string, verified: Verified | undefined): Placed {
  const { duplicates = [], listed, isCutOff = false }: Partial<Verified> = verified ?? { isCutOff: true };
  const own = duplicates.find((one) => one.writeId === entry.write.id)?.ids ?? [];
  const event = own.length === 0 ? `placed: ${id}` : `placed: ${id}; duplicates: ${own.join(', ')}`;
  const checkedTo = isCutOff ? undefined : listed?.began;
  entry.settle({ outcome: 'placed', id, duplicates: own, ...(checkedTo === undefined ? {} : { checkedTo }) }, event);
  const order = listed?.orders.find((one) => one.id === id) ?? null;
  return { outcome: 'placed', id, duplicates: isCutOff && duplicates.length === 0 ? null : duplicates, order };
}

/** How an order with the client id differs from the terms that were sent: it may be a different order. */
interface Mismatch {
  readonly mismatch: string;
}

/**
 * Returns the order, a mismatch, `none`, or undefined if the exchange did not answer, which proves nothing.
 * @param refusal the code with which the order was refused: a lookup that is refused with it counts as `none`
 */
export async function findSentOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal?: number | null,
): Promise<Order | Mismatch | 'none' | undefined> {
  const { terms, reqTime } = entry.write;
  const found = await tryRead(() => findOrNothing(trading.client, terms.market, clientIdOf(entry.write), refusal));
  if (typeof found !== 'object') {
    if (found === undefined) entry.note('asked by client id: no answer', { isUnanswered: true });
    else entry.note('asked by client id: not found');
    return found;
  }
  const differs = differences(found, terms).join(', ');
  const isPlausible = differs === '' && found.time >= reqTime - SLACK_MS;
  // an exchange that answers with some order, whatever the client id, proves nothing
  if (!isPlausible && !(await isUnusedIdNotFound(trading, entry))) {
    const what = `order ${found.id}${differs === '' ? ', which is older' : `, with ${differs}`}`;
    entry.note(`asked by client id: ${what}; the exchange may show it for any client id`, { isUnanswered: true });
    return undefined;
  }
  if (differs !== '') return mismatchOf(trading, entry, found, differs);
  entry.note('asked by client id: found');
  return found;
}

/** A generated id proves that the order is ours. A chosen id may also be used by somebody else. */
function mismatchOf(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  order: Order,
  differs: string,
): Order | Mismatch {
  const { id } = order;
  if (entry.write.clientId === undefined) {
    entry.note(`asked by client id: found, though with ${differs}`);
    trading.warn(`The exchange changed order ${id}: it has ${differs}.`);
    return order;
  }
  const mismatch = `order ${id} has this client id but ${differs}, so it may be a different order`;
  entry.note(`asked by client id: ${mismatch}`);
  return { mismatch };
}

/** Releases an order whose outcome cannot be decided: another order has its client id, or the exchange changed it. */
export function releaseMismatched(entry: JournalEntry<'order'>, { mismatch }: Mismatch): Unknown {
  entry.release();
  return { outcome: 'unknown', reason: mismatch, mismatch, certainAt: null };
}

async function findOrNothing(client: Exchange, market: string, clientId: string, refusal?: number | null) {
  try {
    return (await client.findOrder(market, { clientId })) ?? 'none';
  } catch (error) {
    if (isSameRefusal(error, refusal)) return 'none';
    throw error;
  }
}

async function isUnusedIdNotFound(
  { client, host }: TradingContext,
  { write }: JournalEntry<'order'>,
): Promise<boolean> {
  const neverUsed = { clientId: newClientId(host) };
  return (await tryRead(async () => (await client.findOrder(write.terms.market, neverUsed)) ?? 'none')) === 'none';
}

function settleAbsent(entry: JournalEntry<'order'>, { absentAs: outcome = 'notSent' }: SettleOptions): NotSent {
  const event = outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${EXPIRED}`;
  entry.settle({ outcome, id: null, duplicates: [] }, event);
  return { outcome: 'notSent', reason: EXPIRED, failure: 'unreachable', hasExpired: true };
}

function leaveUnknown(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  { unproven }: PollResult<unknown>,
): Unknown {
  entry.release();
  const reason = unproven ?? 'the exchange shows no such order, but the request may still arrive';
  return { outcome: 'unknown', reason, certainAt: certainAt(trading, entry.write) };
}
