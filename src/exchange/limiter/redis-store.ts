import type { RedisClientType } from '@redis/client';
import { redisAddress } from '../../config/settings.js';
import { quotation } from '../../domain/quotation.js';
import type { PermitCount, PermitStore, Priority, TakeResult } from './permits.js';

/** A permit that is taken is renewed this often; one that is not renewed in time was lost with its process. */
const RENEW_MS = 500;
const LOST_MS = 1_500;
const CONNECT_MS = 1_000;
/** Redis answers within a millisecond. One that takes this long counts as away. */
const ANSWER_MS = 3_000;
const SILENT = 'it does not answer';

/** A sorted set of the taken permits, by the time at which they are free again; times are of Redis's own clock. */
const CLAIM = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[2])
    redis.call('PEXPIRE', KEYS[1], 60000)
    return 0
  end
  return math.max(1, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] - now)`;

const KEEP = `
  local time = redis.call('TIME')
  return redis.call('ZADD', KEYS[1], 'XX', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2], ARGV[1])`;

const COUNT = `
  local time = redis.call('TIME')
  return redis.call('ZCOUNT', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), '+inf')`;

/** Permits that several machines share, kept in Redis. Methods throw what the client throws if Redis is away. */
export class RedisStore implements PermitStore {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #limit: PermitCount;
  readonly #owner: string;

  #taken = 0;

  /** @param key names the limit and holds no secret */
  constructor(redis: Redis, key: string, limit: PermitCount, owner: string) {
    this.#redis = redis;
    this.#key = key;
    this.#limit = limit;
    this.#owner = owner;
  }

  async take(priority: Priority): Promise<TakeResult> {
    const { count, reserved } = this.#limit;
    const name = `${this.#owner}.${this.#taken++}`;
    const most = priority === 'cancel' ? count : count - reserved;
    const waitMs = Number(await this.#eval(CLAIM, String(most), name, String(LOST_MS)));
    if (waitMs > 0) return { waitMs };
    const renewing = setInterval(() => void this.#keep(name, LOST_MS).catch(() => undefined), RENEW_MS);
    renewing.unref();
    const release = async (milliseconds: number) => {
      clearInterval(renewing);
      // if Redis cannot be reached, the permit expires by itself
      await this.#keep(name, milliseconds).catch(() => undefined);
    };
    return { release };
  }

  /** How many permits are taken, by the clock of Redis. */
  async taken(): Promise<number> {
    return Number(await this.#eval(COUNT));
  }

  #keep(name: string, milliseconds: number): Promise<unknown> {
    return this.#eval(KEEP, name, String(milliseconds));
  }

  #eval(script: string, ...args: string[]): Promise<unknown> {
    return this.#redis.eval(script, this.#key, args);
  }
}

/** A connection that is made at the first use, once, and keeps the process only while a response is awaited. */
export class Redis {
  readonly #url: string;
  readonly #problem: string | null;

  #connected: Promise<RedisClientType> | undefined;
  #awaited = 0;
  #isSilent = false;

  /** @param problem why it must not be used; null if it may */
  constructor(url: string, problem: string | null = null) {
    this.#url = url;
    this.#problem = problem;
  }

  /** Runs a script on a key. Rejects if Redis is away, or accepts the connection and does not answer. */
  async eval(script: string, key: string, args: string[]): Promise<unknown> {
    const problem = this.#isSilent ? SILENT : this.#problem;
    if (problem !== null) throw new Error(problem);
    this.#connected ??= connect(this.#url);
    const client = await this.#connected;
    this.#awaited += 1;
    client.ref();
    try {
      return await inTime(client.eval(script, { keys: [key], arguments: args }), () => {
        this.#isSilent = true;
        client.destroy();
      });
    } finally {
      this.#awaited -= 1;
      if (this.#awaited === 0) client.unref();
    }
  }
}

async function connect(url: string): Promise<RedisClientType> {
  const { createClient } = await import('@redis/client');
  const { login, place } = redisAddress(url);
  const socket = { ...place, connectTimeout: CONNECT_MS, reconnectStrategy: false } as const;
  const client = createClient({ ...login, socket, disableOfflineQueue: true });
  client.on('error', () => undefined);
  // it waits for its greeting without an end
  await inTime(client.connect(), () => client.destroy());
  return client as RedisClientType;
}

/** Waits for an answer. The package has no limit for a command that was sent. @param giveUp ends what is waited for */
async function inTime<Value>(answer: Promise<Value>, giveUp: () => void): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp();
      reject(new Error(SILENT));
    }, ANSWER_MS);
  });
  try {
    return await Promise.race([late, answer]);
  } catch (thrown) {
    const { ErrorReply } = await import('@redis/client');
    throw thrown instanceof ErrorReply ? new Error(`it answered ${quotation(thrown.message)}`) : thrown;
  } finally {
    clearTimeout(timer);
  }
}
