import type { OrderRecord } from '../../protocol/operations/trading.js';
import type { Job } from './job.js';
import { lineKey, recordKey } from './lines.js';
import { match, type Sighting } from './match.js';

/** A line, and the order that an answer named for it. */
interface Misplaced extends Sighting {
  readonly line: number;
}

/**
 * Of these orders those that are listed as another line than the one they were named for. An answer names orders only by
 * their place in it, and nothing says that the exchange, or what is on the way, keeps to the order of the pairs. An order
 * that is like no line at all is not among them: the exchange has changed it.
 */
export function misplacedIn(job: Job, records: readonly OrderRecord[]): readonly Misplaced[] {
  const { side, lines } = job.terms;
  const named = new Map(job.fates.flatMap((fate, line) => (fate?.outcome === 'placed' ? [[fate.id, line]] : [])));
  const unlike = records.flatMap((record): Misplaced[] => {
    const { id, trade_date: time } = record;
    const line = named.get(id);
    const key = recordKey(record, side);
    const pair = line === undefined ? undefined : lines[line];
    if (line === undefined || key === undefined || pair === undefined || key === lineKey(pair)) return [];
    return [{ line, id, key, time }];
  });
  const keys = new Set(unlike.length === 0 ? [] : job.keys);
  return unlike.filter(({ key }) => keys.has(key));
}

/**
 * The same with the lines that they belong to, by price and amount; none where they do not go into one another: then the
 * list does not show all of them.
 */
export function putRight(misplaced: readonly Misplaced[], job: Job): readonly (readonly [line: number, id: string])[] {
  const lines = misplaced.map(({ line }) => line);
  const { found, left } = match(misplaced, [], lines, (line) => job.keys[line] ?? '');
  return left.length === 0 ? found : [];
}
