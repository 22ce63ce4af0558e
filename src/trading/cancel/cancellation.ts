import { Decimal } from '../../domain/decimal.js';
import { type Cancellation, isSameReference, type Order, type OrderReference } from '../../domain/order.js';
import { quotation } from '../../domain/quotation.js';
import { Failure, type FailureKind, tryRead } from '../../errors.js';
import { rejectionKind } from '../../exchange/exchange.js';
import type { JournalEntry } from '../journal/entry.js';
import { orderCancelledBy, orderToCancel } from '../journal/write.js';
import { pollUntilFound } from '../settling/poll-until-found.js';
import { isSameRefusal } from '../settling/same-refusal.js';
import type { TradingContext } from '../trading-context.js';

/** The state of an order that was to be cancelled; null is unknown. */
export interface OrderFacts {
  readonly id: string | null;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
}

/** A cancellation that the order itself confirms: what it filled is final. */
export interface ConfirmedCancel extends OrderFacts {
  readonly outcome: 'cancelled';
  readonly id: string;
  readonly filled: string;
  /** The exchange's return code; null without an answer. */
  readonly code: number | null;
  readonly message: string | null;
  readonly failure: null;
}

interface UnconfirmedCancel extends OrderFacts {
  readonly outcome: 'refused' | 'notSent' | 'unknown';
  readonly code: number | null;
  readonly message: string | null;
  /** Why the order was not cancelled. */
  readonly failure: FailureKind;
}

/** The outcome of a cancellation. */
export type CancelOutcome = ConfirmedCancel | UnconfirmedCancel;

/** No answer, or one that proves nothing: only the order shows the outcome of the cancellation. */
export interface Undecided {
  readonly outcome: 'undecided';
  /** The exchange's return code; null without an answer. */
  readonly code: number | null;
  readonly reason: string;
  /** What the exchange said of an order that it has cancelled. It may be the stale answer to another request. */
  readonly accepted?: Cancellation;
}

export const NO_FACTS: OrderFacts = { id: null, price: null, amount: null, filled: null, filledValue: null };

/** The facts of an order that cancellations report. */
export function orderFacts({ id, price, amount, filled, filledValue }: Order) {
  return { id, price, amount, filled, filledValue };
}

function factsOf(order: Order | undefined): OrderFacts {
  return order === undefined ? NO_FACTS : orderFacts(order);
}

/** A cancellation that is recorded, or a replacement, which begins with one. */
export type CancelEntry = JournalEntry<'cancel'> | JournalEntry<'replace'>;

/**
 * Sends a recorded cancellation, once.
 * @throws Failure `credentials` or `usage` if the request could not be made: nothing was sent, and the record is withdrawn
 */
export async function sendCancel(trading: TradingContext, entry: CancelEntry): Promise<CancelOutcome | Undecided> {
  const { terms, reqTime } = entry.write;
  entry.note('cancellation sent');
  const response = await entry.send(() => trading.client.cancelOrder(terms.market, terms.order, { reqTime }));
  if (response.kind === 'refused') {
    const { code, message: reason } = response.refusal;
    entry.noteRefusal(response.refusal);
    const found = await readOrder(trading, entry);
    return (found && rejectedOutcome(trading, entry, found)) ?? { outcome: 'undecided', code, reason };
  }
  if (response.kind === 'notSent')
    return { ...NO_FACTS, outcome: 'notSent', code: null, message: response.reason, failure: response.failure };
  if (response.kind === 'lost') {
    entry.note(`no answer: ${response.reason}`);
    return { outcome: 'undecided', code: null, reason: response.reason };
  }
  const { value } = response;
  entry.note(value.message === '' ? 'accepted' : `accepted: ${quotation(value.message)}`);
  return { outcome: 'undecided', code: value.code, reason: 'the exchange accepted the cancellation', accepted: value };
}

/**
 * What an order says about a cancellation that the exchange rejected; undefined if it did not reject it. A proxy may have repeated
 * the request: the first one cancelled the order, and the refusal answers the second. So a cancelled order counts as cancelled now,
 * unless an earlier command cancelled it.
 */
function rejectedOutcome(
  trading: TradingContext,
  entry: CancelEntry,
  found: Order | 'none',
): CancelOutcome | undefined {
  const { refusal } = entry;
  if (refusal === undefined) return undefined;
  const { code, message } = refusal;
  const order = orderOf(found);
  // the exchange itself cancels what an IOC order does not fill
  if (order?.state === 'cancelled' && order.type !== 'ioc' && !wasCancelledBefore(trading, entry, order)) {
    const text = 'cancelled; the exchange answered that it was final already';
    return { ...orderFacts(order), outcome: 'cancelled', code, message: text, failure: null };
  }
  return {
    ...factsOf(order),
    outcome: 'refused',
    code,
    message,
    failure: rejectionKind(refusal),
  };
}

/** Whether an earlier command cancelled the order. If the journal cannot be read, the request counts as the only one. */
function wasCancelledBefore({ journal }: TradingContext, entry: CancelEntry, { id }: Order): boolean {
  const { order } = entry.write.terms;
  const isThis = (earlier: OrderReference) => isSameReference(earlier, { id }) || isSameReference(earlier, order);
  const names = 'id' in order ? [{ id }] : [{ id }, order];
  // another command that awaits the answer to its cancellation of this order: that one was accepted
  const isUnderWay = (other: JournalEntry) => {
    const cancelled = orderToCancel(other.write);
    return other.write.id !== entry.write.id && other.isUnderWay && cancelled !== null && isThis(cancelled);
  };
  try {
    // in this order: a cancellation that is settled meanwhile is in both
    if (journal.unsettledEntries().some(isUnderWay)) return true;
    return names.some((name) =>
      journal.archive.since(0, name).some((settled) => orderCancelledBy(settled).some(isThis)),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    entry.note(`whether it was cancelled before is unknown: ${error.message}`);
    return false;
  }
}

/**
 * Reads the order: `none` if there is none, undefined if the exchange could not be asked. A read that is refused with the same code as
 * the cancellation, as for an unknown market, finds no order either.
 */
async function readOrder({ client }: TradingContext, entry: CancelEntry): Promise<Order | 'none' | undefined> {
  const { market, order: reference } = entry.write.terms;
  const unlessAlike = (error: unknown) =>
    isSameRefusal(error, entry.refusal?.code) ? undefined : Promise.reject(error);
  const order = await tryRead(async () => (await client.findOrder(market, reference).catch(unlessAlike)) ?? 'none');
  const state = typeof order === 'object' ? order.state : order === undefined ? 'no answer' : 'not found';
  entry.note(`asked for the order: ${state}`);
  return order;
}

/** What a closed order says about its cancellation; undefined if it is open, or in an undocumented state. */
function closedOutcome(order: Order): CancelOutcome | undefined {
  const facts = { ...orderFacts(order), code: null };
  if (order.state === 'cancelled') return { ...facts, outcome: 'cancelled', message: null, failure: null };
  if (order.state !== 'filled') return undefined;
  return { ...facts, outcome: 'refused', message: 'the order was filled', failure: 'refused' };
}

/**
 * Settles the cancellations of an order that it has shown to be closed: those that no living process works on, as of one that was killed.
 * If the disk fails, they stay unsettled.
 */
export function settleCancellationsOf(trading: TradingContext, order: Order): void {
  try {
    for (const entry of trading.journal.unsettledEntries()) {
      if (!entry.isKind('cancel') || !isSameReference(entry.write.terms.order, { id: order.id })) continue;
      const cancel = rejectedOutcome(trading, entry, order) ?? closedOutcome(order);
      if (cancel !== undefined && entry.claim()) settleCancellation(entry, cancel);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** Records what became of a cancellation; one whose outcome is unknown stays open. */
export function settleCancellation(entry: CancelEntry, cancel: CancelOutcome): void {
  const { outcome, id } = cancel;
  if (outcome === 'unknown') entry.release();
  else entry.settle({ outcome, id, duplicates: [] }, eventOf(cancel));
}

/** The outcome as an event of the timeline. */
export function eventOf({ outcome, message, filled }: CancelOutcome): string {
  if (outcome === 'cancelled') return filled === null ? 'cancelled' : `cancelled with ${filled} filled`;
  return `${outcome === 'notSent' ? 'not sent' : outcome}: ${message}`;
}

/** What a command knows of a cancellation that is not settled. */
interface CancelEvidence {
  readonly reply?: Undecided | undefined;
  /** The order as a list showed it. */
  readonly listed?: Order | undefined;
  /** Called if the exchange accepted the cancellation, and the order is not closed when it is first read. */
  readonly onUnconfirmed?: () => void;
}

/** Within two seconds. */
const PATIENT_READS = 4;

/**
 * Finds the outcome of a recorded cancellation within the budget: only the order shows it. An answer that accepts the
 * cancellation may belong to another request, so it counts once the order was read as closed.
 */
export async function findCancellationOutcome(
  trading: TradingContext,
  entry: CancelEntry,
  { reply, listed, onUnconfirmed = () => {} }: CancelEvidence = {},
): Promise<CancelOutcome> {
  const outcomeOf = (order: Order) => rejectedOutcome(trading, entry, order) ?? closedOutcome(order);
  const closed = listed === undefined || closedOutcome(listed) === undefined ? undefined : outcomeOf(listed);
  if (closed !== undefined) return withReply(closed, reply);
  const { market } = entry.write.terms;
  let seen: Seen;
  let reads = 0;
  const { found: decided } = await pollUntilFound<CancelOutcome>(
    trading,
    { reqTime: entry.write.reqTime, of: { market } },
    async (isExpired) => {
      const found = await readOrder(trading, entry);
      seen = found ?? seen;
      const outcome = found === 'none' ? rejectedOutcome(trading, entry, found) : found && outcomeOf(found);
      reads += 1;
      if (outcome !== undefined) return outcome;
      const isAccepted = reply?.accepted !== undefined;
      if (isAccepted && reads === 1) onUnconfirmed();
      // an order may close a moment after its cancellation was accepted: only later does it count that the request has expired
      if (found === undefined || (isAccepted && reads <= PATIENT_READS)) return undefined;
      return isExpired ? expired(seen) : 'none';
    },
  );
  if (decided !== undefined) return withReply(decided, reply);
  const message = unconfirmedText(entry, reply, seen);
  const facts = orderOf(seen) === undefined ? answeredFacts(entry, reply) : factsOf(orderOf(seen));
  return { ...facts, outcome: 'unknown', code: (reply ?? entry.refusal)?.code ?? null, message, failure: 'unknown' };
}

/** What an answer says of an order that nothing else shows. */
function answeredFacts(entry: CancelEntry, reply: Undecided | undefined): OrderFacts {
  if (reply?.accepted === undefined) return NO_FACTS;
  const { order } = entry.write.terms;
  const { price, amount, filled, filledValue } = reply.accepted;
  return { id: 'id' in order ? order.id : null, price, amount, filled, filledValue };
}

type Seen = Order | 'none' | undefined;

function orderOf(seen: Seen): Order | undefined {
  return seen === 'none' ? undefined : seen;
}

function unconfirmedText({ refusal }: CancelEntry, reply: Undecided | undefined, seen: Seen): string {
  if (reply === undefined) return refusal?.message ?? 'the cancellation may still arrive';
  if (reply.accepted === undefined) return reply.reason;
  if (seen === undefined) return `${reply.reason}, but the order could not be read`;
  return `${reply.reason}, but ${seen === 'none' ? 'shows no such order' : `shows the order as ${seen.state}`}`;
}

/** An outcome that the order shows, with the code of the answer, and with what an answer said that the order confirms. */
function withReply(cancel: CancelOutcome, reply: Undecided | undefined): CancelOutcome {
  if (reply === undefined) return cancel;
  const { accepted, code } = reply;
  if (accepted === undefined) return { ...cancel, code };
  if (cancel.outcome !== 'cancelled') return cancel;
  return { ...cancel, ...atLeastFilled(cancel, accepted), code, message: accepted.message };
}

/** An order that lags behind the answer would let a replacement place more than is wanted. */
function atLeastFilled(cancel: ConfirmedCancel, accepted: Cancellation) {
  const { filled, filledValue } = accepted;
  const isOfOrder = (['price', 'amount'] as const).every((name) => mayBeSame(cancel[name], accepted[name]));
  const lags = isOfOrder && filled !== null && Decimal.of(cancel.filled).compare(Decimal.of(filled)) < 0;
  return lags ? { filled, filledValue } : {};
}

/** Whether nothing shows that two numbers differ: null is unknown. */
function mayBeSame(one: string | null, other: string | null): boolean {
  return one === null || other === null || Decimal.of(one).equals(Decimal.of(other));
}

/** The exchange would not accept the request any more, so the order stays as it was read. */
function expired(seen: Seen): CancelOutcome {
  const order = orderOf(seen);
  const facts = { ...factsOf(order), code: null };
  if (order === undefined)
    return { ...facts, outcome: 'refused', message: 'the exchange has no such order', failure: 'refused' };
  const message = 'the cancellation did not reach the exchange and cannot any more; the order is open';
  return { ...facts, outcome: 'notSent', message, failure: 'unreachable' };
}
