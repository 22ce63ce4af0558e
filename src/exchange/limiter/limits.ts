import type { Bucket } from '../operations/operation.js';
import type { Breaker } from './breaker.js';
import { MemoryStore } from './memory-store.js';
import { HOLD_MS, Permits, type PermitTerms } from './permits.js';

/**
 * "60 requests per second" for a key, of which a few are kept for cancellations. "10000 requests per minute" for an
 * address and a lock of an hour beyond: 150 a second is 9,000 a minute. "One request per second" of K-line.
 */
export const LIMITS = {
  key: { count: 60, reserved: 3 },
  address: { count: 150, reserved: 3 },
  kline: { count: 1, reserved: 0 },
} as const satisfies Record<string, PermitTerms>;

export type LimitName = keyof typeof LIMITS;

/** The limits that a call of a bucket draws from. */
export const LIMITS_OF: Readonly<Record<Bucket, readonly LimitName[]>> = {
  unstated: [],
  kline: ['kline'],
  ip: ['address'],
  key: ['key', 'address'],
};

/** The limits for the requests to one host, whichever client sends them. */
export interface Limits {
  /** A request of a bucket takes a permit of each. */
  readonly permitsOf: (bucket: Bucket) => readonly Pick<Permits, 'claim'>[];
  /** Remembers that the trade host has locked this machine's address. Absent: nothing does. */
  readonly breaker?: Breaker;
}

/** The limits of a client that shares them with no other. The clock is in milliseconds and need not be the world's. */
export function ownLimits(now: () => number): Limits {
  const inMemory = (terms: PermitTerms) => new Permits([new MemoryStore(terms, now)]);
  const permits = { key: inMemory(LIMITS.key), address: inMemory(LIMITS.address), kline: inMemory(LIMITS.kline) };
  return { permitsOf: (bucket) => LIMITS_OF[bucket].map((name) => permits[name]) };
}

/** The part of a limit that one process may take while it cannot be shared: at least one, so that nothing stops. */
export function partOf({ count, reserved }: PermitTerms, share: number): PermitTerms {
  const part = Math.max(1, Math.floor(count * share));
  return { count: part, reserved: Math.min(reserved, Math.max(0, part - 1), 1) };
}

/** How long this many requests of a key take to leave if no one else uses its limit, in milliseconds. */
export function timeFor(requests: number): number {
  const { count, reserved } = LIMITS.key;
  return Math.ceil((requests * HOLD_MS) / (count - reserved));
}
