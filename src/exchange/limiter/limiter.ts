import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { Bucket } from '../operations/operation.js';
import type { IpLock } from './ip-lock.js';
import { LIMITS, LIMITS_OF, MemoryStore, type Permit, type PermitCount, Permits, type Priority } from './permits.js';

interface PermitRequest {
  readonly bucket: Bucket;
  readonly priority: Priority;
  /** Whether it may find out if the lock has ended: a request that changes nothing may. */
  readonly mayProbeLock: boolean;
}

type PermitSource = Pick<Permits, 'claim'>;

/** How a request ended: with a response, with one that reports the lock, or with none. */
export type SendResult = 'response' | 'lock' | 'nothing';

/** Permission to send one request. Call `end` or `cancel`, once. */
export interface RequestPermit {
  /** The response begins to arrive, so the exchange has counted the request. The time it takes to read the body does not delay
   * the release of the permit. */
  responded(): void;
  /** The response is complete, or the request ended without one. */
  end(result: SendResult): Promise<void>;
  /** The request was not sent. */
  cancel(): Promise<void>;
}

/** Keeps requests within the stated limits, together with every process that shares the permits. */
export class Limiter {
  readonly #host: Pick<Host, 'sleep' | 'monotonic'>;
  readonly #budget: TimeBudget;
  readonly #limits: RateLimits;

  readonly #queues: Readonly<Record<Priority, Map<PermitSource, Promise<unknown>>>> = {
    common: new Map(),
    cancel: new Map(),
  };

  constructor(host: Pick<Host, 'sleep' | 'monotonic'>, budget: TimeBudget, limits: RateLimits) {
    this.#host = host;
    this.#budget = budget;
    this.#limits = limits;
  }

  /**
   * Resolves when a request may be sent. It counts against the limits until its permit ends. Throws Failure `limited` if the
   * time budget ends first, and while the exchange has locked this machine's address.
   */
  async acquire({ bucket, priority, mayProbeLock }: PermitRequest): Promise<RequestPermit> {
    const permits: Permit[] = [];
    const cancel = async () => void (await Promise.all(permits.map((permit) => permit.cancel())));
    try {
      for (const limit of this.#limits.permitsOf(bucket)) permits.push(await this.#inTurn(limit, priority));
      const ipLock = countsPerIp(bucket) ? this.#limits.ipLock : undefined;
      const isProbe = ipLock?.requireFree(mayProbeLock) === 'probe';
      let respondedAt: number | undefined;
      const responded = () => {
        respondedAt = this.#host.monotonic();
      };
      const end = async (result: SendResult) => {
        // first, so that those who wait for one of the permits see the lock
        if (result === 'lock') ipLock?.recordLock();
        if (result === 'response' && isProbe) ipLock?.clear();
        const sinceAnswerMs = respondedAt === undefined ? 0 : this.#host.monotonic() - respondedAt;
        await Promise.all(permits.map((permit) => permit.release(sinceAnswerMs)));
      };
      return { responded, end, cancel };
    } catch (thrown) {
      await cancel();
      throw thrown;
    }
  }

  /** Claims a permit after the earlier callers of this process, so that only one of them polls. */
  #inTurn(limit: PermitSource, priority: Priority): Promise<Permit> {
    const queue = this.#queues[priority];
    const mine = (queue.get(limit) ?? Promise.resolve()).then(() => this.#waitForPermit(limit, priority));
    const withoutRejection = mine.catch(() => undefined);
    queue.set(limit, withoutRejection);
    return mine;
  }

  async #waitForPermit(limit: PermitSource, priority: Priority): Promise<Permit> {
    for (;;) {
      const claim = await limit.claim(priority);
      if ('permit' in claim) return claim.permit;
      if (!this.#budget.allows(claim.waitMs)) throw this.#timeUpFailure();
      await this.#host.sleep(claim.waitMs);
    }
  }

  #timeUpFailure(): Failure {
    const message = 'The rate limit left no room for this request before the time of this command was over.';
    const hint = `It was not sent. Use --timeout SECONDS to allow more than ${this.#budget.words}.`;
    return new Failure('limited', message, { hint });
  }
}

/** Whether a request counts towards the limit of the address: "Beyond that the IP is locked". */
function countsPerIp(bucket: Bucket): boolean {
  return bucket === 'key' || bucket === 'ip';
}

/** The limits for the requests to one host, whichever client sends them. */
export interface RateLimits {
  /** A request of a bucket takes a permit of each. */
  readonly permitsOf: (bucket: Bucket) => readonly Pick<Permits, 'claim'>[];
  /** Remembers that the trade host has locked this machine's address. Absent: locks are not remembered. */
  readonly ipLock?: IpLock;
}

/** The limits of a client that shares them with no other. @param now a clock in milliseconds from an arbitrary start */
export function ownRateLimits(now: () => number): RateLimits {
  const inMemory = (limit: PermitCount) => new Permits([new MemoryStore(limit, now)]);
  const permits = { key: inMemory(LIMITS.key), address: inMemory(LIMITS.address), kline: inMemory(LIMITS.kline) };
  return { permitsOf: (bucket) => LIMITS_OF[bucket].map((name) => permits[name]) };
}
