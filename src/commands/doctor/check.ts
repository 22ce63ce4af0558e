import { type Advice, Failure, suggest } from '../../errors.js';
import type { Examination } from './examination.js';

export type Status = 'ok' | 'warn' | 'fail';

/** What one check found, and what mends it. */
export interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly detail: string;
  readonly fix: Advice | null;
}

export type Found = Omit<Finding, 'check'>;

/** A thing to look at. It may throw: what it throws is what it found. */
export interface Check {
  readonly name: string;
  /** Whether it tells what is wrong with the key or its profile: nearly all others need them, and do not repeat it. */
  readonly tellsOfKey?: boolean;
  look(examination: Examination): Promise<Found>;
}

export function ok(detail: string): Found {
  return { status: 'ok', detail, fix: null };
}

export function warn(detail: string, fix: Advice): Found {
  return { status: 'warn', detail, fix };
}

export function fail(detail: string, fix: Advice): Found {
  return { status: 'fail', detail, fix };
}

/** What could not be looked at, because of something that another line tells. */
export function skipped(why: string, fix: Advice): Found {
  return warn(`not looked at: ${why}`, fix);
}

/**
 * Looks at one thing. Whatever goes wrong, and however long it hangs, is a finding of its own: it stops no other.
 * @param late resolves when nobody waits any longer
 */
export async function examine(check: Check, examination: Examination, late: Promise<unknown>): Promise<Finding> {
  const { name } = check;
  const hung = late.then(() =>
    fail('there was no answer in time', suggest('Give it longer', 'doctor', '--timeout', '60')),
  );
  try {
    return { check: name, ...(await Promise.race([check.look(examination), hung])) };
  } catch (thrown) {
    if (thrown instanceof Failure) return { check: name, ...findingOf(thrown, check) };
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    return { check: name, ...fail(words, 'Run it again with --verbose and report what it prints.') };
  }
}

function findingOf({ kind, message, hints }: Failure, { tellsOfKey = false }: Check): Found {
  if (kind === 'credentials' && !tellsOfKey)
    return skipped('the key or its profile is not in order', 'Mend the key first.');
  return fail(message, hints);
}
