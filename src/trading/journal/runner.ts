import { isAlive, startStamp, thisPlace } from '../../platform/processes.js';
import type { Intent, JournalEvent, Runner } from './intent.js';

/**
 * A process on another machine counts as dead after this long without a new line. A live one adds a line per request and
 * answer, at most 25 s apart.
 */
export const SILENT_MS = 300_000;

export function thisProcess(): Runner {
  const { pid } = process;
  return { pid, stamp: startStamp(pid), place: thisPlace() };
}

/** Whether it would be seen from here. */
export function isHere({ place }: Runner): boolean {
  if (place === undefined) return true;
  const here = thisPlace();
  return place.host === here.host && place.pids === here.pids;
}

export function isSame(one: Runner, other: Runner): boolean {
  const isOfOnePlace = one.place?.host === other.place?.host && one.place?.pids === other.place?.pids;
  return one.pid === other.pid && one.stamp === other.stamp && isOfOnePlace;
}

/** @param silentMs the time since the last line of its record */
export function isRunning(runner: Runner, silentMs: number): boolean {
  const { pid, stamp } = runner;
  if (!isHere(runner)) return silentMs < SILENT_MS;
  return isAlive(pid) && (stamp === null || startStamp(pid) === stamp);
}

/** A process in words for a timeline. */
export function wordsOf(runner: Runner): string {
  const { pid, place } = runner;
  return place === undefined || isHere(runner) ? `process ${pid}` : `process ${pid} on ${place.host}`;
}

/**
 * The owner of a write, alive or dead; null once released. If several take over at once, the first line counts: all read the
 * same order.
 */
export function runnerOf({ process: first, time }: Intent, events: readonly JournalEvent[]): Runner | null {
  let current: Runner | null = first;
  let last = time;
  for (const { left, runner, time: now } of events) {
    if (left === true) current = null;
    else if (runner !== undefined && (current === null || !isRunning(current, now - last))) current = runner;
    last = now;
  }
  return current;
}
