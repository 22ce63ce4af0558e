import type { Host } from '../../host.js';
import type { Bucket } from '../../protocol/operation.js';
import type { Budget } from '../budget.js';
import type { Lane, Permit, Permits } from './permits.js';

/** What a request has to have before it leaves: a permit of each limit that it draws from. */
export type PermitsOf = (bucket: Bucket) => readonly Permits[];

/** Keeps requests to the stated limits, together with every process that shares the permits. */
export class Limiter {
  readonly #queues: Readonly<Record<Lane, Map<Permits, Promise<unknown>>>> = { common: new Map(), cancel: new Map() };

  constructor(
    private readonly host: Pick<Host, 'sleep'>,
    private readonly budget: Budget,
    private readonly permitsOf: PermitsOf,
  ) {}

  /**
   * Does a request's work when it may leave, and counts it until its answer is there. Throws Failure `unreachable` where the
   * budget ends before, and what the work throws.
   */
  async within<Value>(bucket: Bucket, lane: Lane, work: () => Promise<Value>): Promise<Value> {
    const permits: Permit[] = [];
    try {
      for (const limit of this.permitsOf(bucket)) permits.push(await this.#inTurn(limit, lane));
      return await work();
    } finally {
      await Promise.all(permits.map((permit) => permit.done()));
    }
  }

  /** One after the other within this process: those who wait need not all look at once. */
  #inTurn(limit: Permits, lane: Lane): Promise<Permit> {
    const queue = this.#queues[lane];
    const mine = (queue.get(limit) ?? Promise.resolve()).then(() => this.#claimed(limit, lane));
    const settled = mine.catch(() => undefined);
    queue.set(limit, settled);
    return mine;
  }

  async #claimed(limit: Permits, lane: Lane): Promise<Permit> {
    for (;;) {
      const claim = await limit.claim(lane);
      if ('permit' in claim) return claim.permit;
      this.budget.require(claim.waitMs);
      await this.host.sleep(claim.waitMs);
    }
  }
}
