import { type Host, monotonicMs } from '../../src/platform/host.js';
import { observingRequests } from './sent-requests.js';

/**
 * A clock for the time limit of a command that only the command's own pauses move, and they take no time. So the limit is
 * reached at once by a command that keeps asking, and never by one that a busy machine holds up. What a request may take is
 * still real time.
 */
export function pausesOnly(): Pick<Host, 'monotonic' | 'sleep'> {
  let now = 0;
  return {
    monotonic: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
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
