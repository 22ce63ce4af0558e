import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure } from '../../errors.js';
import {
  type CancelOutcome,
  type ConfirmedCancel,
  cancelRequestOf,
  eventOf,
  findCancellationOutcome,
  sendCancel,
} from '../cancel/cancellation.js';
import type { JournalEntry } from '../journal/entry.js';
import type { RecordedOrderTerms } from '../journal/write.js';
import { type RecordOptions, refuseIdenticalOrder, sendRecordedOrder } from '../orders/place.js';
import { isTooSmall, remainderOf, validateOrder } from '../orders/terms.js';
import { type Placement, settleSentOrder } from '../settling/settle-sent-order.js';
import type { TradingContext } from '../trading-context.js';
import { type ReplacePlan, refuseConcurrentReplacement } from './plan.js';

/** The outcomes of the old order and of its replacement. */
export type ReplaceOutcome =
  /** The order was not cancelled, or that is unknown: nothing was placed. */
  | { readonly kind: 'kept'; readonly cancel: CancelOutcome }
  /** The order filled before it could be cancelled: nothing was placed. */
  | { readonly kind: 'filled'; readonly cancel: CancelOutcome }
  /** The order was cancelled, and nothing was placed. */
  | {
      readonly kind: 'unplaced';
      readonly cancel: ConfirmedCancel;
      /** Null if nothing is left, or less than the market accepts. */
      readonly rest: RecordedOrderTerms | null;
      readonly why: Failure;
    }
  | {
      readonly kind: 'sent';
      readonly cancel: ConfirmedCancel;
      readonly terms: RecordedOrderTerms;
      readonly placement: Placement;
    };

/**
 * Cancels an order and places what remains of the wanted one, under one record of the journal. Nothing is placed before the
 * order was read as closed, so that what it filled counts; if the outcome of the cancellation is unknown, nothing is placed.
 *
 * @param id names the record, and is the client id of the order that is placed
 * @param requireWithinLimits called once the record is made, before the cancellation is sent
 * @throws Failure `usage` if the record cannot be made or another write is replacing the order, as `requireWithinLimits`, and
 *   `credentials`: nothing was sent
 */
export async function replaceOrder(
  trading: TradingContext,
  { terms, market, placed }: ReplacePlan,
  id: string,
  { requireWithinLimits, bestBid }: RecordOptions = {},
): Promise<ReplaceOutcome> {
  // another command may have begun since the plan was made
  refuseIdenticalOrder(trading, placed);
  const recording = { id, reqTime: trading.client.now(), bestBid };
  const entry = trading.journal.begin<'replace'>({ operation: 'replace', terms }, recording);
  try {
    refuseConcurrentReplacement(trading, terms.order, id);
    await requireWithinLimits?.(entry.write);
  } catch (error) {
    entry.discard();
    throw error;
  }
  const cancel = await cancelReplaced(trading, entry);
  if (cancel.outcome === 'cancelled') return placeRest(trading, market, entry, cancel);
  settleKept(entry, cancel);
  const { filled, amount } = cancel;
  const isFilled = filled !== null && amount !== null && Decimal.of(filled).compare(Decimal.of(amount)) >= 0;
  return { kind: isFilled ? 'filled' : 'kept', cancel };
}

/** Cancels the order, and reads it until it is closed: what it filled is final only then. */
async function cancelReplaced(trading: TradingContext, entry: JournalEntry<'replace'>): Promise<CancelOutcome> {
  const request = cancelRequestOf(entry);
  const response = await sendCancel(trading, request);
  if (response.outcome !== 'undecided') return response;
  if (response.accepted === undefined)
    trading.reportProgress(
      `No answer to the cancellation: ${response.reason}. Reading the order; nothing is placed before.`,
    );
  return findCancellationOutcome(trading, request, { reply: response });
}

/** Places what is left of the wanted order, under the same record. */
async function placeRest(
  trading: TradingContext,
  market: Market,
  entry: JournalEntry<'replace'>,
  cancel: ConfirmedCancel,
): Promise<ReplaceOutcome> {
  const { terms } = entry.write;
  const rest = remainderOf(terms.wanted, cancel.filled);
  entry.note(`${eventOf(cancel)}; ${rest.amount} is left to place`);
  const send = async () => {
    validateOrder(market, Decimal.of(rest.price), Decimal.of(rest.amount));
    refuseIdenticalOrder(trading, rest);
    const next = entry.continueAs<'order'>({ operation: 'order', terms: rest, replaces: terms }, trading.client.now());
    return { next, result: await sendRecordedOrder(trading, next) };
  };
  const sent = await send().catch((thrown: unknown) => {
    // another error may have come after the request was sent
    if (!(thrown instanceof Failure)) throw thrown;
    return { why: thrown };
  });
  if ('why' in sent) {
    const left = settleUnplaced(entry, cancel, sent.why.message, market);
    return { kind: 'unplaced', cancel, rest: left, why: sent.why };
  }
  return { kind: 'sent', cancel, terms: rest, placement: await settleSentOrder(trading, sent.next, sent.result) };
}

/**
 * Records what became of a replacement that ended before its order was placed. Places nothing: the user may want something else
 * by now.
 */
export function settleReplacement(entry: JournalEntry<'replace'>, cancel: CancelOutcome): void {
  if (cancel.outcome === 'cancelled') settleUnplaced(entry, cancel, 'it was not sent');
  else settleKept(entry, cancel);
}

/** Records that the order was not cancelled; if that is unknown, the replacement stays open. */
function settleKept(entry: JournalEntry<'replace'>, cancel: Exclude<CancelOutcome, ConfirmedCancel>): void {
  const { outcome, id } = cancel;
  if (outcome === 'unknown') entry.release();
  else entry.settle({ outcome, id, duplicates: [] }, eventOf(cancel));
}

/**
 * Settles a replacement whose order was cancelled with nothing placed. Returns what is left to place, null if nothing is.
 * @param market if known: less than its minimum cannot be placed
 */
function settleUnplaced(
  entry: JournalEntry<'replace'>,
  cancel: ConfirmedCancel,
  reason: string,
  market?: Market,
): RecordedOrderTerms | null {
  const rest = remainderOf(entry.write.terms.wanted, cancel.filled);
  const price = Decimal.of(rest.price);
  const amount = Decimal.of(rest.amount);
  const isTooLittle = market !== undefined && isTooSmall(market, price, amount);
  const isLeft = amount.sign > 0 && !isTooLittle;
  const event = `${eventOf(cancel)}; nothing was placed for it: ${reason}`;
  entry.settle({ outcome: 'cancelled', id: cancel.id, duplicates: [], ...(isLeft ? { unplaced: rest } : {}) }, event);
  return isLeft ? rest : null;
}
