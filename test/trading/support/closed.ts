import type { Journal } from '../../../src/trading/journal/journal.js';
import type { ShowingList } from '../../../src/trading/journal/write.js';

/** Closes all settled writes of a list. @param as whether they are watched for a day more */
export function closeAll(journal: Journal, list: ShowingList, as: 'over' | 'watched' = 'over'): void {
  const ids = journal.settledEntries(list).map(({ write }) => write.id);
  journal.close(list, new Map(ids.map((id) => [id, as])));
}
