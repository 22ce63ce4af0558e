import { type Check, isOf, type Settled } from '../journal/intent.js';

/** For clocks that differ a little. */
export const SLACK_MS = 5_000;
/** From when a write is noted as settled until every other process reads that, at the most. */
export const LAG_MS = 5_000;

/**
 * From when on a copy of a write would not have been seen yet; undefined where none can come any more.
 * @param end the last moment at which one can come to be, by the exchange's clock
 */
export function startOf(settled: Settled, last: Check | undefined, end: number): number | undefined {
  // that look may have begun before it was there to be looked for
  const seen = last !== undefined && last.at > settledAt(settled) + LAG_MS ? last : settled.checked;
  if (seen === undefined) return settled.intent.reqTime - SLACK_MS;
  return seen.time > end ? undefined : seen.time - SLACK_MS;
}

export function settledAt({ intent, events }: Pick<Settled, 'intent' | 'events'>): number {
  return events.findLast(({ late }) => late !== true)?.time ?? intent.time;
}

/** The `reqTime` of its last request; of a job, which has many, a moment at which all of them had been answered. */
export function lastOf(settled: Settled, { time, at }: Check): number {
  const { intent } = settled;
  return isOf(intent, 'orderMoreV2') ? settledAt(settled) - at + time : intent.reqTime;
}

/** A time of the exchange's clock by this machine's. */
export function here(time: number, { time: exchange, at }: Check): number {
  return time - exchange + at;
}
