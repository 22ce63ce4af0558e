import { REQUEST_FAULTS, type RequestFault, requestFault } from '../../../src/sandbox/faults/rules.js';
import type { Exchange } from './exchange.js';

/** Shorter than the slack that pit adds to the tolerance: a request that the exchange itself holds does not become too old. */
const LATE_MS = 600;

type FaultWithParameter = {
  [Kind in RequestFault]: (typeof REQUEST_FAULTS)[Kind] extends { readonly needs: string } ? Kind : never;
}[RequestFault];

/** The parameter of each fault that needs one, in ms. */
const PARAMETERS: Readonly<Record<FaultWithParameter, { readonly delay: number } | { readonly skew: number }>> = {
  late: { delay: LATE_MS },
  delay: { delay: 1_500 },
  skew: { skew: 90_000 },
};

/** The faults of a write: every fault of requests that the sandbox has. */
export const WRITE_FAULTS = (Object.keys(REQUEST_FAULTS) as RequestFault[]).map((kind) => ({
  kind,
  ...(hasParameter(kind) ? PARAMETERS[kind] : {}),
}));

function hasParameter(kind: RequestFault): kind is FaultWithParameter {
  return requestFault(kind).needs !== undefined;
}

/** The faults of a read: one for each way to get no data. Whether a read was executed makes no difference, so there are no others. */
export const READ_FAULTS = (['drop-before', 'truncate', 'html-before', 'rate-limit'] satisfies RequestFault[]).map(
  (kind) => ({ kind }),
);

/** Adds faults of the exchange itself to those of the network. */
export async function addSandboxFaults(exchange: Exchange): Promise<void> {
  const add = (fault: object, operation: string, probability: number) =>
    exchange.administer('/faults/add', { ...fault, operation, probability });
  for (const operation of ['order', 'cancelOrder', 'orderMoreV2', 'withdraw'])
    for (const fault of WRITE_FAULTS) await add(fault, operation, 0.02);
  for (const operation of ['getOrder', 'getOrders', 'getWithdrawRecord'])
    for (const fault of READ_FAULTS) await add(fault, operation, 0.01);
}
