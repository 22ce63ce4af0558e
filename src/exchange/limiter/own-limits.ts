import type { Limits } from './limiter.js';
import { LIMITS, LIMITS_OF } from './limits.js';
import { PermitsInMemory } from './permits-in-memory.js';

/** The limits of a client that shares them with nobody. The clock is in milliseconds and need not be the world's. */
export function ownLimits(now: () => number): Limits {
  const permits = {
    key: new PermitsInMemory(LIMITS.key, now),
    address: new PermitsInMemory(LIMITS.address, now),
    kline: new PermitsInMemory(LIMITS.kline, now),
  };
  return { permitsOf: (bucket) => LIMITS_OF[bucket].map((name) => permits[name]) };
}
