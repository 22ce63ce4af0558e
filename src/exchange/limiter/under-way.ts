import path from 'node:path';
import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import { heldPermits } from './file-store.js';
import type { Latch } from './latch.js';
import { POLL_MS } from './permits.js';
import { keyPermitFolders, reasonOf, type Sharing } from './shared-limits.js';

/** The time that is kept for the rest of the command, in milliseconds. */
const RESERVE_MS = 2_000;

/**
 * Waits until every write of the key that may leave now was answered or was not sent: those of this machine, which have a
 * permit of any host, and with Redis those of others. A write asks the latch while it has its permit, and is counted in Redis by the same
 * question. So once this returns 0 after the latch was set, no write leaves any more. Returns how many requests are still under
 * way when the time is over, or why that is unknown.
 */
export async function waitForRequests(
  sharing: Sharing,
  latch: Latch,
  host: Pick<Host, 'sleep'>,
  budget: TimeBudget,
): Promise<number | string> {
  const digest = digestOf(sharing);
  if (digest === undefined) return 0;
  let waiting: ReadonlySet<string> | undefined;
  for (;;) {
    let problem = '';
    try {
      const folders = keyPermitFolders(sharing.root, digest).map((folder) => path.join(sharing.root, folder));
      const now = new Set([
        ...folders.flatMap((folder) => heldPermits(folder, sharing.monotonic())),
        ...(await latch.leaving()),
      ]);
      waiting = waiting === undefined ? now : new Set([...waiting].filter((name) => now.has(name)));
      if (waiting.size === 0) return 0;
    } catch (thrown) {
      problem = reasonOf(thrown);
    }
    if (!budget.allows(RESERVE_MS)) return waiting?.size ?? problem;
    await host.sleep(POLL_MS);
  }
}

/** The digest of the key; undefined if there is no key yet, so that nothing was sent with it. */
function digestOf({ keyDigest }: Sharing): string | undefined {
  try {
    return keyDigest();
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
}
