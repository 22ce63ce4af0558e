import path from 'node:path';
import { Failure } from '../../errors.js';
import { permitsTaken } from './file-store.js';
import { IpLock } from './ip-lock.js';
import { LIMITS, type RateLimitName } from './permits.js';
import { Redis, RedisStore } from './redis-store.js';
import { hostFolder, limitPath, permitsFolder, reasonOf, redisKey, type Sharing } from './shared-limits.js';

/** The state of a connection's limits. */
export interface LimiterState {
  /** Whether they are shared within this `PIT_HOME` only, or over Redis. */
  readonly kind: 'files' | 'redis';
  /** The folder of the trade host's limits and lock. */
  readonly folder: string;
  /** The limits; that of the key is missing if there is no key. */
  readonly limits: readonly LimitState[];
  /** When the lock of this machine's address ends, in ms since the Unix epoch; null if none is known. */
  readonly lockedUntil: number | null;
  /** Why Redis cannot be reached; null if it can or is not used. */
  readonly redisProblem: string | null;
  /** The part of each limit that this machine uses while they cannot be shared. */
  readonly share: number;
}

interface LimitState {
  readonly name: RateLimitName;
  /** How many permits there are. */
  readonly count: number;
  /** How many permits are taken now, in this `PIT_HOME` or in Redis; null if Redis cannot be reached. */
  readonly taken: number | null;
}

/** The current state; changes nothing. */
export async function limiterState(sharing: Sharing): Promise<LimiterState> {
  const { root, hosts, now, redisUrl, share } = sharing;
  const within = hostFolder(hosts.trade);
  const lockedUntil = new IpLock(root, within, now).until ?? null;
  const common = { folder: path.join(root, within), lockedUntil, share };
  if (redisUrl === undefined) return { kind: 'files', ...common, limits: inFiles(sharing), redisProblem: null };
  try {
    return {
      kind: 'redis',
      ...common,
      limits: await inRedis(new Redis(redisUrl, sharing.redisProblem), sharing),
      redisProblem: null,
    };
  } catch (thrown) {
    const limits = namesOf(sharing).map((name) => ({ name, count: LIMITS[name].count, taken: null }));
    return { kind: 'redis', ...common, limits, redisProblem: reasonOf(thrown) };
  }
}

function namesOf({ keyDigest }: Sharing): RateLimitName[] {
  try {
    keyDigest();
    return ['key', 'address', 'kline'];
  } catch (thrown) {
    if (thrown instanceof Failure) return ['address', 'kline'];
    throw thrown;
  }
}

function inFiles(sharing: Sharing): LimitState[] {
  return namesOf(sharing).map((name) => {
    const { count } = LIMITS[name];
    const folder = path.join(sharing.root, permitsFolder(limitPath(name, sharing), count));
    return { name, count, taken: permitsTaken(folder, sharing.monotonic()) };
  });
}

function inRedis(redis: Redis, sharing: Sharing): Promise<LimitState[]> {
  const taken = (name: RateLimitName) =>
    new RedisStore(redis, redisKey(limitPath(name, sharing)), LIMITS[name], '').taken();
  return Promise.all(
    namesOf(sharing).map(async (name) => ({ name, count: LIMITS[name].count, taken: await taken(name) })),
  );
}
