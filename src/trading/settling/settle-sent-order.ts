import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import { tryRead } from '../../errors.js';
import type { NotSentReason, WriteResponse } from '../../exchange/exchange.js';
import type { JournalEntry } from '../journal/entry.js';
import type { RecordedWrite } from '../journal/write.js';
import { isAboutRules } from '../orders/changed-rules.js';
import type { TradingContext } from '../trading-context.js';
import type { DuplicateOrders } from './duplicates.js';
import { EXPIRED, findOrderOutcome, type Unknown } from './find-order.js';
import { type OrderList, readOrderList } from './order-list.js';
import { reconcileOrders } from './reconcile-orders.js';
import { settleOrder } from './settle-order.js';

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
export type Placement = Placed | NotSent | Unknown | Rejected;

interface Rejected {
  readonly outcome: 'refused';
  readonly refusal: Refusal;
  /** The rules of the market as they were read after its price or amount was rejected; absent if they were not, or could not be read. */
  readonly rules?: Market | undefined;
}

/**
 * Finds what became of a sent order within the time budget, from the response to it on, and settles it. An answer that names an order
 * counts once the exchange shows that order: on the newest page of its list, which shows duplicates too, or by its id.
 */
export async function settleSentOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  response: WriteResponse<{ readonly id: string }>,
): Promise<Placement> {
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint, halted } = response;
    return { outcome: 'notSent', reason, failure, hint, halted };
  }
  noteAnswer(trading, entry, response);
  const list = response.kind === 'done' ? await readNewest(trading, entry.write) : undefined;
  const listed = list?.orders.find(({ id }) => id === entry.namedId);
  const found = await findOrderOutcome(trading, entry, listed);
  settleOrder(entry, found);
  if (found.outcome === 'placed') {
    const shown = response.kind === 'done' ? list : await readNewest(trading, entry.write);
    return placedWith(trading, entry, found.order, shown);
  }
  if (found.outcome === 'unknown')
    return response.kind === 'lost' ? { ...found, reason: found.mismatch ?? response.reason } : found;
  if (found.outcome === 'refused') {
    if (!isAboutRules(found.refusal)) return found;
    // the rules that it was checked against may be an hour old
    const { market } = entry.write.terms;
    return { ...found, rules: await tryRead(() => trading.client.markets.findAgain(market)) };
  }
  return { outcome: 'notSent', reason: EXPIRED, failure: 'unreachable', hasExpired: true };
}

/** Notes what the answer says before the exchange is asked whether that is true. */
function noteAnswer(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  answer: Exclude<WriteResponse<{ readonly id: string }>, { readonly kind: 'notSent' }>,
): void {
  if (answer.kind === 'done') entry.note(`accepted: ${answer.value.id}`, { namedId: answer.value.id });
  else if (answer.kind === 'refused') entry.noteRefusal(answer.refusal);
  else {
    entry.note(`no answer: ${answer.reason}`, { isUnanswered: true });
    trading.reportProgress(`No answer: ${answer.reason}. Looking up the order; it is not sent again.`);
  }
}

/** The newest orders of its side, back to its request; undefined if the exchange does not list them. */
function readNewest(
  trading: TradingContext,
  { terms, reqTime }: RecordedWrite<'order'>,
): Promise<OrderList | undefined> {
  return tryRead(() => readOrderList(trading, terms, reqTime));
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
  const { id: writeId, terms, reqTime } = entry.write;
  const findings = list && (await tryRead(() => reconcileOrders(trading, list, { mine: entry })));
  const found = findings?.duplicates ?? [];
  // another command may have reported some and closed the write; what the list has shown counts if the archive cannot be read
  const settled = await tryRead(async () => trading.journal.archive.find(writeId));
  const shown = new Set(found.flatMap(({ ids }) => ids));
  const ids = settled?.duplicates.filter((id) => !shown.has(id)) ?? [];
  const recorded = { writeId, terms, orderId: order.id, ids, shown: [], isProven: false };
  const duplicates = ids.length === 0 ? found : [...found, recorded];
  // duplicates of one moment are listed side by side
  const isShown =
    list?.orders.some(({ id }) => id === order.id) === true && list.since <= Math.min(reqTime, order.time);
  const isChecked = findings !== undefined && (isShown || duplicates.length > 0);
  return { outcome: 'placed', id: order.id, duplicates: isChecked ? duplicates : null, order };
}
