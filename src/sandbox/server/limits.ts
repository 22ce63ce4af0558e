import { RequestRefused } from '../refusals.js';
import { LIMITS, STREAMS } from './interface-details.js';

/** The times of the last allowed requests, as many as the limit. The oldest decides whether one more fits. */
export class SlidingLog {
  readonly #requests: number;
  readonly #milliseconds: number;

  /** It grows with the requests: most sandboxes never get as many as a minute allows. */
  readonly #times: number[] = [];
  #next = 0;

  constructor(requests: number, milliseconds: number) {
    this.#requests = requests;
    this.#milliseconds = milliseconds;
  }

  /** Whether one more fits at `now`. If so, it counts. */
  admit(now: number): boolean {
    const elapsed = now - (this.#times[this.#next] ?? Number.NEGATIVE_INFINITY);
    // a clock that was set back must not block anyone
    if (elapsed >= 0 && elapsed < this.#milliseconds) return false;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.#requests;
    return true;
  }
}

/** The limits; null for none. */
export interface RateLimitValues {
  /** Requests a second for each API key. */
  readonly key: number | null;
  /** Requests a minute for each address; beyond that it is locked. */
  readonly address: number | null;
  /** How long it is locked, in milliseconds. */
  readonly lock: number;
  /** K-line requests a second for each address. */
  readonly kline: number | null;
  /** Subscriptions of a stream's connection within a second. */
  readonly subscriptions: number | null;
}

/** As the interface states them. */
export const DOCUMENTED_LIMITS: RateLimitValues = {
  key: LIMITS.key.requests,
  address: LIMITS.address.requests,
  lock: LIMITS.address.lock,
  kline: LIMITS.kline.requests,
  subscriptions: STREAMS.subscriptionsPerSecond,
};

export const UNLIMITED: RateLimitValues = {
  ...DOCUMENTED_LIMITS,
  key: null,
  address: null,
  kline: null,
  subscriptions: null,
};

/** The interface's "Limits", in memory. Each check counts a request and throws {@link RequestRefused} if it is over the limit. */
export interface EnforcedRateLimits {
  /** Trade host, per IP: 10,000 a minute, beyond that the IP is locked for an hour (4001). Counts requests with a valid signature. */
  address(address: string, now: number): void;
  /** The same for requests without one, so that a program without a key cannot lock out those with one. */
  unsigned(address: string, now: number): void;
  /** Per API key: 60 a second, more are treated as invalid (4002). */
  key(accessKey: string, now: number): void;
  /** "K-line endpoint: one request per second". Chosen: for each IP. */
  kline(address: string, now: number): void;
}

/** Default: the limits that the interface states. */
export function keptLimits(values: RateLimitValues = DOCUMENTED_LIMITS): EnforcedRateLimits {
  const { key, address, lock, kline } = values;
  return {
    address: address === null ? () => undefined : addressLimit(address, lock),
    unsigned: address === null ? () => undefined : addressLimit(address, lock),
    key: key === null ? () => undefined : rateLimit(key),
    kline: kline === null ? () => undefined : rateLimit(kline),
  };
}

/** Counts a request under a name, and throws RequestRefused if it is one too many. */
type CountRequest = (name: string, now: number) => void;

/** A value for each name, made on first use. There are few names: keys that exist, and addresses of this machine. */
function forEach<Thing>(make: () => Thing): (name: string) => Thing {
  const things = new Map<string, Thing>();
  return (name) => {
    const thing = things.get(name) ?? make();
    things.set(name, thing);
    return thing;
  };
}

function rateLimit(requests: number): CountRequest {
  const logOf = forEach(() => new SlidingLog(requests, LIMITS.key.milliseconds));
  return (name, now) => {
    if (logOf(name).admit(now)) return;
    throw new RequestRefused('tooFrequent', `more than ${requests === 1 ? 'one' : requests} a second`);
  };
}

function addressLimit(requests: number, lock: number): CountRequest {
  const addressOf = forEach(() => ({
    lockedUntil: Number.NEGATIVE_INFINITY,
    log: new SlidingLog(requests, LIMITS.address.milliseconds),
  }));
  return (name, now) => {
    const address = addressOf(name);
    const locked = now < address.lockedUntil;
    if (!locked && address.log.admit(now)) return;
    if (!locked) address.lockedUntil = now + lock;
    throw new RequestRefused('locked', `until ${new Date(address.lockedUntil).toISOString()}`);
  };
}
