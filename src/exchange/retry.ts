import type { Host } from '../platform/host.js';
import type { Budget } from './budget.js';
import { BadStatus } from './failures.js';
import { OBSERVED } from './observed-codes.js';
import { Mismatch, Refused } from './response.js';
import { TransportError } from './transport.js';

const MOST_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
/** A busy host may mean the K-line limit of one request a second, which other programs draw from too. */
const BUSY_PAUSE_MS = 1_000;

/** Repeats an action until it succeeds, fails for good, or the budget does not allow another pause. */
export async function withRetries<Value>(host: Host, budget: Budget, action: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const pauseMs = pause(error, attempt, host.random());
      if (attempt === MOST_ATTEMPTS || !isPassing(error) || !budget.allows(pauseMs)) throw error;
      await host.sleep(pauseMs);
    }
  }
}

/** Doubles with each attempt. Part of it is random, so that many clients do not come back together. */
function pause(error: unknown, attempt: number, chance: number): number {
  if (error instanceof Refused && isCrowded(error)) return BUSY_PAUSE_MS * (1 + chance / 2);
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
}

/** A limit per second, which other processes may draw from: "requests beyond 60 are treated as invalid". */
function isCrowded({ busy, code }: Refused): boolean {
  return busy || code === OBSERVED.tooFrequent;
}

/** Whether the same request may succeed in a moment. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return !['certificate', 'endless'].includes(error.fault);
  if (error instanceof BadStatus) return error.status >= 500;
  if (error instanceof Mismatch) return error.form !== 'json';
  // market data without a code: {"result": false} was observed when the host was busy, K-line's one a second included
  return error instanceof Refused && isCrowded(error);
}
