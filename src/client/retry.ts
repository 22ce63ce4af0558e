import type { Host } from '../host.js';
import { Mismatch, Refused } from '../protocol/response.js';
import type { Budget } from './budget.js';
import { BadStatus } from './failures.js';
import { TransportError } from './transport.js';

const MOST_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;

/** Runs an action that may be repeated until it succeeds, fails for good, or the budget does not allow another pause. */
export async function attempts<Value>(host: Host, budget: Budget, action: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const pauseMs = pause(attempt, host.random());
      if (attempt === MOST_ATTEMPTS || !isPassing(error) || !budget.allows(pauseMs)) throw error;
      await host.sleep(pauseMs);
    }
  }
}

/** Doubles with each attempt; half of it is chance, so that many clients do not come back together. */
function pause(attempt: number, chance: number): number {
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
}

/** Whether the same request may fare better in a moment. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return error.fault !== 'certificate';
  if (error instanceof BadStatus) return error.status >= 500;
  if (error instanceof Mismatch) return error.form !== 'json';
  // market data without a code: {"result": false} was observed when the host was busy, K-line's one a second included
  return error instanceof Refused && error.busy;
}
