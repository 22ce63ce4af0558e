import path from 'node:path';
import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import { heldPermits } from './file-store.js';
import { LIMITS, POLL_MS } from './permits.js';
import { Redis, RedisStore } from './redis-store.js';
import { limitPath, permitsFolder, redisKey, type Sharing } from './shared-limits.js';

/** The time that is kept for the rest of the command, in milliseconds. */
const RESERVE_MS = 2_000;

/**
 * Waits until every request of the account that has a permit now was answered or was not sent, on this machine and, over Redis, on
 * others. A write asks the latch while it has its permit. So once this returns 0 after the latch was set, no write leaves any more.
 * Returns how many requests are still under way when the time is over.
 */
export async function waitForRequests(
  sharing: Sharing,
  host: Pick<Host, 'sleep'>,
  budget: TimeBudget,
): Promise<number> {
  const held = permitsHeld(sharing);
  if (held === undefined) return 0;
  let waiting = new Set(await held());
  while (waiting.size > 0 && budget.allows(RESERVE_MS)) {
    await host.sleep(POLL_MS);
    const now = new Set(await held());
    waiting = new Set([...waiting].filter((permit) => now.has(permit)));
  }
  return waiting.size;
}

/** Returns the names of the permits that requests have; undefined if there is no key yet, so that nothing was sent with it. */
function permitsHeld(sharing: Sharing): (() => Promise<readonly string[]>) | undefined {
  const within = nameOfLimit(sharing);
  if (within === undefined) return undefined;
  const folder = path.join(sharing.root, permitsFolder(within, LIMITS.key.count));
  const { redisUrl } = sharing;
  if (redisUrl === undefined) return async () => heldPermits(folder);
  const store = new RedisStore(new Redis(redisUrl), redisKey(within), LIMITS.key, '');
  // without Redis, a process of this machine still takes its permits in the folder
  return async () => [...heldPermits(folder), ...(await store.held().catch(() => []))];
}

function nameOfLimit(sharing: Sharing): string | undefined {
  try {
    return limitPath('key', sharing);
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
}
