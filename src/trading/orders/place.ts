import { Failure, suggest } from '../../errors.js';
import type { WriteResponse } from '../../exchange/exchange.js';
import { Job } from '../batches/job.js';
import type { GuardName } from '../guards/limits.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import type { NewRecord } from '../journal/journal.js';
import { type BatchLine, clientIdOf, type RecordedOrderTerms, type RecordedWrite } from '../journal/write.js';
import { type Placement, settleSentOrder } from '../settling/settle-sent-order.js';
import type { TradingContext } from '../trading-context.js';
import { termsKey } from './terms.js';

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

/**
 * Records an order, sends it once, and finds its outcome within the time budget.
 *
 * @param gate cancels the order until it leaves
 * @param isUrgent whether it may pass other requests that wait for the rate limit
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
  }: Omit<NewRecord, 'reqTime'> & RecordOptions & { readonly gate?: SendGate; readonly isUrgent?: boolean },
): Promise<Placement> {
  const { client, journal } = trading;
  refuseIdenticalOrder(trading, terms);
  const reqTime = client.now();
  const entry = journal.begin<'order'>({ operation: 'order', terms }, { id, clientId, reqTime, bestBid });
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
  const { terms, reqTime } = entry.write;
  gate.attachEntry(entry);
  return client.placeOrder(terms, clientIdOf(entry.write), { reqTime, mayLeave: gate.mayLeave, isUrgent });
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

/**
 * Whether an order repeats an earlier one: the same price and amount, or the same expressions, whatever they resolve to by
 * now. Its type and loans do not matter: a user who repeats an order may have changed them.
 */
export function isSameOrder(order: RecordedOrderTerms, earlier: RecordedOrderTerms): boolean {
  const isOtherMarketSideOrAccount = (['market', 'side', 'account'] as const).some(
    (name) => order[name] !== earlier[name],
  );
  if (isOtherMarketSideOrAccount) return false;
  const { expressions: wanted } = order;
  const { expressions: earlierWanted } = earlier;
  const hasSameExpressions =
    wanted !== undefined && wanted.price === earlierWanted?.price && wanted.amount === earlierWanted.amount;
  return hasSameExpressions || termsKey(order.price, order.amount) === termsKey(earlier.price, earlier.amount);
}
