import { suggest } from '../../errors.js';
import { openAlgoIds } from '../../trading/algos/record/algo-folder.js';
import { parentOf } from '../../trading/algos/record/child-name.js';
import { recordedParent } from '../../trading/algos/record/recorded-parent.js';
import type { CancelAttempt } from '../../trading/cancel/cancel-orders.js';
import type { WriteContext } from '../writes/write.js';

/** The algo orders that have not ended. It is asked before orders are cancelled: an algo order may end by that at once. */
export function algosAtWork({ host }: Pick<WriteContext, 'host'>): ReadonlySet<string> {
  return new Set(openAlgoIds(host.directories.state));
}

/**
 * Names the algo orders that have lost orders by these cancellations: they are not placed again.
 * @param before the algo orders that were at work before
 */
export function warnOfLostOrders(
  { output, trading }: Pick<WriteContext, 'output' | 'trading'>,
  attempts: readonly CancelAttempt[],
  before: ReadonlySet<string>,
): void {
  const cancelled = attempts.filter(({ result }) => result.outcome === 'cancelled');
  const ids = parentsAmong(trading, cancelled, before);
  const [first] = ids;
  if (first === undefined) return;
  output.warn([
    ids.length === 1
      ? `An order of algo order ${first} was cancelled. It is not placed again; the algo order ends if it has no other order left to place.`
      : `Orders of algo orders ${ids.join(', ')} were cancelled. They are not placed again; an algo order ends if it has no other order left to place.`,
    ids.length === 1
      ? suggest('See what is left of it', 'algo', 'show', first)
      : suggest('See what is left', 'algo', 'list', '--all'),
  ]);
}

/** The algo orders at work that have placed orders which these attempts did not cancel: they may go on with other ones. */
export function algosOfUncancelled(
  context: Pick<WriteContext, 'host' | 'trading'>,
  attempts: readonly CancelAttempt[],
): string[] {
  const uncancelled = attempts.filter(({ failure }) => failure !== null);
  return parentsAmong(context.trading, uncancelled, algosAtWork(context));
}

/** Those algo orders that have placed the orders of these attempts. A duplicate that the network made is none of their orders. */
function parentsAmong(
  { journal }: WriteContext['trading'],
  attempts: readonly CancelAttempt[],
  algos: ReadonlySet<string>,
): string[] {
  if (algos.size === 0) return [];
  const parents = attempts.flatMap(({ result: { id, clientId, market } }) => {
    if (clientId !== null) return parentOf(clientId) ?? [];
    const recorded = id === null ? undefined : recordedParent(journal, { id, market });
    return recorded === undefined || recorded.isDuplicate ? [] : (recorded.algo ?? []);
  });
  return [...new Set(parents)].filter((id) => algos.has(id));
}
