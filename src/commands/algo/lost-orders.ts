import { suggest } from '../../errors.js';
import { openAlgoIds } from '../../trading/algos/algo-folder.js';
import { parentOf } from '../../trading/algos/store.js';
import type { CancelAttempt } from '../../trading/cancel/cancel-orders.js';
import { clientIdOf, isKind } from '../../trading/journal/write.js';
import type { WriteContext } from '../writes/write.js';

/** Names the algo orders that have lost orders by these cancellations: they are not placed again. */
export function warnOfLostOrders(
  { output, host, trading }: Pick<WriteContext, 'output' | 'host' | 'trading'>,
  attempts: readonly CancelAttempt[],
): void {
  const open = new Set(openAlgoIds(host.directories.state));
  if (open.size === 0) return;
  const parents = attempts.flatMap(({ result: { outcome, id, clientId } }) => {
    if (outcome !== 'cancelled') return [];
    const names = clientId !== null ? [clientId] : id === null ? [] : clientIdsOf(trading, id);
    return names.flatMap((name) => parentOf(name) ?? []);
  });
  const ids = [...new Set(parents)].filter((id) => open.has(id));
  const [first] = ids;
  if (first === undefined) return;
  output.warn([
    ids.length === 1
      ? `Algo order ${first} has lost an order by this. It does not place it again, and goes on with the rest.`
      : `Algo orders ${ids.join(', ')} have lost orders by this. They do not place them again, and go on with the rest.`,
    ids.length === 1
      ? suggest('See what is left of it', 'algo', 'show', first)
      : suggest('See what is left', 'algo', 'list'),
  ]);
}

/** The client ids under which pit placed an order. */
function clientIdsOf({ journal }: WriteContext['trading'], id: string): string[] {
  return journal.archive.since(0, { id }).flatMap(({ write }) => (isKind(write, 'order') ? [clientIdOf(write)] : []));
}
