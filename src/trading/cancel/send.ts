import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import { UNREAD } from '../../exchange/observed-codes.js';
import { type Refused, SUCCESS } from '../../exchange/response.js';
import type { TradingAccount } from '../account.js';
import { isOf, type Settled } from '../journal/intent.js';
import { isSameReference, type OrderReference } from '../orders/reference.js';
import { factsOf, NO_FACTS } from './facts.js';
import type { CancelFate, Lost } from './fate.js';
import { type CancelRequest, lookAt } from './request.js';

/**
 * Sends a recorded cancellation, once.
 * @throws Failure `credentials` or `usage` where it could not be written down as a request: nothing was sent, and the record
 *   is taken back
 */
export async function sendCancel(account: TradingAccount, request: CancelRequest): Promise<CancelFate | Lost> {
  const { market, order, reqTime, note } = request;
  note('cancellation sent');
  const verdict = await account.client.cancelOrder(market, order, reqTime).catch((error: unknown) => {
    // anything but a Failure may have come after it left
    if (error instanceof Failure) request.withdraw();
    throw error;
  });
  if (verdict.kind === 'refused') return refused(account, request, verdict.refusal);
  if (verdict.kind === 'notSent') {
    return { ...NO_FACTS, outcome: 'notSent', code: null, message: verdict.reason, failure: verdict.failure };
  }
  if (verdict.kind === 'lost') {
    note(`no answer: ${verdict.reason}`);
    return { outcome: 'lost', code: null, reason: verdict.reason };
  }
  return { id: null, ...verdict.answer, outcome: 'cancelled', code: SUCCESS, failure: null };
}

/**
 * What a refusal means. A proxy before the exchange may have repeated the request: the first cancelled the order, and the
 * answer is the refusal of the second. So an order that is cancelled, and was not by an earlier command, is taken as
 * cancelled now.
 */
async function refused(account: TradingAccount, request: CancelRequest, answer: Refused): Promise<CancelFate | Lost> {
  const { code, message } = answer;
  request.note(`refused: ${code} ${message}`);
  const found = UNREAD.includes(code) ? 'nothing' : await lookAt(account, request, code);
  if (found === undefined) return { outcome: 'lost', code, reason: message };
  const order = found === 'nothing' ? undefined : found;
  if (order !== undefined && canBeOurs(order) && !wasCancelled(account, request, order)) {
    const words = 'cancelled; the exchange answered that it was final already';
    return { ...factsOf(order), outcome: 'cancelled', code, message: words, failure: null };
  }
  return { ...factsOf(order), outcome: 'refused', code, message, failure: refusal(answer, 'cancelOrder').kind };
}

/** What an order does not fill of an IOC is cancelled by the exchange. */
function canBeOurs(order: Order): boolean {
  return order.state === 'cancelled' && order.type !== 'ioc';
}

/** By an earlier command, as far as the journal can be read: the request has left, and what became of it is to be told. */
function wasCancelled({ journal }: TradingAccount, { order, note }: CancelRequest, { id }: Order): boolean {
  const isThis = (earlier: OrderReference) => isSameReference(earlier, { id }) || isSameReference(earlier, order);
  const names = 'id' in order ? [{ id }] : [{ id }, order];
  try {
    return names.some((name) => journal.archive.since(0, name).some((settled) => cancelledBy(settled).some(isThis)));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    note(`whether it had been cancelled before is not known: ${error.message}`);
    return false;
  }
}

/** The names of the order that a settled write cancelled. */
function cancelledBy({ intent, outcome, id }: Settled): readonly OrderReference[] {
  if (isOf(intent, 'order')) return intent.replaces === undefined ? [] : [intent.replaces.order];
  if (outcome !== 'cancelled' || !(isOf(intent, 'cancelOrder') || isOf(intent, 'replace'))) return [];
  return id === null ? [intent.terms.order] : [intent.terms.order, { id }];
}
