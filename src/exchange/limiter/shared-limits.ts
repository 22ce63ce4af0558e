import { createHash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Breaker } from './breaker.js';
import type { Limits } from './limiter.js';
import { LIMITS, LIMITS_OF, type LimitName, partOf } from './limits.js';
import { monotonicMs, PermitFiles } from './permit-files.js';
import type { Permits, PermitTerms } from './permits.js';
import { PermitsInMemory } from './permits-in-memory.js';
import { PermitsInRedis, Redis } from './permits-in-redis.js';
import { PermitsOfBoth } from './permits-of-both.js';
import { PermitsWithAShare } from './permits-with-a-share.js';

/** What the limits of a connection are kept by, and with whom. */
export interface Sharing {
  /** The folder of pit's state, which all processes of a `PIT_HOME` share. */
  readonly root: string;
  /** The names of the market-data host and of the trade host, as {@link placeOf} gives them. */
  readonly places: { readonly base: string; readonly trade: string };
  readonly accessKey: () => string;
  /** A Redis that several machines share; absent where the folder is shared alone. */
  readonly redis?: string;
  /** The part of the home's permits that this process takes at most while Redis is away. Above 0, at most 1. */
  readonly share: number;
  /** Milliseconds since the Unix epoch, by which a lock is dated. */
  readonly now: () => number;
  /** Told once when limits are not shared any more. */
  readonly away: (words: string) => void;
}

/** A host's name as its limits are kept under: one host has one limit, however its address is written. */
export function placeOf(host: string): string {
  return new URL(host).host.replace(/[^a-z0-9.-]/g, '_');
}

/** The limits as all processes of a home share them, and over Redis, on top of that, those of other machines. */
export function sharedLimits(sharing: Sharing): Limits {
  const permits = new SharedPermits(sharing);
  const { root, places, now } = sharing;
  return {
    permitsOf: (bucket) => LIMITS_OF[bucket].map((name) => permits.of(name)),
    breaker: new Breaker(root, placeFolder(places.trade), now),
  };
}

/** Where a limit is kept, below the folder of pit's state; in Redis it has the same name. */
export function whereIs(name: LimitName, { places, accessKey }: Pick<Sharing, 'places' | 'accessKey'>): string {
  const place = name === 'kline' ? places.base : places.trade;
  return path.join(placeFolder(place), name === 'key' ? `key-${markOf(accessKey())}` : name);
}

/** The folder of a limit's permits: limits of other sizes are not mixed up with it. */
export function permitsFolder(within: string, count: number): string {
  return `${within}-${count}`;
}

/** A limit's name in Redis. */
export function redisKey(within: string): string {
  return `pit/${within}`;
}

/** Another exchange takes the place of the one under this name: what was asked of the one before does not count. */
export function forgetLimits(root: string, place: string): void {
  const folder = path.join(root, placeFolder(place));
  const aside = `${folder}.${process.pid}.gone`;
  try {
    renameSync(folder, aside);
  } catch {
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** The folder of what is remembered of a host, within the folder of pit's state. */
export function placeFolder(place: string): string {
  return path.join('limits', place);
}

/** Makes the permits of each limit when they are first asked for. */
class SharedPermits {
  readonly #redis: Redis | undefined;
  readonly #known = new Map<string, Permits>();
  #isTold = false;

  constructor(private readonly sharing: Sharing) {
    this.#redis = sharing.redis === undefined ? undefined : new Redis(sharing.redis);
  }

  of(name: LimitName): Permits {
    const within = whereIs(name, this.sharing);
    const known = this.#known.get(within) ?? this.#make(name, within);
    this.#known.set(within, known);
    return known;
  }

  #make(name: LimitName, within: string): Permits {
    const terms = LIMITS[name];
    const part = partOf(terms, this.sharing.share);
    if (this.#redis === undefined) return this.#files(within, terms, terms, part);
    const shared = new PermitsInRedis(this.#redis, redisKey(within), terms, ownerName());
    // where there can be no files Redis alone counts: what was said of that would be of other profiles
    const home = new PermitsWithAShare(this.#inFiles(within, terms, terms), UNCOUNTED, () => {});
    return new PermitsWithAShare(new PermitsOfBoth(home, shared), this.#files(within, terms, part, part), (thrown) =>
      this.#tell(`The limits cannot be shared over Redis (${reasonOf(thrown)}): this machine takes`),
    );
  }

  /** What is taken of the home's files, and where there can be none a part that this process has for itself. */
  #files(within: string, terms: PermitTerms, taken: PermitTerms, part: PermitTerms): Permits {
    const files = this.#inFiles(within, terms, taken);
    return new PermitsWithAShare(files, new PermitsInMemory(part, monotonicMs), (thrown) =>
      this.#tell(`The limits cannot be shared with other processes (${reasonOf(thrown)}): this one takes`),
    );
  }

  /** In one folder, whatever is taken of it: nobody of this home may add to what the others take. */
  #inFiles(within: string, terms: PermitTerms, taken: PermitTerms): Permits {
    return new PermitFiles(this.sharing.root, permitsFolder(within, terms.count), terms, monotonicMs, taken);
  }

  #tell(beginning: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.sharing.away(`${beginning} ${Math.round(this.sharing.share * 100)} % of each.`);
  }
}

/** Where nothing of this place counts. */
const UNCOUNTED: Permits = {
  claim: async () => ({ permit: { done: () => Promise.resolve(), unused: () => Promise.resolve() } }),
};

/** Tells this process's permits in Redis from those of all others. */
function ownerName(): string {
  return `${process.pid}.${process.hrtime.bigint()}`;
}

/** Tells keys apart, and is none of them. */
function markOf(accessKey: string): string {
  return createHash('sha256').update(accessKey).digest('hex').slice(0, 16);
}

/** What went wrong with Redis or with files, in its own words, without a full stop. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.replace(/\.$/, '') : String(thrown);
}
