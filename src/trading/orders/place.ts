import { Failure, suggest } from '../../errors.js';
import type { WriteResponse } from '../../exchange/exchange.js';
import { Job } from '../batches/job.js';
import type { GuardName } from '../guards/limits.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import type { NewRecord } from '../journal/journal.js';
import {
  type BatchLine,
  clientIdOf,
  type RecordedOrderTerms,
  type RecordedWrite,
  sentClientId,
  type TypedRequest,
} from '../journal/write.js';
import { type Placement, settleSentOrder } from '../settling/settle-sent-order.js';
import type { TradingContext } from '../trading-context.js';
import { isSameOrder, termsKey } from './terms.js';

/** What the guards found: to be recorded, and to be checked again after that. */
export interface RecordOptions extends Pick<NewRecord, 'bestBid'> {
  /** The guards that were overridden: by a flag, or by typing their names. */
  readonly overridden?: readonly GuardName[];
  /**
   * Throws Failure if a limit is exceeded by now, with this write counted: its record is deleted and nothing is sent.
   * @param lines those of a job that are to be sent; absent: all
   */
  readonly requireWithinLimits?:
    | ((write: RecordedWrite, lines?: readonly BatchLine[]) => void | Promise<void>)
    | undefined;
}

interface PlaceOptions {
  /** Cancels the order until it leaves. */
  readonly gate?: SendGate;
  /** Whether it may pass other requests that wait for the rate limit. */
  readonly isUrgent?: boolean;
  /** Sent in place of what the terms and the client id come to. */
  readonly typed?: TypedRequest | undefined;
}

/**
 * Records an order, sends it once, and finds its outcome within the time budget.
 *
 * @throws Failure `usage` if an identical order has an unknown outcome, the client id is in use, the record cannot be written or
 *   a limit is exceeded; `credentials` if signing fails: nothing was sent
 */
export async function placeOrder(
  trading: TradingContext,
  terms: RecordedOrderTerms,
  {
    id,
    clientId,
    requireWithinLimits,
    bestBid,
    gate = new SendGate(),
    isUrgent,
    typed,
  }: Omit<NewRecord, 'reqTime'> & RecordOptions & PlaceOptions,
): Promise<Placement> {
  const { client, journal } = trading;
  refuseIdenticalOrder(trading, terms);
  const reqTime = client.now();
  const entry = journal.begin<'order'>({ operation: 'order', terms, typed }, { id, clientId, reqTime, bestBid });
  const response = await entry.send(async () => {
    await requireWithinLimits?.(entry.write);
    return sendRecordedOrder(trading, entry, gate, isUrgent);
  });
  return settleSentOrder(trading, entry, response);
}

/**
 * Sends a recorded order, once.
 * @throws Failure `credentials` or `usage` if the request cannot be built: nothing was sent
 */
export function sendRecordedOrder(
  { client }: TradingContext,
  entry: JournalEntry<'order'>,
  gate = new SendGate(),
  isUrgent = false,
): Promise<WriteResponse<{ readonly id: string }>> {
  const { terms, reqTime, typed } = entry.write;
  const options = { reqTime, mayLeave: gate.mayLeave, isUrgent, parameters: typed?.parameters };
  gate.attachEntry(entry);
  return client.placeOrder(terms, sentClientId(entry.write) ?? null, options);
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
  return new Job(entry).uncertainKeys().has(termsKey(order.price, order.amount));
}
