import type { ExchangeClient } from '../client/exchange-client.js';
import { Failure } from '../errors.js';
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

/** Cancels one order with one request; where no answer came, the order itself tells what became of it. */
export async function cancelOrder(
  client: ExchangeClient,
  market: string,
  reference: OrderReference,
): Promise<Cancellation> {
  const nothing = { ...identity(reference), market, price: null, amount: null, filled: null, filledValue: null };
  const verdict = await client.write('cancelOrder', { currency: market, ...referenceValues(reference) });
  if (verdict.kind === 'done') {
    const { des, datas } = verdict.answer.message;
    const { price = null, amount = null, completeAmount = null, completeMonty = null } = datas ?? {};
    return {
      ...nothing,
      outcome: 'cancelled',
      price,
      amount,
      filled: completeAmount,
      filledValue: completeMonty,
      code: SUCCESS,
      message: des,
    };
  }
  if (verdict.kind === 'refused') {
    return { ...nothing, outcome: 'refused', code: verdict.refusal.code, message: verdict.refusal.message };
  }
  const seen = await lookAt(client, market, reference);
  return { ...nothing, ...(seen === undefined ? unsettled(verdict) : settledBy(seen, verdict)) };
}

function identity(reference: OrderReference) {
  return 'id' in reference ? { id: reference.id, clientId: null } : { id: null, clientId: reference.clientId };
}

interface NoAnswer {
  readonly kind: 'notSent' | 'lost';
  readonly reason: string;
}

/** A request that never left changed nothing; one that was lost may still arrive. */
function unsettled({ kind, reason }: NoAnswer) {
  return { outcome: kind === 'notSent' ? ('refused' as const) : ('unknown' as const), code: null, message: reason };
}

function settledBy(order: OrderRecord, noAnswer: NoAnswer) {
  const { id, price, total_amount: amount, trade_amount: filled, trade_money: filledValue, status } = order;
  const facts = { id, price, amount, filled, filledValue };
  const isClosed = status === 1 || status === 2;
  if (!isClosed) return { ...facts, ...unsettled(noAnswer) };
  if (Decimal.of(filled).compare(Decimal.of(amount)) < 0)
    return { ...facts, outcome: 'cancelled' as const, code: null, message: null };
  return { ...facts, outcome: 'refused' as const, code: null, message: 'the order was filled' };
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
