import type { Host } from '../../platform/host.js';

/**
 * Reads something, and when that began by the exchange's clock, at the earliest: milliseconds since the Unix epoch. It is
 * computed after the read, because only its answers show the exchange's time.
 */
export async function datedRead<Value>(
  { client, host }: { readonly client: { now(): number }; readonly host: Pick<Host, 'now' | 'monotonic'> },
  read: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly began: number }> {
  const start = host.monotonic();
  const startTime = host.now();
  const value = await read();
  // the monotonic clock may stand still while the machine sleeps, and the other one may be set
  const tookMs = Math.max(host.monotonic() - start, host.now() - startTime);
  return { value, began: client.now() - tookMs };
}
