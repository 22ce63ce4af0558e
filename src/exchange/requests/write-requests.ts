import type { WithdrawalRequest } from '../../domain/funds.js';
import type { BatchRequest, OrderReference, OrderTerms } from '../../domain/order.js';
import { codecOf, operationOf } from '../operations/index.js';
import { requestFailure } from './failures.js';
import { checkedParameters, type Hosts, type ParameterValues } from './request.js';

/** A write before it is sent. */
export type PlannedWrite =
  /** `parameters`: those of `pit api`, which are sent as they are. */
  | {
      readonly kind: 'order';
      readonly terms: OrderTerms;
      readonly clientId: string | null;
      readonly parameters?: ParameterValues | undefined;
    }
  | { readonly kind: 'batch'; readonly batch: BatchRequest }
  | { readonly kind: 'cancel'; readonly market: string; readonly order: OrderReference }
  | { readonly kind: 'timedCancel'; readonly market: string }
  | { readonly kind: 'withdrawal'; readonly withdrawal: WithdrawalRequest }
  /** An operation by its own name, for `pit api`. */
  | { readonly kind: 'call'; readonly operation: string; readonly values: ParameterValues };

/** A write as the interface names it. */
export interface WriteRequest {
  readonly operation: string;
  /** Its address and its parameters; secrets are masked. */
  readonly request: Readonly<Record<string, string>>;
}

/**
 * The request as it would be sent, with its secrets masked. Throws Failure `usage` for a value that breaks its rule.
 * @param time milliseconds since the Unix epoch
 */
export function requestOf(write: PlannedWrite, { tradeUrl }: Hosts, time: number): WriteRequest {
  const { operation, values } = namedWrite(write);
  const common = { url: `${tradeUrl}/api/${operation}`, method: operation, accesskey: '***' };
  const request = { ...common, ...maskedParameters(operation, values), sign: '***', reqTime: String(time) };
  return { operation, request };
}

/** The operations that place, cancel and withdraw. */
export const WRITE_OPERATIONS = {
  order: 'order',
  batch: 'orderMoreV2',
  cancel: 'cancelOrder',
  timedCancel: 'cancelAllOrdersAfter',
  withdrawal: 'withdraw',
} as const;

function namedWrite(write: PlannedWrite): { readonly operation: string; readonly values: ParameterValues } {
  if (write.kind === 'call') return write;
  return { operation: WRITE_OPERATIONS[write.kind], values: valuesOf(write) };
}

function valuesOf(write: Exclude<PlannedWrite, { kind: 'call' }>): ParameterValues {
  switch (write.kind) {
    case 'order':
      return write.parameters ?? codecOf('order').encode(write);
    case 'batch':
      return codecOf('orderMoreV2').encode(write.batch);
    case 'cancel':
      return codecOf('cancelOrder').encode(write);
    case 'timedCancel':
      return codecOf('cancelAllOrdersAfter').encode(write);
    case 'withdrawal':
      return codecOf('withdraw').encode({ ...write, password: 'the fund password' });
  }
}

function maskedParameters(name: string, values: ParameterValues): Record<string, string> {
  const { parameters } = operationOf(name);
  try {
    const checked = [...checkedParameters(name, values)];
    return Object.fromEntries(checked.map(([key, value]) => [key, parameters[key]?.kind.secret ? '***' : value]));
  } catch (error) {
    throw requestFailure(error, name);
  }
}
