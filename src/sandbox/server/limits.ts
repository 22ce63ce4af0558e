import { Refusal } from '../refusals.js';
import { LIMITS } from './choices.js';

/** The last times at which something was allowed, as many as the limit: the oldest says whether one more fits. */
class SlidingLog {
  private readonly times: Float64Array;
  private next = 0;

  constructor(
    requests: number,
    private readonly milliseconds: number,
  ) {
    this.times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  }

  /** Whether one more fits at `now`; it then counts. */
  admit(now: number): boolean {
    const elapsed = now - (this.times[this.next] ?? Number.NEGATIVE_INFINITY);
    // a clock that was set back must not lock anyone out
    if (elapsed >= 0 && elapsed < this.milliseconds) return false;
    this.times[this.next] = now;
    this.next = (this.next + 1) % this.times.length;
    return true;
  }
}

/** One thing per name, made when first asked for; the longest unused goes when there are too many. */
class Shelf<Thing> {
  private readonly things = new Map<string, Thing>();

  constructor(
    private readonly make: () => Thing,
    private readonly most: number,
  ) {}

  of(name: string): Thing {
    const thing = this.things.get(name) ?? this.make();
    this.things.delete(name);
    this.things.set(name, thing);
    if (this.things.size > this.most) this.dropOldest();
    return thing;
  }

  private dropOldest(): void {
    for (const name of this.things.keys()) {
      this.things.delete(name);
      return;
    }
  }
}

class Address {
  lockedUntil = Number.NEGATIVE_INFINITY;
  readonly log = new SlidingLog(LIMITS.address.requests, LIMITS.address.milliseconds);
}

/** The interface's "Limits", in memory and by the exchange's clock. Each check throws {@link Refusal} when passed. */
export interface Limits {
  /** Trade host, per IP: 10,000 a minute, beyond that the IP is locked for an hour (4001). */
  address(address: string, now: number): void;
  /** Per API key: 60 a second, more are treated as invalid (4002). */
  key(accessKey: string, now: number): void;
  /** "K-line endpoint: one request per second". Chosen: for each IP. */
  kline(address: string, now: number): void;
}

export function statedLimits(): Limits {
  const addresses = new Shelf(() => new Address(), 1000);
  const keys = new Shelf(() => new SlidingLog(LIMITS.key.requests, LIMITS.key.milliseconds), 10_000);
  const kline = new Shelf(() => new SlidingLog(LIMITS.kline.requests, LIMITS.kline.milliseconds), 10_000);
  return {
    address: (name, now) => admitAddress(addresses.of(name), now),
    key: (name, now) => {
      if (!keys.of(name).admit(now)) throw new Refusal('tooFrequent', 'more than 60 a second');
    },
    kline: (name, now) => {
      if (!kline.of(name).admit(now)) throw new Refusal('tooFrequent', 'more than one a second');
    },
  };
}

function admitAddress(address: Address, now: number): void {
  const locked = now < address.lockedUntil;
  if (!locked && address.log.admit(now)) return;
  if (!locked) address.lockedUntil = now + LIMITS.address.lock;
  throw new Refusal('locked', `until ${new Date(address.lockedUntil).toISOString()}`);
}

export const NO_LIMITS: Limits = { address: () => undefined, key: () => undefined, kline: () => undefined };
