import type { Refusal } from '../../domain/refusal.js';
import { Failure, suggest } from '../../errors.js';
import type { WriteResponse } from '../../exchange/exchange.js';
import { Job } from '../batches/job.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import type { NewRecord } from '../journal/journal.js';
import { clientIdOf, type RecordedOrderTerms } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import {
  findOrderOutcome,
  findSentOrder,
  type OrderOutcome,
  REFUSED_AND_ABSENT,
  releaseMismatched,
  settleAcceptedOrder,
  settlePlaced,
  uncheckedRefusalText,
} from './settle-order.js';
import { isSameOrder, keyOf } from './terms.js';

/** The outcome of an order. */
export type Placement = OrderOutcome | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** The best bid to record, and the check of the day limit to repeat after recording. */
export interface RecordOptions extends Pick<NewRecord, 'bestBid'> {
  /** Throws Failure if a limit is exceeded by now: the record is deleted and nothing is sent. */
  readonly requireWithinDayLimit?: (() => void) | undefined;
}

/**
 * Records an order, sends it once, and finds its outcome within the time budget.
 *
 * @param gate cancels the order until it leaves
 * @throws Failure `usage` if an identical order has an unknown outcome, the client id is in use, the record cannot be written or
 *   the day limit is exceeded; `credentials` if signing fails: nothing was sent
 */
export async function placeOrder(
  trading: TradingContext,
  terms: RecordedOrderTerms,
  {
    id,
    clientId,
    requireWithinDayLimit,
    bestBid,
    gate = new SendGate(),
  }: Omit<NewRecord, 'reqTime'> & RecordOptions & { readonly gate?: SendGate },
): Promise<Placement> {
  const { client, journal } = trading;
  refuseIdenticalOrder(trading, terms);
  const reqTime = client.now();
  const entry = journal.begin<'order'>({ operation: 'order', terms }, { id, clientId, reqTime, bestBid });
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
  const { terms, reqTime } = entry.write;
  gate.attachEntry(entry);
  return client.placeOrder(terms, clientIdOf(entry.write), { reqTime, mayLeave: gate.mayLeave });
}

/** Finds the outcome of a sent order within the time budget, and records it. */
export async function settleByResponse(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  response: WriteResponse<{ readonly id: string }>,
): Promise<Placement> {
  if (response.kind === 'done') return settleAcceptedOrder(trading, entry, response.value.id);
  if (response.kind === 'refused') return handleRefusal(trading, entry, response.refusal);
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint } = response;
    return { outcome: 'notSent', reason, failure, hint };
  }
  entry.note(`no answer: ${response.reason}`, { isUnanswered: true });
  trading.reportProgress(`No answer: ${response.reason}. Looking up the order; it is not sent again.`);
  const settled = await findOrderOutcome(trading, entry);
  return settled.outcome === 'unknown' ? { ...settled, reason: settled.mismatch ?? response.reason } : settled;
}

/**
 * A proxy may have repeated the request: the first one was placed and the refusal answers the second. So a refusal counts
 * only if the order does not exist.
 */
async function handleRefusal(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal: Refusal,
): Promise<Placement> {
  entry.note(`refused: ${refusal.code} ${refusal.message}`);
  const found = await findSentOrder(trading, entry, refusal.code);
  if (typeof found === 'object') {
    return 'mismatch' in found ? releaseMismatched(entry, found) : settlePlaced(trading, entry, found);
  }
  if (found === undefined) return settleUncheckedRefusal(trading, entry, refusal);
  entry.settle({ outcome: 'refused', id: null, duplicates: [] }, REFUSED_AND_ABSENT);
  return { outcome: 'refused', refusal };
}

/** Settles a refused order that the exchange could not be asked about at once. */
async function settleUncheckedRefusal(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal: Refusal,
): Promise<Placement> {
  const settled = await findOrderOutcome(trading, entry, { absentAs: 'refused' });
  if (settled.outcome === 'notSent') return { outcome: 'refused', refusal };
  if (settled.outcome === 'placed' || settled.mismatch !== undefined) return settled;
  return { ...settled, reason: uncheckedRefusalText(refusal, settled.reason) };
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
    clientId: clientIdOf(identical.write),
    hint: suggest('Find its outcome', 'resolve', clientIdOf(identical.write)),
  });
}

/** Whether an identical order of the job has an unknown outcome. */
function mayIncludeOrder(entry: JournalEntry<'batch'>, order: RecordedOrderTerms): boolean {
  const { market, side, account } = entry.write.terms;
  if (order.market !== market || order.side !== side || order.account !== account) return false;
  // checked last, because the record of a job may be long
  return new Job(entry).uncertainKeys().has(keyOf(order.price, order.amount));
}
