import type { Exchange } from './exchange.js';

/** Shorter than the slack that pit adds to the tolerance: a request that the exchange itself holds does not become too old. */
const LATE_MS = 600;

const OF_WRITES = [
  ...['drop-before', 'drop-after', 'truncate', 'error-before', 'error-after', 'html-before', 'html-after', 'twice'],
  ...['redirect', 'rate-limit'],
].map((kind) => ({ kind, probability: 0.02 }));

const OF_READS = ['drop-before', 'truncate', 'html-before', 'rate-limit'].map((kind) => ({ kind, probability: 0.01 }));

/** Adds faults of the exchange itself to those of the network. */
export async function addSandboxFaults(exchange: Exchange): Promise<void> {
  for (const operation of ['order', 'cancelOrder', 'orderMoreV2', 'withdraw']) {
    for (const fault of OF_WRITES) await exchange.administer('/faults/add', { ...fault, operation });
    const slow = [
      { kind: 'late', delay: LATE_MS },
      { kind: 'delay', delay: 1_500 },
      { kind: 'skew', skew: 90_000 },
    ];
    for (const fault of slow) await exchange.administer('/faults/add', { ...fault, operation, probability: 0.02 });
  }
  for (const operation of ['getOrder', 'getOrders', 'getWithdrawRecord']) {
    for (const fault of OF_READS) await exchange.administer('/faults/add', { ...fault, operation });
  }
}
