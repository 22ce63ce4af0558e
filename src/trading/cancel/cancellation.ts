import type { Order, OrderReference } from '../../domain/order.js';
import { Failure, type FailureKind, tryRead } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import { type Refused, SUCCESS } from '../../exchange/response.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { isOf, type Settled } from '../journal/intent.js';
import { isRefusedAlike, isSameReference } from '../orders/reference.js';
import { pollUntilSettled } from '../poll-until-settled.js';
import { orderProbe } from '../tolerance.js';

/** What is known of an order that was to be cancelled; null is unknown. */
export interface OrderFacts {
  readonly id: string | null;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
}

/** The outcome of a cancellation. */
export interface CancelOutcome extends OrderFacts {
  readonly outcome: 'cancelled' | 'refused' | 'notSent' | 'unknown';
  /** The exchange's return code; null without an answer. */
  readonly code: number | null;
  readonly message: string | null;
  /** Why the order was not cancelled; null if it was. */
  readonly failure: FailureKind | null;
}

/** A cancellation that the order itself confirms, so that what it filled is known. */
export interface ConfirmedCancel extends CancelOutcome {
  readonly outcome: 'cancelled';
  readonly id: string;
  readonly filled: string;
}

export function isConfirmed(cancel: CancelOutcome): cancel is ConfirmedCancel {
  return cancel.outcome === 'cancelled' && cancel.id !== null && cancel.filled !== null;
}

/** No answer gives the outcome of the cancellation: only the order shows it. */
export interface NoAnswer {
  readonly outcome: 'noAnswer';
  readonly code: number | null;
  readonly reason: string;
}

export const NO_FACTS: OrderFacts = { id: null, price: null, amount: null, filled: null, filledValue: null };

export function orderFacts(order: Order | undefined): OrderFacts {
  if (order === undefined) return NO_FACTS;
  const { id, price, amount, filled, filledValue } = order;
  return { id, price, amount, filled, filledValue };
}

/** A cancellation that is recorded, or a replacement, which begins with one. */
export type CancelEntry = Entry<'cancelOrder'> | Entry<'replace'>;

/**
 * Sends a recorded cancellation, once.
 * @throws Failure `credentials` or `usage` if the request could not be made: nothing was sent, and the record is withdrawn
 */
export async function sendCancel(account: TradingAccount, entry: CancelEntry): Promise<CancelOutcome | NoAnswer> {
  const { terms, reqTime } = entry.intent;
  entry.note('cancellation sent');
  const result = await account.client.cancelOrder(terms.market, terms.order, { reqTime }).catch((error: unknown) => {
    // another error may have come after the request left
    if (error instanceof Failure) entry.discard();
    throw error;
  });
  if (result.kind === 'refused') return refused(account, entry, result.refusal);
  if (result.kind === 'notSent')
    return { ...NO_FACTS, outcome: 'notSent', code: null, message: result.reason, failure: result.failure };
  if (result.kind === 'lost') {
    entry.note(`no answer: ${result.reason}`);
    return { outcome: 'noAnswer', code: null, reason: result.reason };
  }
  return { id: null, ...result.answer, outcome: 'cancelled', code: SUCCESS, failure: null };
}

/**
 * What a refusal means. A proxy may have repeated the request: the first one cancelled the order, and the refusal answers the
 * second. So a cancelled order counts as cancelled now, unless an earlier command cancelled it.
 */
async function refused(
  account: TradingAccount,
  entry: CancelEntry,
  answer: Refused,
): Promise<CancelOutcome | NoAnswer> {
  const { code, message } = answer;
  entry.note(`refused: ${code} ${message}`);
  const found = await readOrder(account, entry, code);
  if (found === undefined) return { outcome: 'noAnswer', code, reason: message };
  const order = found === 'none' ? undefined : found;
  // the exchange itself cancels what an IOC order does not fill
  const mayBeOurs = order?.state === 'cancelled' && order.type !== 'ioc';
  if (mayBeOurs && !wasCancelledBefore(account, entry, order)) {
    const text = 'cancelled; the exchange answered that it was final already';
    return { ...orderFacts(order), outcome: 'cancelled', code, message: text, failure: null };
  }
  return { ...orderFacts(order), outcome: 'refused', code, message, failure: refusal(answer, 'cancelOrder').kind };
}

/** Whether an earlier command cancelled the order. If the journal cannot be read, the request counts as the only one. */
function wasCancelledBefore({ journal }: TradingAccount, entry: CancelEntry, { id }: Order): boolean {
  const { order } = entry.intent.terms;
  const isThis = (earlier: OrderReference) => isSameReference(earlier, { id }) || isSameReference(earlier, order);
  const names = 'id' in order ? [{ id }] : [{ id }, order];
  try {
    return names.some((name) => journal.archive.since(0, name).some((settled) => cancelledBy(settled).some(isThis)));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    entry.note(`whether it was cancelled before is unknown: ${error.message}`);
    return false;
  }
}

/** The names of the order that a settled write cancelled. */
function cancelledBy({ intent, outcome, id }: Settled): readonly OrderReference[] {
  if (isOf(intent, 'order')) return intent.replaces === undefined ? [] : [intent.replaces.order];
  if (outcome !== 'cancelled' || !(isOf(intent, 'cancelOrder') || isOf(intent, 'replace'))) return [];
  return id === null ? [intent.terms.order] : [intent.terms.order, { id }];
}

/**
 * Reads the order: `none` if there is none, undefined if the exchange could not be asked.
 *
 * @param code the code with which the cancellation was refused: a read that is refused with the same one, as for an unknown
 *   market, finds no order either
 */
export async function readOrder(
  { client }: TradingAccount,
  entry: CancelEntry,
  code?: number | null,
): Promise<Order | 'none' | undefined> {
  const { market, order: reference } = entry.intent.terms;
  const unlessAlike = (error: unknown) => (isRefusedAlike(error, code) ? undefined : Promise.reject(error));
  const order = await tryRead(async () => (await client.findOrder(market, reference).catch(unlessAlike)) ?? 'none');
  const state = typeof order === 'object' ? order.state : order === undefined ? 'no answer' : 'not found';
  entry.note(`asked for the order: ${state}`);
  return order;
}

/** What a closed order says about its cancellation; undefined if it is open, or in an undocumented state. */
export function closedOutcome(order: Order): CancelOutcome | undefined {
  const facts = { ...orderFacts(order), code: null };
  if (order.state === 'cancelled') return { ...facts, outcome: 'cancelled', message: null, failure: null };
  if (order.state !== 'filled') return undefined;
  return { ...facts, outcome: 'refused', message: 'the order was filled', failure: 'refused' };
}

/** Finds the outcome of a recorded cancellation within the budget, and records it. */
export async function settleCancel(account: TradingAccount, entry: Entry<'cancelOrder'>): Promise<CancelOutcome> {
  const cancel = await findCancelOutcome(account, entry);
  recordCancel(entry, cancel);
  return cancel;
}

/** Keeps an outcome in the journal; an unknown one stays open. */
export function recordCancel(entry: CancelEntry, cancel: CancelOutcome): void {
  const { outcome, id } = cancel;
  if (outcome === 'unknown') entry.release();
  else entry.settle({ outcome, id, duplicates: [] }, eventOf(cancel));
}

/** The outcome as an event of the timeline. */
export function eventOf({ outcome, message, filled }: CancelOutcome): string {
  if (outcome === 'cancelled') return filled === null ? 'cancelled' : `cancelled with ${filled} filled`;
  return `${outcome === 'notSent' ? 'not sent' : outcome}: ${message}`;
}

/** Reads the order to find the outcome of an unanswered cancellation. */
export async function findCancelOutcome(account: TradingAccount, entry: CancelEntry): Promise<CancelOutcome> {
  let seen: Order | undefined;
  const { market } = entry.intent.terms;
  const { settled } = await pollUntilSettled<CancelOutcome>(
    account,
    { probe: orderProbe(market), reqTime: entry.intent.reqTime },
    async () => {
      const found = await readOrder(account, entry);
      if (found === undefined) return undefined;
      seen = found === 'none' ? undefined : found;
      return (seen === undefined ? undefined : closedOutcome(seen)) ?? 'nothing';
    },
    async () => expired(seen),
  );
  if (settled !== undefined) return settled;
  const message = 'the cancellation may still arrive';
  return { ...orderFacts(seen), outcome: 'unknown', code: null, message, failure: 'unknown' };
}

/** The exchange would not accept the request any more, so the order stays as it was read. */
function expired(order: Order | undefined): CancelOutcome {
  const facts = { ...orderFacts(order), code: null };
  if (order === undefined)
    return { ...facts, outcome: 'refused', message: 'the exchange has no such order', failure: 'refused' };
  const message = 'the cancellation did not reach the exchange and cannot any more; the order is open';
  return { ...facts, outcome: 'notSent', message, failure: 'unreachable' };
}
