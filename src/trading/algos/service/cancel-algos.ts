import { Failure, tryRead } from '../../../errors.js';
import { cancelOrders } from '../../cancel/cancel-orders.js';
import type { TradingContext } from '../../trading-context.js';
import { readChild, settleChild } from '../children/settle-child.js';
import { stoppedFailure } from '../record/watchers.js';
import type { AlgoService } from './algo-service.js';
import type { AlgoView } from './algo-views.js';

export interface CancelledAlgo {
  readonly view: AlgoView;
  /** Whether it has ended: none of its orders is open. */
  readonly isDone: boolean;
  /** Why it could not be recorded as cancelled; null if it was. */
  readonly failure: Failure | null;
  /** Whether its orders were cancelled all the same. */
  readonly hasCancelled: boolean;
}

/** Between two looks at what another process does, in milliseconds. */
const POLL_MS = 250;

/** Ends algo orders: cancels their orders and waits for the outcomes, within the time of the command. */
export async function cancelAlgos(service: AlgoService, ids: readonly string[] | 'all'): Promise<CancelledAlgo[]> {
  const { store, account, warn } = service.options;
  const trading = await account.trading();
  const chosen = service.chosenIds(ids);
  const unrecorded = new Map<string, Failure>();
  for (const id of chosen) {
    if (store.read(id)?.facts?.cancelled != null) continue;
    try {
      store.add(id, { fact: 'cancelled', time: trading.client.now(), reason: 'you cancelled it' });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unrecorded.set(id, error);
    }
  }
  const recorded = chosen.filter((id) => !unrecorded.has(id));
  const cancelledOnly = new Set<string>();
  // what could not be recorded is cancelled all the same
  for (const [id, failure] of unrecorded) {
    warn([
      `${id} is not recorded as cancelled: ${failure.message} Its orders are cancelled now, but it may place others and still trade: cancel it again once it can be recorded.`,
      ...failure.hints,
    ]);
    if (await cancelChildren(service, trading, id)) cancelledOnly.add(id);
  }
  if (recorded.length > 0) await untilEnded(service, trading, recorded);
  const views = await service.views.of(chosen);
  return views.map((view) => {
    const failure = unrecorded.get(view.id) ?? null;
    return { view, isDone: view.facts.ended !== null, failure, hasCancelled: cancelledOnly.has(view.id) };
  });
}

/** Waits until these have ended, and ends them itself if no process does. */
async function untilEnded(service: AlgoService, trading: TradingContext, ids: readonly string[]): Promise<void> {
  const { store, host, warn } = service.options;
  const { budget } = trading;
  const left = () => ids.filter((id) => store.read(id)?.facts?.ended === null);
  while (left().length > 0 && budget.allows(POLL_MS)) {
    const watcher = store.watcher();
    if (watcher?.isStopped === true) {
      const { message, hints } = stoppedFailure(watcher);
      warn([`${message} Their orders are cancelled now; they end when it continues.`, ...hints]);
      for (const id of left()) await cancelChildren(service, trading, id);
      return;
    }
    if (!store.isWatched) await endHere(service, trading, left());
    if (left().length > 0) await host.sleep(POLL_MS);
  }
}

/** Watches these in this process until they have ended, the time is over or the user interrupts. */
async function endHere(service: AlgoService, { budget }: TradingContext, ids: readonly string[]): Promise<void> {
  const { host } = service.options;
  host.holdProgram();
  const runner = service.runner({ only: new Set(ids), report: () => undefined, other: () => undefined });
  const outOfTime = new AbortController();
  void host.sleep(budget.remainingMs, outOfTime.signal).then(() => {
    if (!outOfTime.signal.aborted) void runner.stop();
  });
  const forget = host.onInterrupt(() => runner.stop());
  try {
    await runner.run();
  } finally {
    outOfTime.abort();
    forget();
  }
}

/**
 * Cancels the open orders of an algo order that no process can end: its record cannot be written, or the one that watches is stopped.
 * Returns whether any was open.
 */
async function cancelChildren(service: AlgoService, trading: TradingContext, id: string): Promise<boolean> {
  const record = service.options.store.read(id);
  if (record?.facts === undefined) return false;
  const { market } = record.facts.began.terms.market;
  const children = service.views.children([record]).of(record);
  for (const child of children) {
    if (child.sending === 'unknown') await tryRead(() => settleChild(trading, market, child));
    await tryRead(() => readChild(trading, market, child));
  }
  const open = children.flatMap(({ unfinishedIds }) => unfinishedIds.map((one) => ({ id: one })));
  // one that could not be cancelled is shown as open
  if (open.length > 0) await tryRead(() => cancelOrders(trading, market, open));
  return open.length > 0;
}
