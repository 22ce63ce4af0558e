import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Bucket } from '../../protocol/operation.js';
import type { Hosts } from '../../protocol/request.js';
import type { PermitsOf } from './limiter.js';
import { PermitFiles } from './permit-files.js';
import type { Permits, PermitTerms } from './permits.js';
import { PermitsInMemory } from './permits-in-memory.js';
import { PermitsInRedis, Redis } from './permits-in-redis.js';
import { PermitsWithAShare } from './permits-with-a-share.js';

/**
 * "60 requests per second" for a key, of which a few are kept for cancellations. "10000 requests per minute" for an
 * address and a lock of an hour beyond: 150 a second is 9,000 a minute. "One request per second" of K-line.
 */
export const LIMITS = {
  key: { count: 60, reserved: 3 },
  address: { count: 150, reserved: 3 },
  kline: { count: 1, reserved: 0 },
} as const satisfies Record<string, PermitTerms>;

/** What one place may take of a limit while it cannot be shared. */
export const USUAL_SHARE = 0.25;

export interface Sharing {
  /** The folder of pit's state, which all processes of a `PIT_HOME` share. */
  readonly root: string;
  readonly hosts: Hosts;
  readonly accessKey: () => string;
  /** A Redis that several machines share; absent where the folder is shared alone. */
  readonly redis?: string;
  /** Above 0, at most 1. */
  readonly share: number;
  /** For a process that can share nothing: a clock of its own, in ms. */
  readonly now: () => number;
  /** Told once for each limit that is not shared any more. */
  readonly away: (words: string) => void;
}

/** The folder of a host's limits, within the folder of pit's state. */
export function limitsFolder(host: string): string {
  return path.join('limits', new URL(host).host.replace(/[^a-z0-9.-]/g, '_'));
}

/** The permits of each bucket, shared with all processes of the place, and over Redis with others. */
export function sharedPermits(sharing: Sharing): PermitsOf {
  const { hosts, accessKey, redis: url } = sharing;
  const redis = url === undefined ? undefined : new Redis(url);
  const known = new Map<string, Permits>();
  const permits = (host: string, name: string, terms: PermitTerms): Permits => {
    const within = path.join(limitsFolder(host), name);
    const made = known.get(within) ?? over(redis, within, terms, sharing);
    known.set(within, made);
    return made;
  };
  const address = () => permits(hosts.tradeUrl, 'address', LIMITS.address);
  const of: Readonly<Record<Bucket, () => readonly Permits[]>> = {
    unstated: () => [],
    kline: () => [permits(hosts.baseUrl, 'kline', LIMITS.kline)],
    ip: () => [address()],
    key: () => [permits(hosts.tradeUrl, `key-${markOf(accessKey())}`, LIMITS.key), address()],
  };
  return (bucket) => of[bucket]();
}

function over(redis: Redis | undefined, within: string, terms: PermitTerms, sharing: Sharing): Permits {
  if (redis === undefined) return files(within, terms, sharing);
  const shared = new PermitsInRedis(redis, `pit/${within}`, terms, `${process.pid}.${process.hrtime.bigint()}`);
  const part = partOf(terms, sharing.share);
  return new PermitsWithAShare(shared, files(within, part, sharing), (thrown) =>
    sharing.away(
      `Redis is away (${reasonOf(thrown)}): until it is back this machine takes ${part.count} requests a second.`,
    ),
  );
}

function files(within: string, terms: PermitTerms, { root, share, now, away }: Sharing): Permits {
  const part = partOf(terms, share);
  const own = new PermitsInMemory(part, now);
  return new PermitsWithAShare(new PermitFiles(root, `${within}-${terms.count}`, terms), own, (thrown) =>
    away(
      `The limits cannot be shared with other processes (${reasonOf(thrown)}): this one takes ${part.count} a second.`,
    ),
  );
}

/** At least one, so that nothing stops. */
function partOf({ count, reserved }: PermitTerms, share: number): PermitTerms {
  const part = Math.max(1, Math.floor(count * share));
  return { count: part, reserved: Math.min(reserved, Math.max(0, part - 1), 1) };
}

/** Tells keys apart, and is none of them. */
function markOf(accessKey: string): string {
  return createHash('sha256').update(accessKey).digest('hex').slice(0, 16);
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
