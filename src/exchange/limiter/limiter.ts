import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { Budget } from '../budget.js';
import type { Bucket } from '../operations/operation.js';
import type { Lane, Limits, Permit, Permits } from './limits.js';

interface Asked {
  readonly bucket: Bucket;
  readonly lane: Lane;
  /** Whether it may be used to find out that a lock has ended: a request that changes nothing may. */
  readonly mayProbe: boolean;
}

type Source = Pick<Permits, 'claim'>;

/** What came of a request that left: an answer, an answer that reports the lock, or nothing. */
export type TurnEnd = 'answer' | 'lock' | 'nothing';

/** A request that may leave. Call one of the two methods, once. */
export interface Turn {
  /** An answer came, or none is awaited any more. */
  over(end: TurnEnd): Promise<void>;
  /** The request did not leave after all. */
  unused(): Promise<void>;
}

/** Keeps requests within the stated limits, together with every process that shares the permits. */
export class Limiter {
  readonly #queues: Readonly<Record<Lane, Map<Source, Promise<unknown>>>> = { common: new Map(), cancel: new Map() };

  constructor(
    private readonly host: Pick<Host, 'sleep'>,
    private readonly budget: Budget,
    private readonly limits: Limits,
  ) {}

  /**
   * Resolves when a request may leave; it counts until its turn is over. Throws Failure `limited` if the time budget ends
   * first, and while the exchange has locked this machine's address.
   */
  async turn({ bucket, lane, mayProbe }: Asked): Promise<Turn> {
    const permits: Permit[] = [];
    const unused = async () => void (await Promise.all(permits.map((permit) => permit.unused())));
    try {
      for (const limit of this.limits.permitsOf(bucket)) permits.push(await this.#inTurn(limit, lane));
      const breaker = drawsFromAddress(bucket) ? this.limits.breaker : undefined;
      const isProbe = breaker?.check(mayProbe) === 'probe';
      const over = async (end: TurnEnd) => {
        // first, so that those who wait for one of the permits see the lock
        if (end === 'lock') breaker?.trip();
        if (end === 'answer' && isProbe) breaker?.clear();
        await Promise.all(permits.map((permit) => permit.done()));
      };
      return { over, unused };
    } catch (thrown) {
      await unused();
      throw thrown;
    }
  }

  /** One at a time within this process: waiting callers need not all poll. */
  #inTurn(limit: Source, lane: Lane): Promise<Permit> {
    const queue = this.#queues[lane];
    const mine = (queue.get(limit) ?? Promise.resolve()).then(() => this.#claimed(limit, lane));
    const settled = mine.catch(() => undefined);
    queue.set(limit, settled);
    return mine;
  }

  async #claimed(limit: Source, lane: Lane): Promise<Permit> {
    for (;;) {
      const claim = await limit.claim(lane);
      if ('permit' in claim) return claim.permit;
      if (!this.budget.allows(claim.waitMs)) throw this.#late();
      await this.host.sleep(claim.waitMs);
    }
  }

  #late(): Failure {
    const message = "Other requests used up the exchange's limits until the time was over.";
    const hint = `Nothing was sent. --timeout gives a command more than its ${this.budget.milliseconds / 1000} seconds.`;
    return new Failure('limited', message, { hint });
  }
}

/** "Beyond that the IP is locked": requests to the trade host. */
function drawsFromAddress(bucket: Bucket): boolean {
  return bucket === 'key' || bucket === 'ip';
}
