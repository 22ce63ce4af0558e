import { counted } from '../../domain/decimal.js';
import type { Context } from '../session/command.js';

/**
 * Waits for the requests that were on their way; returns how many are not answered, or why that is unknown. What the latch, or the facts
 * of an algo order, forbade before does not leave after it.
 */
export async function requestsUnderWay({ session, sandbox, budget }: Context): Promise<number | string> {
  // the permits of the sandbox have its key in their names
  if ((await session.connection()).sandbox) await sandbox.findRunning();
  return session.waitForRequests(budget);
}

/** Says that some are not answered. @param underWay how many, or why that is unknown */
export function underWayText(underWay: number | string): string {
  const requests = typeof underWay === 'number' ? counted(underWay, 'request') : 'Requests';
  const why =
    typeof underWay === 'number' ? '' : `: Redis, which shows those of other machines, cannot be used (${underWay})`;
  return `${requests} that pit sent before may still be on the way${why}.`;
}
