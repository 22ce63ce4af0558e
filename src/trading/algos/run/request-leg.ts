import { backoffMs } from '../../../platform/backoff.js';
import type { Host } from '../../../platform/host.js';
import type { Child } from '../plan/children.js';

/** After something that may pass, in milliseconds: while a reached stop waits for it, and otherwise. */
const RETRY_MS = { first: 500, longest: 15_000 };
const URGENT_MS = { first: 500, longest: 2_000 };
const LIMIT_MS = { first: 1_000, longest: 30_000 };

/** The requests of one leg of an algo order: one order is on its way at a time, and after a failure it waits for a moment. */
export class RequestLeg {
  readonly #host: Pick<Host, 'monotonic'>;
  readonly #cancelling = new Set<string>();
  isPlacing = false;
  /** What did not work the last time; null if it did. */
  #trouble: string | null = null;
  #failures = 0;
  /** On the monotonic clock. */
  #retryAt = 0;

  constructor(host: Pick<Host, 'monotonic'>) {
    this.#host = host;
  }

  get isBusy(): boolean {
    return this.isPlacing || this.#host.monotonic() < this.#retryAt;
  }

  /** What keeps it from going on now; null if nothing does. */
  get trouble(): string | null {
    return this.isBusy ? this.#trouble : null;
  }

  /** A wait that is over needs no other look. */
  woke(): void {
    if (this.#retryAt <= this.#host.monotonic()) this.#retryAt = 0;
  }

  /** When it may go on, on the monotonic clock; infinity if it may. */
  get dueAt(): number {
    return this.#retryAt > 0 ? this.#retryAt : Number.POSITIVE_INFINITY;
  }

  isCancelling(child: Child): boolean {
    return this.#cancelling.has(nameOf(child)) || this.#host.monotonic() < this.#retryAt;
  }

  cancelling(child: Child, isUnderWay: boolean): void {
    if (isUnderWay) this.#cancelling.add(nameOf(child));
    else this.#cancelling.delete(nameOf(child));
  }

  succeeded(): void {
    [this.#failures, this.#retryAt, this.#trouble] = [0, 0, null];
  }

  /** Something did not work. Returns whether it is something new. */
  failed(text: string, isUrgent: boolean): boolean {
    this.#retryAt = this.#host.monotonic() + backoffMs(this.#failures, isUrgent ? URGENT_MS : RETRY_MS);
    this.#failures += 1;
    const isNew = this.#trouble !== text;
    this.#trouble = text;
    return isNew;
  }

  /** How long the exchange is given that has said that there are too many requests, in milliseconds. */
  limitMs(): number {
    const pauseMs = backoffMs(this.#failures, LIMIT_MS);
    this.#failures += 1;
    return pauseMs;
  }
}

function nameOf({ number, duplicate }: Child): string {
  return `${number} ${duplicate}`;
}
