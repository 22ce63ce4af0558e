import type { Host } from '../host.js';
import type { Bucket } from '../protocol/operation.js';
import type { Budget } from './budget.js';
import { SlidingSecond } from './sliding-second.js';

interface Allowance {
  /** Requests a second in the long run. */
  readonly rate: number;
  /** So many that were held up may catch up at once. */
  readonly burst: number;
  /** So many may fall into any second, as the exchange counts; no such limit where it is left out. */
  readonly most?: number;
}

/** "60 requests per second" for a key, of which one is left; K-line has one a second, here with a margin for jitter. */
const ALLOWANCES: Readonly<Record<Bucket, Allowance>> = {
  unstated: { rate: Number.POSITIVE_INFINITY, burst: 0 },
  kline: { rate: 1 / 1.05, burst: 0 },
  key: { rate: 60, burst: 2, most: 59 },
  ip: { rate: 50, burst: 0 },
};

/** How long so many requests of a bucket take to leave, in milliseconds. */
export function paceOf(bucket: Bucket, requests: number): number {
  const { rate, most = rate } = ALLOWANCES[bucket];
  return Math.ceil((requests * 1_000) / Math.min(rate, most));
}

/** A request that may leave. One of both is called when it is over. */
export interface Turn {
  /** An answer came, or is not awaited any more. */
  answered(): void;
  /** It did not leave after all. */
  unused(): void;
}

/** One bucket: the requests leave one after the other, each when it is time for it. */
class Queue {
  readonly #allowance: Allowance;
  readonly #second: SlidingSecond | undefined;
  /** When the next one would be due if each had left in time. */
  #due = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    bucket: Bucket,
    private readonly host: Host,
    private readonly budget: Budget,
  ) {
    this.#allowance = ALLOWANCES[bucket];
    const { most } = this.#allowance;
    this.#second = most === undefined ? undefined : new SlidingSecond(most, host);
  }

  /** What is due is decided when the one before has left: many that a stalled process held up must not leave together. */
  turn(): Promise<Turn> {
    const turn = this.#last.then(() => this.#wait());
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #wait(): Promise<Turn> {
    const gap = 1_000 / this.#allowance.rate;
    const early = this.#allowance.burst * gap;
    const now = this.host.now();
    // a clock that was set back must not stop everything
    if (this.#due - now > early + gap) this.#due = now;
    const waitMs = Math.ceil(this.#due - early - now);
    this.budget.require(Math.max(0, waitMs));
    if (waitMs > 0) await this.host.sleep(waitMs);
    const turn = await this.#second?.admit(this.budget);
    this.#due = Math.max(this.host.now(), this.#due) + gap;
    return turn ?? NOTHING;
  }
}

const NOTHING: Turn = { answered: () => undefined, unused: () => undefined };

/** Keeps this process's own requests apart where the interface states a limit. */
export class Pace {
  readonly #queues = new Map<Bucket, Queue>();

  constructor(
    private readonly host: Host,
    private readonly budget: Budget,
  ) {}

  /** Resolves when a request of this bucket may leave. Throws Failure `unreachable` where the budget ends before. */
  turn(bucket: Bucket): Promise<Turn> {
    const queue = this.#queues.get(bucket) ?? new Queue(bucket, this.host, this.budget);
    this.#queues.set(bucket, queue);
    return queue.turn();
  }
}
