import type { Host } from '../../platform/host.js';

/** What tells when a reading began. */
interface Clocks {
  readonly client: { now(): number };
  readonly host: Pick<Host, 'now' | 'monotonic'>;
}

/**
 * Reads something, and when that began by the exchange's clock, at the earliest: milliseconds since the Unix epoch.
 */
export async function datedRead<Value>(
  clocks: Clocks,
  read: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly began: number }> {
  const began = readingClock(clocks);
  const value = await read();
  return { value, began: began() };
}

/**
 * A reading begins now. Returns a function for when that was, by the exchange's clock, at the earliest: milliseconds since the Unix
 * epoch. It is called after an answer, because only answers show the exchange's time.
 */
export function readingClock({ client, host }: Clocks): () => number {
  const start = host.monotonic();
  const startTime = host.now();
  // the monotonic clock may stand still while the machine sleeps, and the other one may be set
  return () => client.now() - Math.max(host.monotonic() - start, host.now() - startTime);
}
