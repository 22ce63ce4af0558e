import type { BatchLine, Check, Settled, Settlement } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import { type Copy, factsOf } from './copies.js';
import type { Job } from './job.js';
import { worthOfLines } from './lines.js';
import { timelineOf } from './timeline.js';

/** What a job came to as one write: placed where all its orders are, partial where any is. */
export function outcomeOf(job: Job): Settlement['outcome'] | 'unknown' {
  const { placed, notSent, unknown } = job.counts();
  if (unknown > 0) return 'unknown';
  if (placed > 0) return placed === job.terms.count ? 'placed' : 'partial';
  return notSent > 0 ? 'notSent' : 'refused';
}

/** Moves a job of which nothing is in doubt to the archive; its file is kept, so that it may still be gone on with. */
export function closeJob(job: Job, checked?: Check): void {
  const outcome = outcomeOf(job);
  if (outcome === 'unknown') throw new Error('a job in doubt cannot be closed');
  job.entry.leave(wordsOf(job));
  job.entry.settleKeeping(summaryOf(job, outcome, checked));
}

/**
 * Takes in orders that the requests of a settled job made later. First they are accounted for, so that they are told once
 * whatever comes between.
 *
 * @param kept what the archive says of the job
 * @param more the oldest first
 * @param certain whether nobody else seems to use the account
 * @throws the system's error where the disk does not take it
 */
export function reclose(
  { archive }: Pick<Journal, 'archive'>,
  job: Job,
  kept: Settled,
  more: readonly Copy[],
  certain: boolean,
): void {
  const accounted = { ...kept, duplicates: [...new Set([...kept.duplicates, ...more.map(([, id]) => id)])] };
  archive.add(accounted, kept);
  // another process may have found them too, and have taken them in
  const known = new Set(job.orders);
  const facts = factsOf(
    job,
    more.filter(([, id]) => !known.has(id)),
    certain,
  );
  for (const [event, fact] of facts) if (!job.tellLate(event, fact)) return;
  const outcome = outcomeOf(job);
  // one that was gone on with meanwhile, and settled again, says more
  const isNewest = archive.find(job.id)?.events.length === kept.events.length;
  if (outcome === 'unknown' || !isNewest) return;
  const summary = summaryOf(job, outcome, kept.checked);
  // those too that only the archive tells of
  const own = new Set(job.orders);
  const duplicates = [...accounted.duplicates.filter((id) => !own.has(id)), ...summary.duplicates];
  archive.add({ ...summary, duplicates }, accounted);
}

/** A job as one settled write. */
function summaryOf(job: Job, outcome: Settlement['outcome'], checked: Check | undefined): Settled {
  const { entry, terms } = job;
  return {
    intent: { ...entry.intent, terms: { ...terms, lines: [], baseline: [] } },
    outcome,
    id: null,
    duplicates: [...job.copies.keys()],
    notional: worthOfLines(placedLines(job), terms.side, job.bid).trimmed().toString(),
    events: timelineOf(entry.events),
    ...(checked === undefined ? {} : { checked }),
  };
}

/**
 * Leaves a job with nobody at it: closed where nothing is left to do, or nothing ever came of it; otherwise open.
 * @param checked when it was looked whether something on the way repeated a request, where that was found out
 */
export function endJob(job: Job, why: string, checked?: Check): void {
  const { placed, refused, unknown } = job.counts();
  const isUntouched = placed + refused + unknown === 0;
  if (job.doubts.size === 0 && (isUntouched || job.unsent().length === 0)) closeJob(job, checked);
  else job.entry.leave(`stopped (${why}): ${wordsOf(job)}`);
}

/** The lines that are there, as often as they are. */
function placedLines({ terms: { lines }, fates, copies }: Job): readonly BatchLine[] {
  const placed = lines.filter((_, line) => fates[line]?.outcome === 'placed');
  return [...placed, ...[...copies.values()].flatMap((line) => lines.slice(line, line + 1))];
}

function wordsOf(job: Job): string {
  const { placed, refused, unknown, notSent } = job.counts();
  const parts = [`${placed} of ${job.terms.count} placed`];
  if (refused > 0) parts.push(`${refused} refused`);
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (notSent > 0) parts.push(`${notSent} not sent`);
  return parts.join(', ');
}
