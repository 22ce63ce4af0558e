import { Failure, suggest } from '../../errors.js';
import { ageText } from '../../terminal/time.js';
import type { PreparedStore } from '../../trading/prepared/prepared-store.js';
import { isSameWrite, type WorkedOut } from '../../trading/prepared/prepared-write.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { madeAlgo } from './algo-changes.js';

/**
 * Throws Failure `usage` if an equal write was committed, and nobody certainly knows its outcome: the agent may not know that it was sent.
 * @param own the id of this write, if it is being committed
 */
export function refuseUnreported(
  trading: Pick<TradingContext, 'host' | 'journal'>,
  store: PreparedStore,
  write: WorkedOut,
  own?: string,
): void {
  const { journal } = trading;
  const same = store
    .committed()
    .find(
      ({ prepared, isUnderWay, reported, isKnown }) =>
        !isKnown &&
        prepared.id !== own &&
        prepared.account === journal.folder &&
        isSameWrite(write, prepared.write) &&
        (reported === null ? isRecorded(trading, prepared.id) || isUnderWay : mayHavePlaced(trading, prepared.id)),
    );
  if (same === undefined) return;
  const { prepared, reported } = same;
  const { id } = prepared;
  const why =
    reported === null ? 'its outcome was not reported' : 'pit cannot know whether the answer to that has arrived';
  throw new Failure('usage', `The same was committed as ${id}, and ${why}. Nothing was sent this time.`, {
    clientId: id,
    hint: [
      write.kind === 'algo' ? suggest('See it', 'algo', 'show', id) : suggest('Find its outcome', 'resolve', id),
      'After the agent has called resolve with this id, the same can be prepared once more.',
    ],
  });
}

/** Whether orders of a committed write are there, or may be. */
function mayHavePlaced(trading: Pick<TradingContext, 'host' | 'journal'>, id: string): boolean {
  const { journal } = trading;
  const outcome = journal.archive.find(id)?.outcome;
  const isOver = outcome === 'refused' || outcome === 'notSent';
  return (
    journal.findUnsettled(id) !== undefined || (outcome !== undefined && !isOver) || madeAlgo(trading, id) !== undefined
  );
}

/** The warning that the same was placed in the last day, which the agent may have forgotten; undefined if it was not. */
export function placedBefore(
  { journal, host }: Pick<TradingContext, 'journal' | 'host'>,
  store: PreparedStore,
  write: WorkedOut,
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
