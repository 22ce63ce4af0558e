import type { Host } from '../../../platform/host.js';
import type { AlgoStore } from '../record/store.js';
import type { Watcher } from '../record/watchers.js';

/** How often it is tried to become the one that watches. */
const CLAIM_MS = 1_000;

export interface ClaimOptions {
  readonly host: Pick<Host, 'sleep'>;
  readonly store: Pick<AlgoStore, 'claim'>;
  /** Called with another process that watches already, and again when it was stopped or continued. */
  readonly other: (watcher: Watcher) => void;
  /** Whether to wait for the end of another process that watches. */
  readonly waitsForOther: boolean;
}

/** Makes this process the one that watches. Returns false if another one does, or the signal has aborted. */
export async function claimWatch(
  { host, store, other, waitsForOther }: ClaimOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let said = '';
  while (!signal.aborted) {
    const owner = store.claim();
    if (owner === undefined) return true;
    const watcher = `${owner.pid} ${owner.isStopped}`;
    if (said !== watcher) other(owner);
    said = watcher;
    if (!waitsForOther) return false;
    await host.sleep(CLAIM_MS, signal);
  }
  return false;
}
