import type { Order } from '../../domain/order.js';
import { Failure, suggest, tryRead } from '../../errors.js';
import type { WriteResponse } from '../../exchange/exchange-client.js';
import type { NotSent as NotSentReason } from '../../exchange/failures.js';
import type { Refused } from '../../exchange/response.js';
import { Job } from '../batches/job.js';
import type { DuplicateOrders } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import type { NewRecord } from '../journal/journal.js';
import type { RecordedOrderTerms } from '../journal/write.js';
import { listMustReachTo } from '../reconcile.js';
import { type Findings, type OrderList, readOrderList, settle } from '../settle.js';
import type { TradingContext } from '../trading-context.js';
import { EXPIRED, findOrder, type Unknown } from './find-order.js';
import { isSameOrder, keyOf } from './terms.js';

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

/** The outcome of an order. */
export type Placement = Placed | NotSent | Unknown | { readonly outcome: 'refused'; readonly refusal: Refused };

/** The best bid to record, and the check of the day limit to repeat after recording. */
export interface RecordOptions extends Pick<NewRecord, 'bestBid'> {
  /** Throws Failure if a limit is exceeded by now: the record is deleted and nothing is sent. */
  readonly requireWithinDayLimit?: (() => void) | undefined;
}

/**
 * Records an order, sends it once, and finds its outcome within the time budget.
 *
 * @param gate cancels the order until it leaves
 * @throws Failure `usage` if an identical order has an unknown outcome, the id is in use, the record cannot be written or
 *   the day limit is exceeded; `credentials` if signing fails: nothing was sent
 */
export async function placeOrder(
  trading: TradingContext,
  terms: RecordedOrderTerms,
  {
    id,
    isUserChosenId = false,
    requireWithinDayLimit,
    bestBid,
    gate = new SendGate(),
  }: Omit<NewRecord, 'reqTime'> & RecordOptions & { readonly gate?: SendGate },
): Promise<Placement> {
  const { client, journal } = trading;
  refuseIdenticalOrder(trading, terms);
  const reqTime = client.now();
  const entry = journal.begin<'order'>({ operation: 'order', terms }, { id, isUserChosenId, reqTime, bestBid });
  const checkAndSend = async () => {
    requireWithinDayLimit?.();
    return sendRecordedOrder(trading, entry, gate);
  };
  const response = await checkAndSend().catch((error: unknown) => {
    // any other error may have come after the request was sent
    if (error instanceof Failure) entry.discard();
    throw error;
  });
  return settleByResponse(trading, entry, response);
}

/**
 * Sends a recorded order, once.
 * @throws Failure `credentials` or `usage` if the request cannot be built: nothing was sent
 */
export function sendRecordedOrder(
  { client }: TradingContext,
  entry: JournalEntry<'order'>,
  gate = new SendGate(),
): Promise<WriteResponse<{ readonly id: string }>> {
  const { id, terms, reqTime } = entry.write;
  gate.attachEntry(entry);
  return client.placeOrder(terms, id, { reqTime, mayLeave: gate.mayLeave });
}

/** Finds the outcome of a sent order within the time budget, and records it. */
export async function settleByResponse(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  response: WriteResponse<{ readonly id: string }>,
): Promise<Placement> {
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint } = response;
    return { outcome: 'notSent', reason, failure, hint };
  }
  if (response.kind === 'done') {
    entry.note(`accepted: ${response.value.id}`, { namedId: response.value.id });
    const placed = await settleAccepted(trading, entry, response.value.id);
    if (placed !== undefined) return placed;
  } else if (response.kind === 'lost') {
    entry.note(`no answer: ${response.reason}`, { isUnanswered: true });
    trading.reportProgress(`No answer: ${response.reason}. Looking up the order; it is not sent again.`);
  } else entry.note(`refused: ${response.refusal.code} ${response.refusal.message}`);
  const refusal = response.kind === 'refused' ? response.refusal : undefined;
  const found = await findOrder(trading, entry, refusal);
  if (found.outcome === 'placed') return withDuplicates(trading, entry, found.order);
  if (found.outcome === 'unknown')
    return response.kind === 'lost' ? { ...found, reason: found.mismatch ?? response.reason } : found;
  if (refusal !== undefined) return { outcome: 'refused', refusal };
  return { outcome: 'notSent', reason: EXPIRED, failure: 'unreachable', hasExpired: true };
}

/**
 * Settles an order that the exchange says it has accepted. A server in between may have answered with the response to another
 * request: then the list contradicts it, and undefined is returned.
 */
async function settleAccepted(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  id: string,
): Promise<Placed | undefined> {
  const checked = await check(trading, entry);
  if (checked === undefined) {
    entry.settle({ outcome: 'placed', id, duplicates: [] }, `placed: ${id}`);
    return placedAs(id, checked);
  }
  const settled = checked.findings.settled.get(entry.write.id);
  if (settled !== undefined) return placedAs(settled.id ?? id, checked);
  entry.note(`the exchange does not list order ${id} as this one`, { isUnanswered: true });
  trading.reportProgress(
    `The answer names order ${id}, which the exchange does not list as this one. Looking it up; it is not sent again.`,
  );
  return undefined;
}

/** Checks whether the network repeated the request of an order that was found. */
async function withDuplicates(trading: TradingContext, entry: JournalEntry<'order'>, order: Order): Promise<Placed> {
  const placed = placedAs(order.id, await check(trading, entry));
  return { ...placed, order: placed.order ?? order };
}

interface Checked {
  readonly list: OrderList;
  readonly findings: Findings;
  /** Whether the list ends before the order was sent, so that duplicates of it may be missing. */
  readonly isCutOff: boolean;
}

/** Settles with a list that goes back to this order. Undefined if none could be read. */
function check(trading: TradingContext, entry: JournalEntry<'order'>): Promise<Checked | undefined> {
  return tryRead(async () => {
    const to = listMustReachTo(entry.write);
    const list = await readOrderList(trading, entry.write.terms, { to });
    return { list, findings: await settle(trading, list, entry), isCutOff: list.since > to };
  });
}

function placedAs(id: string, checked: Checked | undefined): Placed {
  const { duplicates = [] } = checked?.findings ?? {};
  const isUnchecked = checked === undefined || (checked.isCutOff && duplicates.length === 0);
  const order = checked?.list.orders.find((one) => one.id === id) ?? null;
  return { outcome: 'placed', id, duplicates: isUnchecked ? null : duplicates, order };
}

/** Throws Failure `usage` if an identical order has an unknown outcome, or a record cannot be read. */
export function refuseIdenticalOrder({ journal }: TradingContext, terms: RecordedOrderTerms): void {
  journal.requireReadable();
  const isIdentical = (entry: JournalEntry) =>
    entry.isKind('order')
      ? entry.isOutcomeUnknown && isSameOrder(terms, entry.write.terms)
      : entry.isKind('batch') && mayIncludeOrder(entry, terms);
  const identical = journal
    .unsettledEntries()
    .find((entry) => isIdentical(entry) && journal.isUnsettled(entry.write.id));
  if (identical === undefined) return;
  throw new Failure('usage', 'An identical order has an unknown outcome, so this one was not sent.', {
    clientId: identical.write.id,
    hint: suggest('Find its outcome', 'resolve', identical.write.id),
  });
}

/** Whether an identical order of the job has an unknown outcome. */
function mayIncludeOrder(entry: JournalEntry<'batch'>, order: RecordedOrderTerms): boolean {
  const { market, side, account } = entry.write.terms;
  if (order.market !== market || order.side !== side || order.account !== account) return false;
  // checked last, because the record of a job may be long
  return new Job(entry).uncertainKeys().has(keyOf(order.price, order.amount));
}
