import type { Host } from '../../../platform/host.js';
import type { AlgoStore } from '../record/store.js';
import type { Watcher } from '../record/watchers.js';

/** How often it is tried to get the claim. */
const CLAIM_MS = 1_000;

export interface ClaimOptions {
  readonly host: Pick<Host, 'sleep'>;
  readonly store: Pick<AlgoStore, 'claim'>;
  /** Called with another process that has the claim, and again when it was stopped or continued. */
  readonly other: (watcher: Watcher) => void;
  /** Whether to wait for the end of another process that watches. One that only ends some is waited for in any case. */
  readonly waitsForOther: boolean;
  /** Only these algo orders, which were cancelled, are ended. Absent: all are watched, and those that are made meanwhile. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** Gives this process the claim. Returns false if another one watches, or the signal has aborted. */
export async function claimWatch(
  { host, store, other, waitsForOther, only }: ClaimOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let said = '';
  while (!signal.aborted) {
    const owner = store.claim(only !== undefined);
    if (owner === undefined) return true;
    const watcher = `${owner.pid} ${owner.isStopped}`;
    if (said !== watcher) other(owner);
    said = watcher;
    if (!waitsForOther && owner.onlyEnds !== true) return false;
    await host.sleep(CLAIM_MS, signal);
  }
  return false;
}
