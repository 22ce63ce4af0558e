import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { keyDigest } from '../../../src/config/keys.js';
import { Limiter } from '../../../src/exchange/limiter/limiter.js';
import type { Priority } from '../../../src/exchange/limiter/permits.js';
import { hostKey, sharedRateLimits } from '../../../src/exchange/limiter/shared-limits.js';
import type { Bucket } from '../../../src/exchange/operations/operation.js';
import { monotonicMs } from '../../../src/platform/host.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';

export interface Job {
  /** The folder whose limits are kept. */
  readonly root: string;
  /** Where each call goes. */
  readonly url: string;
  readonly accessKey: string;
  readonly bucket: Bucket;
  readonly priority: Priority;
  readonly calls: number;
  /** The maximum number of concurrent calls. */
  readonly atOnce: number;
  /** The maximum time until a call reaches the server. */
  readonly jitterMs: number;
  readonly redis?: string;
  /** Whether it waits for the start signal of all callers. */
  readonly waits: boolean;
}

/** One of several callers: makes its calls as the limiter permits, and prints the limiter's own cost on stdout. */
const job = JSON.parse(process.argv[2] ?? '') as Job;
const { root, url, accessKey, bucket, priority, calls, atOnce, jitterMs, redis, waits } = job;
const limiter = new Limiter(
  { sleep: (ms) => delay(ms), monotonic: monotonicMs },
  new TimeBudget(600_000, Date.now),
  sharedRateLimits({
    ...{ root, share: 0.25, now: Date.now, monotonic: monotonicMs },
    hosts: { base: hostKey(url), trade: hostKey(url) },
    keyDigest: () => keyDigest(accessKey),
    onUnshared: (words) => process.stderr.write(`${words}\n`),
    ...(redis === undefined ? {} : { redisUrl: redis }),
  }),
);
const agent = new Agent({ keepAlive: true });
if (waits) await end(await response('ready'));
let left = calls;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (left > 0) {
      left -= 1;
      const turn = await limiter.acquire({ bucket, priority: priority, mayProbeLock: true });
      await delay(Math.random() * jitterMs);
      const responded = await response(`${priority}?${accessKey}`);
      turn.responded();
      await end(responded);
      await turn.end('response');
    }
  }),
);
process.stdout.write('done');

/** The head of a response; `fetch` takes longer to load than all that a caller does. */
async function response(what: string): Promise<IncomingMessage> {
  const [message] = (await once(get(`${url}/${what}`, { agent }), 'response')) as [IncomingMessage];
  return message;
}

/** Reads the rest of a response. */
async function end(message: IncomingMessage): Promise<void> {
  message.resume();
  await once(message, 'end');
}
