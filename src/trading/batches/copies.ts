import type { Extra } from '../duplicates/extra-orders.js';
import { lineTerms } from '../duplicates/jobs.js';
import type { BatchFact } from './facts.js';
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

/** What a job takes in of such orders, the oldest first; the first of a line that was refused is the line's order. */
export function factsOf(job: Job, more: readonly Copy[], certain: boolean): (readonly [event: string, BatchFact])[] {
  const first = new Map(more.toReversed().filter(([line]) => job.fates[line]?.outcome === 'refused'));
  const copies = more.filter(([line, id]) => first.get(line) !== id);
  const found = { kind: 'found', orders: [...first] } as const;
  const copied = { kind: 'copied', orders: copies, certain } as const;
  return [
    ...(first.size === 0 ? [] : [[`there after a refusal: ${[...first.values()].join(', ')}`, found] as const]),
    ...(copies.length === 0 ? [] : [[`there besides: ${copies.map(([, id]) => id).join(', ')}`, copied] as const]),
  ];
}
