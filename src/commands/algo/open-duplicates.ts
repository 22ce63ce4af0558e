import { suggest } from '../../errors.js';
import { type AlgoView, openDuplicates } from '../../trading/algos/service/algo-views.js';
import type { Context } from '../session/command.js';

/** Names the open duplicates that pit does not cancel, with the command that cancels them. */
export function warnOfOpenDuplicates({ output }: Context, views: readonly AlgoView[]): void {
  for (const view of views) {
    const ids = openDuplicates(view);
    if (ids.length === 0) continue;
    const { id, facts, terms } = view;
    const isStopHeld = facts.exitTriggered !== null && facts.ended === null;
    output.warn([
      `${isStopHeld ? 'NOT PROTECTED: ' : ''}${duplicateText(id, ids)}`,
      suggest('Cancel it', 'cancel', terms.market.market, ...ids),
    ]);
  }
}

export function duplicateText(id: string, ids: readonly string[]): string {
  return ids.length === 1
    ? `Order ${ids[0]} is open and may be a duplicate of an order of ${id}.`
    : `Orders ${ids.join(', ')} are open and may be duplicates of orders of ${id}.`;
}
