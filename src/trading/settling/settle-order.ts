import type { JournalEntry } from '../journal/entry.js';
import { EXPIRED, type FoundOrder } from './find-order.js';

/** The event that settles a write that was refused. */
export const REFUSED_AND_ABSENT = 'refused; not found on the exchange';

/** Records what became of an order. If that is unknown, the entry is released, and another command may find it. */
export function settleOrder(entry: JournalEntry<'order'>, found: FoundOrder): void {
  const { outcome } = found;
  if (outcome === 'unknown') entry.release();
  else if (outcome === 'placed') {
    const { id } = found.order;
    entry.settle({ outcome, id, duplicates: [] }, `placed: ${id}`);
  } else
    entry.settle(
      { outcome, id: null, duplicates: [] },
      outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${EXPIRED}`,
    );
}
