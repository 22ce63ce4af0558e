import { Failure, suggest } from '../../errors.js';
import { ageText } from '../../terminal/time.js';
import { isOwnerAlive } from '../../trading/journal/write.js';
import type { PreparedStore } from '../../trading/prepared/prepared-store.js';
import { isSameWrite, type PreparedTerms } from '../../trading/prepared/prepared-write.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { madeAlgo } from './algo-changes.js';

/**
 * Throws Failure `usage` if an equal write was committed and its outcome was not reported: the agent may not know that it was sent.
 * @param own the id of this write, if it is being committed
 */
export function refuseUnreported(
  trading: Pick<TradingContext, 'host' | 'journal'>,
  store: PreparedStore,
  write: PreparedTerms,
  own?: string,
): void {
  const { journal } = trading;
  const same = store
    .committed()
    .find(
      ({ prepared, takenBy, reported }) =>
        reported === null &&
        prepared.id !== own &&
        prepared.account === journal.folder &&
        isSameWrite(write, prepared.write) &&
        (isRecorded(trading, prepared.id) || (takenBy !== null && isOwnerAlive(takenBy))),
    );
  if (same === undefined) return;
  const { id } = same.prepared;
  throw new Failure(
    'usage',
    `The same was committed as ${id}, and its outcome was not reported. Nothing was sent this time.`,
    {
      clientId: id,
      hint: write.kind === 'algo' ? suggest('See it', 'algo', 'show', id) : suggest('Find its outcome', 'resolve', id),
    },
  );
}

/** The warning that the same was placed in the last day, which the agent may have forgotten; undefined if it was not. */
export function placedBefore(
  { journal, host }: Pick<TradingContext, 'journal' | 'host'>,
  store: PreparedStore,
  write: PreparedTerms,
): string | undefined {
  const placed = store.committed().flatMap(({ prepared }) => {
    const isSame = prepared.account === journal.folder && isSameWrite(write, prepared.write);
    const settled = isSame ? journal.archive.find(prepared.id) : undefined;
    return settled?.outcome === 'placed' ? [{ prepared, settled }] : [];
  });
  const last = placed.at(-1);
  if (last === undefined) return undefined;
  const { prepared, settled } = last;
  const order = settled.id === null ? '' : ` as order ${settled.id}`;
  return `The same was placed ${ageText(host.now() - prepared.made)} ago${order} (${prepared.id}).`;
}

/** Whether a write has a record: before that, nothing of it was sent. */
export function isRecorded(trading: Pick<TradingContext, 'host' | 'journal'>, id: string): boolean {
  const { journal } = trading;
  return (
    journal.findUnsettled(id) !== undefined ||
    journal.archive.find(id) !== undefined ||
    madeAlgo(trading, id) !== undefined
  );
}
