import type { WithdrawalRequest } from '../domain/funds.js';
import type { BatchRequest, OrderReference, OrderTerms } from '../domain/order.js';
import { failureOf } from './failures.js';
import { codecOf, operationOf } from './operations/index.js';
import { checkedParameters, type Hosts, type ParameterValues } from './request.js';

/** A write as the interface names it: for a dry run, which shows what would be sent. */
export interface WriteRequest {
  readonly operation: string;
  readonly values: ParameterValues;
}

/** The request that places an order. */
export function orderWriteRequest(terms: OrderTerms, clientId: string): WriteRequest {
  return { operation: 'order', values: codecOf('order').encode({ terms, clientId }) };
}

/** The request that places several orders. */
export function batchRequest(batch: BatchRequest): WriteRequest {
  return { operation: 'orderMoreV2', values: codecOf('orderMoreV2').encode(batch) };
}

/** The request that cancels an order. */
export function cancelRequest(market: string, order: OrderReference): WriteRequest {
  return { operation: 'cancelOrder', values: codecOf('cancelOrder').encode({ market, order }) };
}

/** The request that starts the timer which cancels all orders of a market. */
export function timedCancelRequest(market: string): WriteRequest {
  return { operation: 'cancelAllOrdersAfter', values: codecOf('cancelAllOrdersAfter').encode({ market }) };
}

/** The request that withdraws; the password is masked when it is shown. */
export function withdrawRequest(withdrawal: WithdrawalRequest, password: string): WriteRequest {
  return { operation: 'withdraw', values: codecOf('withdraw').encode({ withdrawal, password }) };
}

/**
 * The request as it would be sent, with its secrets masked. Throws Failure `usage` for a value that breaks its rule.
 * @param time milliseconds since the Unix epoch
 */
export function maskedRequest(
  { tradeUrl }: Hosts,
  { operation, values }: WriteRequest,
  time: number,
): Readonly<Record<string, string>> {
  const common = { url: `${tradeUrl}/api/${operation}`, method: operation, accesskey: '***' };
  return { ...common, ...maskedParameters(operation, values), sign: '***', reqTime: String(time) };
}

function maskedParameters(name: string, values: ParameterValues): Record<string, string> {
  const { parameters } = operationOf(name);
  try {
    const checked = [...checkedParameters(name, values)];
    return Object.fromEntries(checked.map(([key, value]) => [key, parameters[key]?.kind.secret ? '***' : value]));
  } catch (error) {
    throw failureOf(error, name);
  }
}
