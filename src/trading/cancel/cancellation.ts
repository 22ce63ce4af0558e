import { Decimal } from '../../domain/decimal.js';
import { type Cancellation, isSameReference, type Order, type OrderReference } from '../../domain/order.js';
import { quotation } from '../../domain/quotation.js';
import type { Refusal } from '../../domain/refusal.js';
import { type FailureKind, failureOnly, tryRead } from '../../errors.js';
import { refusalFailureKind } from '../../exchange/exchange.js';
import type { JournalEntry } from '../journal/entry.js';
import { replacedOrder } from '../journal/write.js';
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
  /** As that of {@link UnconfirmedCancel}. */
  readonly wasRejected?: boolean;
}

interface UnconfirmedCancel extends OrderFacts {
  readonly outcome: 'refused' | 'notSent' | 'unknown';
  readonly code: number | null;
  readonly message: string | null;
  /** Why the order was not cancelled. */
  readonly failure: FailureKind;
  /** Whether the exchange answered that it has nothing to cancel. */
  readonly wasRejected?: boolean;
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
  /** With which the exchange rejected it. */
  readonly refusal?: Refusal;
}

export const NO_FACTS: OrderFacts = { id: null, price: null, amount: null, filled: null, filledValue: null };

/** The facts of an order that cancellations report. */
export function orderFacts({ id, price, amount, filled, filledValue }: Order) {
  return { id, price, amount, filled, filledValue };
}

function factsOf(order: Order | undefined): OrderFacts {
  return order === undefined ? NO_FACTS : orderFacts(order);
}

/** The request of a cancellation. */
export interface CancelRequest {
  readonly market: string;
  readonly order: OrderReference;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The record of the replacement that begins with it. A cancellation alone needs none: it may be repeated. */
  readonly record?: JournalEntry<'replace'>;
}

/** The cancellation with which a replacement begins. */
export function cancelRequestOf(record: JournalEntry<'replace'>): CancelRequest {
  const { terms, reqTime } = record.write;
  return { market: terms.market, order: terms.order, reqTime, record };
}

/**
 * Sends a cancellation, once.
 * @throws Failure `credentials` or `usage` if the request could not be made: nothing was sent, and its record is withdrawn
 */
export async function sendCancel(trading: TradingContext, request: CancelRequest): Promise<CancelOutcome | Undecided> {
  const { market, order, reqTime, record } = request;
  record?.note('cancellation sent');
  const send = () => trading.client.cancelOrder(market, order, { reqTime });
  const response = await (record === undefined ? send() : record.send(send));
  if (response.kind === 'refused') {
    const { refusal } = response;
    const { code, message: reason } = refusal;
    record?.noteRefusal(refusal);
    const found = await readOrder(trading, request, refusal);
    const outcome = found && rejectedOutcome(trading, request, refusal, found);
    return outcome ?? { outcome: 'undecided', code, reason, refusal };
  }
  if (response.kind === 'notSent')
    return { ...NO_FACTS, outcome: 'notSent', code: null, message: response.reason, failure: response.failure };
  if (response.kind === 'lost') {
    record?.note(`no answer: ${response.reason}`);
    return { outcome: 'undecided', code: null, reason: response.reason };
  }
  const { value } = response;
  record?.note(value.message === '' ? 'accepted' : `accepted: ${quotation(value.message)}`);
  return { outcome: 'undecided', code: value.code, reason: 'the exchange accepted the cancellation', accepted: value };
}

/**
 * What an order says about a cancellation that the exchange rejected; undefined if it did not reject it. A proxy may have repeated
 * the request: the first one cancelled the order, and the refusal answers the second. So a cancelled order counts as cancelled now,
 * unless an earlier command cancelled it.
 */
function rejectedOutcome(
  trading: TradingContext,
  request: CancelRequest,
  refusal: Refusal | undefined,
  found: Order | 'none',
): CancelOutcome | undefined {
  if (refusal === undefined) return undefined;
  const { code, message } = refusal;
  const order = orderOf(found);
  // the exchange itself cancels what an IOC order does not fill
  if (order?.state === 'cancelled' && order.type !== 'ioc' && !wasCancelledBefore(trading, request, order)) {
    const text = 'cancelled; the exchange answered that it was final already';
    return { ...orderFacts(order), outcome: 'cancelled', code, message: text, failure: null, wasRejected: true };
  }
  return {
    ...factsOf(order),
    outcome: 'refused',
    code,
    message,
    failure: refusalFailureKind(refusal),
    wasRejected: true,
  };
}

/** Whether pit saw the order cancelled before, or another command replaces it. If the journal cannot be read, the request counts as the only one. */
function wasCancelledBefore({ journal }: TradingContext, { record }: CancelRequest, { id }: Order): boolean {
  const isReplacing = (other: JournalEntry) => {
    const order = replacedOrder(other.write);
    const isOther = other.write.id !== record?.write.id && other.isUnderWay;
    return isOther && order !== undefined && isSameReference(order, { id });
  };
  try {
    // in this order: a replacement that is settled meanwhile is in both
    return journal.unsettledEntries().some(isReplacing) || journal.archive.wasCancelled(id);
  } catch (error) {
    const { message } = failureOnly(error);
    record?.note(`whether it was cancelled before is unknown: ${message}`);
    return false;
  }
}

/**
 * Reads the order: `none` if there is none, undefined if the exchange could not be asked. A read that is refused with the same code as
 * the cancellation, as for an unknown market, finds no order either.
 */
async function readOrder(
  { client }: TradingContext,
  { market, order: reference, record }: CancelRequest,
  refusal: Refusal | undefined,
): Promise<Order | 'none' | undefined> {
  const unlessAlike = (error: unknown) => (isSameRefusal(error, refusal?.code) ? undefined : Promise.reject(error));
  const order = await tryRead(async () => (await client.findOrder(market, reference).catch(unlessAlike)) ?? 'none');
  const state = typeof order === 'object' ? order.state : order === undefined ? 'no answer' : 'not found';
  record?.note(`asked for the order: ${state}`);
  return order;
}

/** What a closed order says about its cancellation; undefined if it is open, or in an undocumented state. */
function closedOutcome(order: Order): CancelOutcome | undefined {
  const facts = { ...orderFacts(order), code: null };
  if (order.state === 'cancelled') return { ...facts, outcome: 'cancelled', message: null, failure: null };
  if (order.state !== 'filled') return undefined;
  return { ...facts, outcome: 'refused', message: 'the order was filled', failure: 'refused' };
}

/** The outcome as an event of a timeline. */
export function eventOf({ outcome, message, filled }: CancelOutcome): string {
  if (outcome === 'cancelled') return `cancelled with ${filled} filled`;
  return `${outcome === 'notSent' ? 'not sent' : outcome}: ${message}`;
}

/** What a command knows of a cancellation that is not decided. */
interface CancelEvidence {
  readonly reply?: Undecided | undefined;
  /** The order as a list showed it. */
  readonly listed?: Order | undefined;
  /** Called each time that no reading shows the order as closed, although the exchange accepted the cancellation. */
  readonly onUnconfirmed?: () => void;
}

/** Within two seconds. */
const PATIENT_READS = 4;

/**
 * Finds the outcome of a cancellation within the budget: only the order shows it. An answer that accepts the
 * cancellation may belong to another request, so it counts once the order was read as closed.
 */
export async function findCancellationOutcome(
  trading: TradingContext,
  request: CancelRequest,
  { reply, listed, onUnconfirmed = () => {} }: CancelEvidence = {},
): Promise<CancelOutcome> {
  const refusal = reply?.refusal ?? request.record?.refusal;
  const outcomeOf = (order: Order) => rejectedOutcome(trading, request, refusal, order) ?? closedOutcome(order);
  const closed = listed === undefined || closedOutcome(listed) === undefined ? undefined : outcomeOf(listed);
  if (closed !== undefined) return withReply(closed, reply);
  const { market, reqTime } = request;
  let seen: Seen;
  let reads = 0;
  const { found: decided } = await pollUntilFound<CancelOutcome>(
    trading,
    { reqTime, of: { market } },
    async (isExpired) => {
      const found = await readOrder(trading, request, refusal);
      seen = found ?? seen;
      const outcome = found === 'none' ? rejectedOutcome(trading, request, refusal, found) : found && outcomeOf(found);
      reads += 1;
      if (outcome !== undefined) return outcome;
      const isAccepted = reply?.accepted !== undefined;
      if (isAccepted) onUnconfirmed();
      // an order may close a moment after its cancellation was accepted: only later does it count that the request has expired
      if (found === undefined || (isAccepted && reads <= PATIENT_READS)) return undefined;
      return isExpired ? expired(seen) : 'none';
    },
  );
  if (decided !== undefined) return withReply(decided, reply);
  const message = unconfirmedText(refusal, reply, seen);
  const facts = orderOf(seen) === undefined ? answeredFacts(request, reply) : factsOf(orderOf(seen));
  return { ...facts, outcome: 'unknown', code: (reply ?? refusal)?.code ?? null, message, failure: 'unknown' };
}

/** What an answer says of an order that nothing else shows. */
function answeredFacts({ order }: CancelRequest, reply: Undecided | undefined): OrderFacts {
  if (reply?.accepted === undefined) return NO_FACTS;
  const { price, amount, filled, filledValue } = reply.accepted;
  return { id: 'id' in order ? order.id : null, price, amount, filled, filledValue };
}

type Seen = Order | 'none' | undefined;

function orderOf(seen: Seen): Order | undefined {
  return seen === 'none' ? undefined : seen;
}

function unconfirmedText(refusal: Refusal | undefined, reply: Undecided | undefined, seen: Seen): string {
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
