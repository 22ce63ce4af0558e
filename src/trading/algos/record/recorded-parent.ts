import type { Order } from '../../../domain/order.js';
import type { Archive } from '../../journal/archive.js';
import { clientIdOf, isKind } from '../../journal/write.js';
import { parentOf } from './child-name.js';

/** What the journal knows of who placed an order. */
interface RecordedParent {
  /** The algo order that placed it; null if none did. */
  readonly algo: string | null;
  /** Whether the network made it: it is a duplicate of an order that was placed. */
  readonly isDuplicate: boolean;
}

/**
 * The algo order that placed an order, by the journal; undefined if the journal does not know the order, or only as one of a batch.
 * A duplicate of a child has the same algo order, whose amount it counts in. It is none of the orders that the algo order wanted.
 */
export function recordedParent(
  { archive }: { readonly archive: Pick<Archive, 'findByOrder'> },
  { id, market }: Pick<Order, 'id' | 'market'>,
): RecordedParent | undefined {
  const settled = archive.findByOrder(id);
  if (settled === undefined) return undefined;
  const { write } = settled;
  if (!isKind(write, 'order') || write.terms.market !== market) return undefined;
  return { algo: parentOf(clientIdOf(write)) ?? null, isDuplicate: settled.id !== id };
}
