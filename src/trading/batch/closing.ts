import type { Extra } from '../duplicates/extra-orders.js';
import { lineTerms } from '../duplicates/jobs.js';
import type { Settlement } from '../journal/intent.js';
import type { Job } from './job.js';
import { timelineOf } from './timeline.js';

/** What a job came to as one write: placed where all its orders are. */
export function outcomeOf(job: Job): Settlement['outcome'] | 'unknown' {
  const { placed, notSent, unknown } = job.counts();
  if (unknown > 0) return 'unknown';
  if (placed === job.terms.count) return 'placed';
  return notSent > 0 ? 'notSent' : 'refused';
}

/** Moves a job of which nothing is in doubt to the archive; its file is kept, so that it may still be gone on with. */
export function closeJob(job: Job): void {
  const outcome = outcomeOf(job);
  if (outcome === 'unknown') throw new Error('a job in doubt cannot be closed');
  const { entry, terms } = job;
  entry.leave(wordsOf(job));
  const intent = { ...entry.intent, terms: { ...terms, lines: [], baseline: [] } };
  entry.settleKeeping({
    intent,
    outcome,
    id: null,
    duplicates: [...job.copies.keys()],
    events: timelineOf(entry.events),
  });
}

/** Leaves a job with nobody at it: closed where nothing is left to do, or nothing ever came of it; otherwise open. */
export function endJob(job: Job, why: string): void {
  const { placed, refused, unknown } = job.counts();
  const isUntouched = placed + refused + unknown === 0;
  if (job.doubts.size === 0 && (isUntouched || job.unsent().length === 0)) closeJob(job);
  else job.entry.leave(`stopped (${why}): ${wordsOf(job)}`);
}

/** The copies that the network made of the job's orders. */
export function copiesOf(job: Job): Extra[] {
  const byLine = new Map<number, string[]>();
  for (const [copy, line] of job.copies) byLine.set(line, [...(byLine.get(line) ?? []), copy]);
  return [...byLine].map(([line, ids]) => {
    const fate = job.fates[line];
    const order = fate?.outcome === 'placed' ? fate.id : null;
    return { intent: job.id, terms: lineTerms(job, line), order, ids, certain: job.certain };
  });
}

function wordsOf(job: Job): string {
  const { placed, refused, unknown, notSent } = job.counts();
  const parts = [`${placed} of ${job.terms.count} placed`];
  if (refused > 0) parts.push(`${refused} refused`);
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (notSent > 0) parts.push(`${notSent} not sent`);
  return parts.join(', ');
}
