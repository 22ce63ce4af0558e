import type { Bucket } from '../operations/operation.js';

/**
 * "60 requests per second" for a key; a few of them are kept for cancellations. "10000 requests per minute" for an
 * address and a lock of an hour beyond: 150 a second is 9,000 a minute. "One request per second" of K-line.
 */
export const LIMITS = {
  key: { count: 60, reserved: 3 },
  address: { count: 150, reserved: 3 },
  kline: { count: 1, reserved: 0 },
} as const satisfies Record<string, PermitCount>;

export type RateLimitName = keyof typeof LIMITS;

/** The limits that a call of a bucket draws from. */
export const LIMITS_OF: Readonly<Record<Bucket, readonly RateLimitName[]>> = {
  none: [],
  kline: ['kline'],
  ip: ['address'],
  key: ['key', 'address'],
};

/** The part of a limit that this process may use while the limit cannot be shared. It is at least one request. */
export function fractionOf({ count, reserved }: PermitCount, share: number): PermitCount {
  const part = Math.max(1, Math.floor(count * share));
  return { count: part, reserved: Math.min(reserved, Math.max(0, part - 1), 1) };
}

/** How many milliseconds it takes to send this many requests of a key if nothing else uses its limit. */
export function timeFor(requests: number): number {
  const { count, reserved } = LIMITS.key;
  return Math.ceil((requests * HOLD_MS) / (count - reserved));
}

/** What a permit is for. Some permits are reserved for cancellations and reached stops, which must get through while everything else waits. */
export type Priority = 'common' | 'cancel';

export interface PermitCount {
  /** How many requests may arrive within a second. */
  readonly count: number;
  /** How many of them only cancellations take. */
  readonly reserved: number;
}

/** How long a permit stays taken after the response, in milliseconds: a second, and a little more because clocks may differ. */
export const HOLD_MS = 1_010;
/** The pause between two checks while every permit is taken and no release is due, in milliseconds. */
export const POLL_MS = 25;

/** A permit that was taken from a store, or how many milliseconds remain until one may be free. */
export type TakeResult =
  /** Frees the permit after this many milliseconds. It never fails, because that would hide the response to the request. */
  { readonly release: (milliseconds: number) => Promise<void> } | { readonly waitMs: number };

/** Where the permits of one limit are counted: in files, in memory or in Redis. */
export interface PermitStore {
  /** Takes a permit if one is free. Throws if the store cannot be used. */
  take(priority: Priority): Promise<TakeResult>;
}

/** Permission for one request, held until a second after its response. */
export interface Permit {
  /**
   * Call it when the request has ended.
   * @param sinceAnswerMs the time since the response began to arrive; 0 without a response
   */
  release(sinceAnswerMs: number): Promise<void>;
  /** Call it if the request was not sent: the next request may have the permit at once. */
  cancel(): Promise<void>;
}

/** A permit, or how many milliseconds to wait before asking again. */
export type PermitOrWait = { readonly permit: Permit } | { readonly waitMs: number };

/**
 * The permits of one limit: at most N are taken at a time. Each is free again a second after its request was answered.
 *
 * Why that keeps "at most N a second" exactly, however long requests are on their way: a request arrives between its
 * claim and its response. Of all that arrive within one second take the one that was claimed last, at time t. Each of the
 * others was answered after t - 1 s, so its permit was still taken at t, and no more than N permits are ever taken.
 */
export class Permits {
  readonly #storesWithout: (lost: PermitStore, thrown: unknown) => readonly PermitStore[];

  #stores: readonly PermitStore[];

  /**
   * @param stores a request takes a permit of each
   * @param storesWithout returns the stores to use after one of them has failed
   */
  constructor(
    stores: readonly PermitStore[],
    storesWithout: (lost: PermitStore, thrown: unknown) => readonly PermitStore[] = (_, thrown) => {
      throw thrown;
    },
  ) {
    this.#storesWithout = storesWithout;

    this.#stores = stores;
  }

  async claim(priority: Priority): Promise<PermitOrWait> {
    const held: ((milliseconds: number) => Promise<void>)[] = [];
    const release = async (milliseconds: number) =>
      void (await Promise.all(held.map((releaseOne) => releaseOne(milliseconds))));
    for (const store of this.#stores) {
      try {
        const taken = await store.take(priority);
        if ('release' in taken) held.push(taken.release);
        else {
          await release(0);
          return { waitMs: Math.min(Math.max(taken.waitMs, 1), POLL_MS) };
        }
      } catch (thrown) {
        await release(0);
        // another claim may have replaced it already
        if (this.#stores.includes(store)) this.#stores = this.#storesWithout(store, thrown);
        return this.claim(priority);
      }
    }
    const endHold = (sinceAnswerMs: number) => release(Math.max(0, HOLD_MS - sinceAnswerMs));
    return { permit: { release: endHold, cancel: () => release(0) } };
  }
}

/** Permits of this process alone, for limits that cannot be shared. */
export class MemoryStore implements PermitStore {
  readonly #limit: PermitCount;
  readonly #now: () => number;

  /** When each permit is free again; Infinity while a request holds it. */
  readonly #freeAt: number[];

  constructor(limit: PermitCount, now: () => number) {
    this.#limit = limit;
    this.#now = now;

    this.#freeAt = new Array<number>(limit.count).fill(0);
  }

  async take(priority: Priority): Promise<TakeResult> {
    const first = priority === 'cancel' ? 0 : this.#limit.reserved;
    const now = this.#now();
    const number = this.#freeAt.findIndex((freeAt, index) => index >= first && freeAt <= now);
    if (number === -1) return { waitMs: Math.min(...this.#freeAt.slice(first)) - now };
    this.#freeAt[number] = Number.POSITIVE_INFINITY;
    const release = async (milliseconds: number) => {
      this.#freeAt[number] = this.#now() + milliseconds;
    };
    return { release };
  }
}
