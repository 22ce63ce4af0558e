import { setTimeout as delay } from 'node:timers/promises';
import { type Host, monotonicMs } from '../../src/platform/host.js';
import { observingRequests } from './sent-requests.js';

/** How much faster than real time the pauses pass. */
const SPEED = 50;

/**
 * A clock for the time limit of a command that only the command's own pauses move, and they are short. So the limit is reached
 * soon by a command that keeps asking, and never by one that a busy machine holds up. What a request may take is still real
 * time. Pauses of what runs side by side pass side by side.
 */
export function pausesOnly(): Pick<Host, 'monotonic' | 'sleep'> {
  let now = 0;
  return {
    monotonic: () => now,
    sleep: async (milliseconds, cut) => {
      const until = now + milliseconds;
      await delay(milliseconds / SPEED, undefined, { signal: cut }).catch(() => undefined);
      if (cut?.aborted !== true) now = Math.max(now, until);
    },
  };
}

/**
 * Runs a command whose time limit counts from its first request of an operation on, such as `order`: a busy machine may take
 * longer to get there, and the command would give up without having sent what the test is about.
 */
export function timedFrom<Result>(
  operation: string,
  run: (host: Pick<Host, 'monotonic'>) => Promise<Result>,
): Promise<Result> {
  let start: number | undefined;
  const observe = (path: string) => {
    if (path === `/api/${operation}`) start ??= monotonicMs();
  };
  return observingRequests(observe, () => run({ monotonic: () => (start === undefined ? 0 : monotonicMs() - start) }));
}
