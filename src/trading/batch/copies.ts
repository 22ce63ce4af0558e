import type { Extra } from '../duplicates/extra-orders.js';
import { lineTerms } from '../duplicates/jobs.js';
import type { JournalEvent } from '../journal/intent.js';
import type { Job } from './job.js';

/** An order that something on the way made of a request that was carried out again, and the line that it is of. */
export type Copy = readonly [line: number, id: string];

/** The copies that are known of a job's orders. */
export function copiesOf(job: Job): Extra[] {
  const copies = [...job.copies].map(([id, line]): Copy => [line, id]);
  return asExtras(job, copies, job.certain);
}

/** Copies as they are told, one for each line. */
export function asExtras(job: Job, copies: readonly Copy[], certain: boolean): Extra[] {
  const byLine = new Map<number, string[]>();
  for (const [line, id] of copies) byLine.set(line, [...(byLine.get(line) ?? []), id]);
  return [...byLine].map(([line, ids]) => {
    const fate = job.fates[line];
    const order = fate?.outcome === 'placed' ? fate.id : null;
    return { intent: job.id, terms: lineTerms(job, line), line, order, ids, certain };
  });
}

/**
 * Takes in such orders, and writes them down. The first of a line that was refused is the line's order.
 *
 * @param more the oldest first
 * @param certain whether nobody else seems to use the account
 * @param details as for {@link Job.tell}
 */
export function takeIn(job: Job, more: readonly Copy[], certain: boolean, details?: Pick<JournalEvent, 'left'>): void {
  const first = new Map(more.toReversed().filter(([line]) => job.fates[line]?.outcome === 'refused'));
  const copies = more.filter(([line, id]) => first.get(line) !== id);
  if (first.size > 0) {
    const ids = [...first.values()].join(', ');
    job.tell(`there after a refusal: ${ids}`, { kind: 'found', orders: [...first] }, details);
  }
  if (copies.length > 0) {
    const ids = copies.map(([, id]) => id).join(', ');
    job.tell(`there besides: ${ids}`, { kind: 'copied', orders: copies, certain }, details);
  }
}
