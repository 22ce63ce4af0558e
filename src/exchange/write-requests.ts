import type { WithdrawalRequest } from '../domain/funds.js';
import type { BatchRequest, OrderReference, OrderTerms } from '../domain/order.js';
import { codecOf } from './operations/index.js';
import type { Given } from './request.js';

/** A write as the interface names it: for a dry run, which shows what would be sent. */
export interface WriteRequest {
  readonly operation: string;
  readonly values: Given;
}

export function orderRequest(terms: OrderTerms, clientId: string): WriteRequest {
  return { operation: 'order', values: codecOf('order').encode({ terms, clientId }) };
}

export function batchRequest(batch: BatchRequest): WriteRequest {
  return { operation: 'orderMoreV2', values: codecOf('orderMoreV2').encode(batch) };
}

export function cancelRequest(market: string, order: OrderReference): WriteRequest {
  return { operation: 'cancelOrder', values: codecOf('cancelOrder').encode({ market, order }) };
}

export function timedCancelRequest(market: string): WriteRequest {
  return { operation: 'cancelAllOrdersAfter', values: codecOf('cancelAllOrdersAfter').encode({ market }) };
}

export function withdrawRequest(withdrawal: WithdrawalRequest, password: string): WriteRequest {
  return { operation: 'withdraw', values: codecOf('withdraw').encode({ withdrawal, password }) };
}
