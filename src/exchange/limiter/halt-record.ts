import { localTimeText, suggest } from '../../errors.js';
import type { NotSentReason } from '../requests/refusals.js';

/** Why an account is halted. Times are in milliseconds since the Unix epoch. */
export interface Halt {
  /** Null if the latch cannot be read. */
  readonly since: number | null;
  /** When it ends by itself; null if it lasts until it is lifted. */
  readonly until: number | null;
  readonly reason: string | null;
  /** Why the latch cannot be read, which counts as set; null if it was read. */
  readonly problem: string | null;
}

/** What is to be set. */
export type NewHalt = Omit<Halt, 'problem'>;

/** A halt as it is kept, in a file or in Redis. */
export interface HaltRecord {
  /** Tells halts apart: clocks of machines differ, and may be set. */
  readonly id: string;
  readonly since: number;
  readonly until: number | null;
  readonly reason: string | null;
  /** How long it lasts from the moment at which it was set, in milliseconds; null if it lasts until it is lifted. */
  readonly lastsMs: number | null;
}

/** Throws for anything but a record. */
export function haltRecord(value: unknown): HaltRecord {
  const { id, since, until, reason, lastsMs } = value as Readonly<Record<string, unknown>>;
  const isTime = (time: unknown) => Number.isSafeInteger(time);
  const isValid =
    typeof id === 'string' &&
    isTime(since) &&
    (reason === null || typeof reason === 'string') &&
    (until === null ? lastsMs === null : isTime(until) && isTime(lastsMs));
  if (!isValid) throw new Error('not a halt');
  return { id, since, until, reason, lastsMs } as HaltRecord;
}

/**
 * The halt of a record; undefined once it has ended. It ends only when the clock has reached its end and it has also lasted as
 * long as it was to last: a clock that was wrong, then or now, ends no halt early.
 * @param now milliseconds since the Unix epoch
 * @param elapsedMs the time since it was set, by a clock that is never set
 */
export function lastingHalt(
  { since, until, reason, lastsMs }: HaltRecord,
  now: number,
  elapsedMs: number,
): Halt | undefined {
  if (until === null || lastsMs === null) return { since, until, reason, problem: null };
  const leftMs = Math.max(until - now, lastsMs - elapsedMs);
  return leftMs <= 0 ? undefined : { since, until: now + leftMs, reason, problem: null };
}

/** A latch that cannot be read counts as set. */
export function unreadable(problem: string): Halt {
  return { since: null, until: null, reason: null, problem };
}

/** `halted since 2026-11-21 13:00:00 (UTC+01:00) until …: flash crash`, as a part of a sentence. */
export function haltText({ since, until, reason, problem }: Halt): string {
  if (since === null) return `halted, because its latch cannot be read: ${problem}`;
  const end = until === null ? '' : ` until ${localTimeText(until)}`;
  return `halted since ${localTimeText(since)}${end}${reason === null ? '' : ` (${reason})`}`;
}

/** What to do about a halt. */
export const LIFT_HALT = suggest('When it is safe to trade again', 'halt', '--lift');

/** A write that the latch stopped. */
export function stoppedBy(halt: Halt): { readonly kind: 'notSent' } & NotSentReason {
  const reason = `halted blocks it: the account is ${haltText(halt)}`;
  return { kind: 'notSent', reason, failure: 'usage', hint: LIFT_HALT, halted: true };
}
