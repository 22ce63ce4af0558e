import type { Extra } from '../duplicates/extra-orders.js';
import { lineTerms } from '../duplicates/jobs.js';
import type { Job } from './job.js';

/** An order that is there besides, and the line whose order it is a copy of. */
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
    return { intent: job.id, terms: lineTerms(job, line), order, ids, certain };
  });
}
