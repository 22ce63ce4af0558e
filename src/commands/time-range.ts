import type { Moment } from '../domain/moment.js';
import { usage } from '../errors.js';

/**
 * Throws Failure `usage` for a range that ends before it begins.
 * @param names the flags of its two ends
 * @param now by this machine's clock: only an age against a date depends on it
 */
export function requireRange(
  [from, to]: readonly [Moment | undefined, Moment | undefined],
  [fromName, toName]: readonly [string, string],
  now: number,
): void {
  if (from === undefined || to === undefined || from(now) <= to(now)) return;
  throw usage(`${fromName} is after ${toName}.`, `Give the earlier time as ${fromName}.`);
}
