import { isAlive, startStamp } from '../../processes.js';
import type { JournalEvent, Runner } from './intent.js';

export function thisProcess(): Runner {
  const { pid } = process;
  return { pid, stamp: startStamp(pid) };
}

export function isRunning({ pid, stamp }: Runner): boolean {
  return isAlive(pid) && (stamp === null || startStamp(pid) === stamp);
}

/**
 * The process that is at a write, whether it runs or has died; null where it has given up. Of several that take it up at
 * once the first has it: each adds its line, and all read the same order.
 */
export function runnerOf(first: Runner, events: readonly JournalEvent[]): Runner | null {
  return events.reduce<Runner | null>((current, { left, runner }) => {
    if (left === true) return null;
    if (runner === undefined) return current;
    return current === null || !isRunning(current) ? runner : current;
  }, first);
}
