import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { FILE_MODE, makePrivateFolder } from '../../config/private-files.js';
import { Failure, localTimeText } from '../../errors.js';
import { monotonicMs } from '../../platform/host.js';
import { FileStore } from './file-store.js';
import {
  fractionOf,
  LIMITS,
  LIMITS_OF,
  type LimitName,
  type Limits,
  MemoryStore,
  type PermitCount,
  type PermitStore,
  Permits,
} from './limiter.js';
import { Redis, RedisStore } from './redis-store.js';

/** Where the limits of a connection are counted, and with whom they are shared. */
export interface Sharing {
  /** The folder of pit's state, which all processes of a `PIT_HOME` share. */
  readonly root: string;
  /** The names of the market-data host and of the trade host, as {@link hostKey} gives them. */
  readonly hosts: { readonly base: string; readonly trade: string };
  readonly accessKey: () => string;
  /** A Redis that several machines share; absent if only the folder is shared. */
  readonly redisUrl?: string;
  /** The part of the permits that this process may take while they cannot be shared. Above 0, at most 1. */
  readonly share: number;
  /** Milliseconds since the Unix epoch, by which a lock is dated. */
  readonly now: () => number;
  /** Called once when limits are no longer shared. */
  readonly onUnshared: (message: string) => void;
}

/** The name under which a host's limits are kept: one host has one limit, however its address is written. */
export function hostKey(host: string): string {
  return new URL(host).host.replace(/[^a-z0-9.-]/g, '_');
}

/** The limits that all processes of a `PIT_HOME` share, and with Redis also those of other machines. */
export function sharedLimits(sharing: Sharing): Limits {
  const permits = new SharedPermits(sharing);
  const { root, hosts, now } = sharing;
  return {
    permitsOf: (bucket) => LIMITS_OF[bucket].map((name) => permits.of(name)),
    ipLock: new IpLock(root, hostFolder(hosts.trade), now),
  };
}

/** The path of a limit below the state folder, which is also its name in Redis. */
export function limitPath(name: LimitName, { hosts, accessKey }: Pick<Sharing, 'hosts' | 'accessKey'>): string {
  const host = name === 'kline' ? hosts.base : hosts.trade;
  return path.join(hostFolder(host), name === 'key' ? `key-${digestOf(accessKey())}` : name);
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

/** The folder of a host's limits and lock, below the state folder. */
export function hostFolder(host: string): string {
  return path.join('limits', host);
}

/** The permits of each limit. They are made when they are first needed. */
class SharedPermits {
  readonly #redis: Redis | undefined;
  readonly #permits = new Map<string, Permits>();
  #hasWarned = false;

  constructor(private readonly sharing: Sharing) {
    this.#redis = sharing.redisUrl === undefined ? undefined : new Redis(sharing.redisUrl);
  }

  of(name: LimitName): Permits {
    const within = limitPath(name, this.sharing);
    const permits = this.#permits.get(within) ?? this.#make(name, within);
    this.#permits.set(within, permits);
    return permits;
  }

  /**
   * Counts the limit in files, and also in Redis if it is set, so that the processes of a `PIT_HOME` keep the limit even if
   * only some of its processes reach Redis. If Redis fails, this process uses its share of the files; if the files fail, its
   * share in memory.
   */
  #make(name: LimitName, within: string): Permits {
    const limit = LIMITS[name];
    const part = fractionOf(limit, this.sharing.share);
    // one folder for every share, so that no process of this `PIT_HOME` adds to what the others take
    const files = (taken: PermitCount) =>
      new FileStore(this.sharing.root, permitsFolder(within, limit.count), limit, monotonicMs, taken);
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
    return new MemoryStore(part, monotonicMs);
  }

  #warn(beginning: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.sharing.onUnshared(`${beginning} ${Math.round(this.sharing.share * 100)}% of each limit.`);
  }
}

/** Distinguishes this process's permits in Redis from those of all others. */
function uniqueProcessName(): string {
  return `${process.pid}.${process.hrtime.bigint()}`;
}

/** A digest that distinguishes access keys without showing them. */
function digestOf(accessKey: string): string {
  return createHash('sha256').update(accessKey).digest('hex').slice(0, 16);
}

/** Why Redis or the files cannot be used, without a full stop. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.replace(/\.$/, '') : String(thrown);
}

/** "Beyond that the IP is locked for 1 hour and unlocks itself after that hour." */
const LOCK_MS = 3_600_000;
/** How often a read is sent to test the lock, which may have been lifted. */
const TEST_EVERY_MS = 60_000;

/**
 * Remembers for all processes that a trade host has locked this machine's address, so that no request runs into the lock. It
 * is stored in the name of an empty file: when the lock ends, and when to test it, in milliseconds since the Unix epoch.
 */
export class IpLock {
  readonly #folder: string;

  /** @param root a private folder; the lock is kept in `within` */
  constructor(
    private readonly root: string,
    private readonly within: string,
    private readonly now: () => number,
  ) {
    this.#folder = path.join(root, within);
  }

  /** When the lock ends; undefined if none is known. */
  get until(): number | undefined {
    return this.#lock()?.until;
  }

  /**
   * Throws Failure `limited` while the lock lasts. Now and then it lets a request through as a `probe`, if that may be repeated;
   * a response to it ends the lock.
   */
  requireFree(mayProbeLock: boolean): 'free' | 'probe' {
    const lock = this.#lock();
    if (lock === undefined) return 'free';
    const now = this.now();
    // a lock that ends later than possible was dated before the clock was set back
    if (now >= lock.until || lock.until > now + LOCK_MS) {
      this.clear();
      return 'free';
    }
    if (mayProbeLock && now >= lock.testAt && this.#renamed(lock.name, nameOf(lock.until, now + TEST_EVERY_MS)))
      return 'probe';
    throw new Failure('limited', `The exchange has locked this machine's address until ${localTimeText(lock.until)}.`, {
      hint: 'It locks an address that sends more than 10,000 requests in a minute. The lock ends by itself. Nothing was sent.',
    });
  }

  /** Stores the lock after a response reported it. The first such answer dates it. */
  recordLock(): void {
    if (this.#lock() !== undefined) return;
    const now = this.now();
    ignoringErrors(() => {
      makePrivateFolder(this.root, this.within);
      fs.writeFileSync(path.join(this.#folder, nameOf(now + LOCK_MS, now + TEST_EVERY_MS)), '', { mode: FILE_MODE });
    });
  }

  /** Removes the lock after a response did not report it. */
  clear(): void {
    for (const { name } of this.#locks())
      ignoringErrors(() => fs.rmSync(path.join(this.#folder, name), { force: true }));
  }

  #lock(): Lock | undefined {
    return this.#locks()[0];
  }

  #locks(): Lock[] {
    return ignoringErrors(() => fs.readdirSync(this.#folder).flatMap(lockIn)) ?? [];
  }

  /** Renames the file. Only one of several processes succeeds. */
  #renamed(from: string, to: string): boolean {
    const isRenamed = ignoringErrors(() => {
      fs.renameSync(path.join(this.#folder, from), path.join(this.#folder, to));
      return true;
    });
    return isRenamed === true;
  }
}

/** If the lock cannot be stored, requests still go out: the exchange reports the lock itself. */
function ignoringErrors<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

interface Lock {
  readonly name: string;
  readonly until: number;
  readonly testAt: number;
}

function nameOf(until: number, testAt: number): string {
  return `locked.${until}.${testAt}`;
}

function lockIn(name: string): Lock[] {
  const [, until, testAt] = /^locked\.(\d{13})\.(\d{13})$/.exec(name) ?? [];
  return until === undefined ? [] : [{ name, until: Number(until), testAt: Number(testAt) }];
}
