import type { Host } from '../host.js';
import type { Bucket } from '../protocol/operation.js';
import type { Budget } from './budget.js';

/**
 * Milliseconds between two requests of a bucket, with a margin for the network's jitter: K-line has one a second; a key
 * has 60 a second, of which one process takes 50.
 */
const GAPS: Readonly<Record<Bucket, number>> = { unstated: 0, kline: 1_050, key: 20, ip: 20 };

/** Keeps this process's own requests apart where the interface states a limit. */
export class Pace {
  readonly #next = new Map<Bucket, number>();

  constructor(
    private readonly host: Host,
    private readonly budget: Budget,
  ) {}

  /** Resolves when a request of this bucket may leave. Throws Failure `unreachable` where the budget ends before. */
  async turn(bucket: Bucket): Promise<void> {
    const now = this.host.now();
    const start = Math.max(now, this.#next.get(bucket) ?? 0);
    this.budget.require(start - now);
    this.#next.set(bucket, start + GAPS[bucket]);
    if (start > now) await this.host.sleep(start - now);
  }
}
