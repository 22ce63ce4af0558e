import fs from 'node:fs';
import path from 'node:path';
import { withoutPeriod } from '../../errors.js';
import { FileStore } from './file-store.js';
import { IpLock } from './ip-lock.js';
import type { RateLimits } from './limiter.js';
import {
  fractionOf,
  LIMITS,
  LIMITS_OF,
  MemoryStore,
  type PermitCount,
  type PermitStore,
  Permits,
  type RateLimitName,
} from './permits.js';
import { Redis, RedisStore } from './redis-store.js';

/** Where the limits of a connection are counted, and with whom they are shared. */
export interface Sharing {
  /** The folder of pit's state, which all processes of a `PIT_HOME` share. */
  readonly root: string;
  /** The names of the market-data host and of the trade host, as {@link hostKey} gives them. */
  readonly hosts: { readonly base: string; readonly trade: string };
  /** The digest of the access key. Throws Failure `credentials` without one. */
  readonly keyDigest: () => string;
  /** A Redis that several machines share; absent if only the folder is shared. */
  readonly redisUrl?: string;
  /** Why that Redis must not be used; null or absent if it may. */
  readonly redisProblem?: string | null;
  /** The part of the permits that this process may take while they cannot be shared. Above 0, at most 1. */
  readonly share: number;
  /** Milliseconds since the Unix epoch, by which a lock is dated. */
  readonly now: () => number;
  /** Milliseconds of a clock that all processes of this machine share and that is never set: permits are freed by it. */
  readonly monotonic: () => number;
  /** Called once when limits are no longer shared. */
  readonly onUnshared: (message: string) => void;
}

/** The name under which a host's limits are kept: one host has one limit, however its address is written. */
export function hostKey(host: string): string {
  return new URL(host).host.replace(/[^a-z0-9.-]/g, '_');
}

/** The limits that all processes of a `PIT_HOME` share, and with Redis also those of other machines. */
export function sharedRateLimits(sharing: Sharing): RateLimits {
  const permits = new SharedPermits(sharing);
  const { root, hosts, now } = sharing;
  return {
    permitsOf: (bucket) => LIMITS_OF[bucket].map((name) => permits.of(name)),
    ipLock: new IpLock(root, hostFolder(hosts.trade), now),
  };
}

/** The path of a limit below the state folder, which is also its name in Redis. */
export function limitPath(name: RateLimitName, { hosts, keyDigest }: Pick<Sharing, 'hosts' | 'keyDigest'>): string {
  const host = name === 'kline' ? hosts.base : hosts.trade;
  return path.join(hostFolder(host), name === 'key' ? keyLimit(keyDigest()) : name);
}

/** The name of the limit of a key, at each host. */
function keyLimit(digest: string): string {
  return `key-${digest}`;
}

/** The folders of the permits of a key, one for each host that it was used with, below the state folder. */
export function keyPermitFolders(root: string, digest: string): string[] {
  const hosts = fs.existsSync(path.join(root, LIMITS_FOLDER)) ? fs.readdirSync(path.join(root, LIMITS_FOLDER)) : [];
  return hosts.map((host) => permitsFolder(path.join(hostFolder(host), keyLimit(digest)), LIMITS.key.count));
}

/** The folder of a limit's permits. Its size is part of the name, so that limits of other sizes do not mix. */
export function permitsFolder(within: string, count: number): string {
  return `${within}-${count}`;
}

/** A limit's name in Redis. */
export function redisKey(within: string): string {
  return `pit/${within}`;
}

/** Forgets the requests to a host: another exchange is there now. */
export function clearLimits(root: string, host: string): void {
  const folder = path.join(root, hostFolder(host));
  const aside = `${folder}.${process.pid}.gone`;
  try {
    fs.renameSync(folder, aside);
  } catch {
    return;
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

const LIMITS_FOLDER = 'limits';

/** The folder of a host's limits and lock, below the state folder. */
export function hostFolder(host: string): string {
  return path.join(LIMITS_FOLDER, host);
}

/** The permits of each limit. They are made when they are first needed. */
class SharedPermits {
  readonly #sharing: Sharing;

  readonly #redis: Redis | undefined;
  readonly #permits = new Map<string, Permits>();
  #hasWarned = false;

  constructor(sharing: Sharing) {
    this.#sharing = sharing;

    this.#redis = sharing.redisUrl === undefined ? undefined : new Redis(sharing.redisUrl, sharing.redisProblem);
  }

  of(name: RateLimitName): Permits {
    const within = limitPath(name, this.#sharing);
    const permits = this.#permits.get(within) ?? this.#make(name, within);
    this.#permits.set(within, permits);
    return permits;
  }

  /**
   * Counts the limit in files, and also in Redis if it is set, so that the processes of a `PIT_HOME` keep the limit even if
   * only some of its processes reach Redis. If Redis fails, this process uses its share of the files; if the files fail, its
   * share in memory.
   */
  #make(name: RateLimitName, within: string): Permits {
    const limit = LIMITS[name];
    const part = fractionOf(limit, this.#sharing.share);
    // one folder for every share, so that no process of this `PIT_HOME` adds to what the others take
    const files = (taken: PermitCount) =>
      new FileStore(this.#sharing.root, permitsFolder(within, limit.count), limit, this.#sharing.monotonic, taken);
    const whole = files(limit);
    if (this.#redis === undefined) return new Permits([whole], (_, thrown) => [this.#alone(part, thrown)]);
    const redis = new RedisStore(this.#redis, redisKey(within), limit, uniqueProcessName());
    return new Permits([whole, redis], (lost, thrown) => {
      // without files, Redis alone keeps the limit
      if (lost === whole) return [redis];
      if (lost !== redis) return [this.#alone(part, thrown)];
      this.#warn(`The limits cannot be shared over Redis (${reasonOf(thrown)}): this machine uses`);
      return [files(part)];
    });
  }

  #alone(part: PermitCount, thrown: unknown): PermitStore {
    this.#warn(`The limits cannot be shared with other processes (${reasonOf(thrown)}): this process uses`);
    return new MemoryStore(part, this.#sharing.monotonic);
  }

  #warn(beginning: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#sharing.onUnshared(`${beginning} ${Math.round(this.#sharing.share * 100)}% of each limit.`);
  }
}

/** Distinguishes this process's permits in Redis from those of all others. */
function uniqueProcessName(): string {
  return `${process.pid}.${process.hrtime.bigint()}`;
}

/** Why Redis or the files cannot be used, without a full stop. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? withoutPeriod(thrown.message) : String(thrown);
}
