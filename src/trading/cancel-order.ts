import type { ExchangeClient } from '../client/exchange-client.js';
import { refusal } from '../client/failures.js';
import { Failure, type FailureKind } from '../errors.js';
import { Decimal } from '../protocol/decimal.js';
import type { OrderRecord } from '../protocol/operations/trading.js';
import { SUCCESS } from '../protocol/response.js';
import { findOrder, type OrderReference, referenceValues } from './find-order.js';

export interface Cancellation {
  readonly outcome: 'cancelled' | 'refused' | 'unknown';
  readonly id: string | null;
  readonly clientId: string | null;
  readonly market: string;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
  readonly filledValue: string | null;
  /** The exchange's return code; null where no answer came. */
  readonly code: number | null;
  readonly message: string | null;
}

export interface CancelAttempt {
  readonly result: Cancellation;
  /** Why it did not come to a cancellation; null when it did. */
  readonly failure: FailureKind | null;
}

/** Cancels one order with one request; where no answer came, the order itself tells what became of it. */
export async function cancelOrder(
  client: ExchangeClient,
  market: string,
  reference: OrderReference,
): Promise<CancelAttempt> {
  const nothing = { ...identity(reference), market, price: null, amount: null, filled: null, filledValue: null };
  const verdict = await client.write('cancelOrder', { currency: market, ...referenceValues(reference) });
  if (verdict.kind === 'done') {
    const { des, datas } = verdict.answer.message;
    const { price = null, amount = null, completeAmount = null, completeMonty = null } = datas ?? {};
    const facts = { price, amount, filled: completeAmount, filledValue: completeMonty, code: SUCCESS, message: des };
    return { result: { ...nothing, ...facts, outcome: 'cancelled' }, failure: null };
  }
  if (verdict.kind === 'refused') {
    const { code, message } = verdict.refusal;
    const failure = refusal(verdict.refusal, 'cancelOrder').kind;
    return { result: { ...nothing, outcome: 'refused', code, message }, failure };
  }
  const { failure, ...facts } = settled(await lookAt(client, market, reference), verdict);
  return { result: { ...nothing, ...facts, code: null }, failure };
}

function identity(reference: OrderReference) {
  return 'id' in reference ? { id: reference.id, clientId: null } : { id: null, clientId: reference.clientId };
}

interface NoAnswer {
  readonly kind: 'notSent' | 'lost';
  readonly reason: string;
}

/** What the order itself tells of a cancellation that got no answer. */
function settled(order: OrderRecord | undefined, noAnswer: NoAnswer) {
  if (order === undefined) return unsettled(noAnswer);
  const { id, price, total_amount: amount, trade_amount: filled, trade_money: filledValue, status } = order;
  const facts = { id, price, amount, filled, filledValue };
  const isClosed = status === 1 || status === 2;
  if (!isClosed) return { ...facts, ...unsettled(noAnswer) };
  if (Decimal.of(filled).compare(Decimal.of(amount)) < 0)
    return { ...facts, outcome: 'cancelled' as const, message: null, failure: null };
  return { ...facts, outcome: 'refused' as const, message: 'the order was filled', failure: 'refused' as const };
}

/** A request that never left changed nothing; one that was lost may still arrive. */
function unsettled({ kind, reason: message }: NoAnswer) {
  if (kind === 'notSent') return { outcome: 'refused' as const, message, failure: 'unreachable' as const };
  return { outcome: 'unknown' as const, message, failure: 'unknown' as const };
}

async function lookAt(
  client: ExchangeClient,
  market: string,
  reference: OrderReference,
): Promise<OrderRecord | undefined> {
  try {
    return await findOrder(client, market, reference);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
