import { Decimal } from '../../domain/decimal.js';
import type { BatchEvent } from '../batches/batch-event.js';
import { archivedJob, type Job } from '../batches/job.js';
import { notionalOfLines } from '../batches/lines.js';
import { timelineOf } from '../batches/timeline.js';
import { ignoringDiskErrors } from '../journal/files.js';
import type { Journal } from '../journal/journal.js';
import type { BatchLine, Settled, Settlement } from '../journal/write.js';
import type { DuplicateOrders } from './duplicates.js';

/** The outcome of a job as one write: placed if all its orders are, partial if any is. */
export function outcomeOf(job: Job): Settlement['outcome'] | 'unknown' {
  const { placed, notSent, unknown } = job.counts();
  if (unknown > 0) return 'unknown';
  if (placed > 0) return placed === job.terms.count ? 'placed' : 'partial';
  return notSent > 0 ? 'notSent' : 'refused';
}

/**
 * Moves a job without unknown outcomes to the archive. Its file is kept, so that the job can still be resumed.
 * @param checkedTo when the list was read that its orders were compared with, by the exchange's clock
 */
export function settleJob(job: Job, checkedTo?: number): void {
  const outcome = outcomeOf(job);
  if (outcome === 'unknown') throw new Error('a job with an unknown outcome cannot be closed');
  const duplicates = [...job.duplicates.keys()];
  job.entry.release(countsText(job), {
    settled: { outcome, id: null, duplicates, ...(checkedTo === undefined ? {} : { checkedTo }) },
  });
  job.entry.archiveSummary(summaryOf(job, outcome));
}

/** An order from a request that the network repeated, and its line. */
export type Duplicate = readonly [line: number, id: string];

/**
 * The part of such orders that belongs to the job, oldest first; the first of a line that was refused is the line's order.
 */
export function duplicateEvents(job: Job, more: readonly Duplicate[]): (readonly [event: string, BatchEvent])[] {
  const isVacant = (line: number) => job.lines[line]?.state !== 'placed';
  const first = new Map(more.toReversed().filter(([line]) => isVacant(line)));
  const others = more.filter(([line, id]) => first.get(line) !== id);
  const found = { kind: 'found', orders: [...first] } as const;
  const duplicated = { kind: 'duplicated', orders: others } as const;
  return [
    ...(first.size === 0 ? [] : [[`there after a refusal: ${[...first.values()].join(', ')}`, found] as const]),
    ...(others.length === 0 ? [] : [[`duplicates: ${others.map(([, id]) => id).join(', ')}`, duplicated] as const]),
  ];
}

/**
 * Adds orders that the requests of a settled job made later, to its file first: that is what names them from then on, and
 * the summary in the archive follows ({@link bringSummaryUpToDate}).
 */
export function addLateOrders(journal: Journal, { id }: Job, reports: readonly DuplicateOrders[]): void {
  const job = archivedJob(journal, id);
  if (job === undefined) return;
  const more = reports.flatMap(({ line, ids }) => (line === undefined ? [] : ids.map((one): Duplicate => [line, one])));
  ignoringDiskErrors(() => {
    // another process may have found and recorded them too
    const recordedOrders = new Set(job.orderIds);
    const events = duplicateEvents(
      job,
      more.filter(([, one]) => !recordedOrders.has(one)),
    );
    for (const [event, batchEvent] of events) if (!job.recordLate(event, batchEvent)) return;
    bringSummaryUpToDate(journal, id);
  });
}

/** Archives the summary of a settled job again if its file names orders that the summary lacks. */
export function bringSummaryUpToDate(journal: Journal, id: string): void {
  const kept = journal.archive.find(id);
  const job = archivedJob(journal, id);
  if (kept === undefined || job === undefined) return;
  const outcome = outcomeOf(job);
  if (outcome === 'unknown') return;
  const summary = summaryOf(job, outcome);
  // also those that only the archive has
  const jobOrders = new Set(job.orderIds);
  const duplicates = [...kept.duplicates.filter((one) => !jobOrders.has(one)), ...summary.duplicates];
  // a record that lacks some of the orders must not lower what the job counts for the limit of its day
  const { notional: counted = summary.notional } = kept;
  const isMore = Decimal.of(summary.notional).compare(Decimal.of(counted)) > 0;
  const isSame = outcome === kept.outcome && duplicates.length === kept.duplicates.length && !isMore;
  const notional = isMore ? summary.notional : counted;
  if (!isSame) ignoringDiskErrors(() => journal.archive.add({ ...summary, duplicates, notional }));
}

/** A job as one settled write. */
function summaryOf(job: Job, outcome: Settlement['outcome']): Settled & { readonly notional: string } {
  const { entry, terms } = job;
  return {
    write: { ...entry.write, terms: { ...terms, lines: [], baseline: [] } },
    outcome,
    id: null,
    duplicates: [...job.duplicates.keys()],
    notional: notionalOfLines(placedLines(job), terms.side, job.bestBid).trimmed().toString(),
    events: timelineOf(entry.events),
  };
}

/**
 * Releases a job: closes it if nothing is left to do or nothing was ever placed, and otherwise leaves it open.
 * @param checkedTo as for {@link settleJob}
 */
export function endJob(job: Job, why: string, checkedTo?: number): void {
  const unsent = job.unsent().length;
  const isOver = unsent === 0 || unsent === job.lines.length;
  if (job.openRequests.length === 0 && isOver) settleJob(job, checkedTo);
  else job.entry.release(`stopped (${why}): ${countsText(job)}`);
}

/** The lines of these orders, each as often as it occurs. */
function placedLines({ terms, lines, duplicates }: Job): readonly BatchLine[] {
  const placed = lines.flatMap(({ state }, line) => (state === 'placed' ? line : []));
  return [...placed, ...duplicates.values()].flatMap((line) => terms.lines.slice(line, line + 1));
}

function countsText(job: Job): string {
  const { placed, refused, unknown, notSent } = job.counts();
  const parts = [`${placed} of ${job.terms.count} placed`];
  if (refused > 0) parts.push(`${refused} refused`);
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (notSent > 0) parts.push(`${notSent} not sent`);
  return parts.join(', ');
}
