import type { Host } from '../../../platform/host.js';

/** Between two looks at what is due, in milliseconds. */
const TICK_MS = 200;
/** In a rehearsed program, whose exchange has a faster clock. */
const SHORTEST_TICK_MS = 10;
/** The longest pause of a process that is alone. */
export const LONGEST_TICK_MS = 3_600_000;

/** The pause between two ticks. In a process that is alone it lasts until something is due. */
export class TickPause {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>;
  readonly #isAlone: boolean;

  #cut = new AbortController();
  #until = 0;
  #hasEnded = false;

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>, isAlone: boolean) {
    [this.#host, this.#isAlone] = [host, isAlone];
  }

  /**
   * Waits for the next tick.
   * @param clockSpeed how fast the exchange's clock is
   * @param dueInMs in how many milliseconds there is something to do that no event reports
   */
  async wait(clockSpeed: number, dueInMs: () => number): Promise<void> {
    const tickMs = Math.max(SHORTEST_TICK_MS, TICK_MS / clockSpeed);
    const pauseMs = this.#isAlone ? Math.max(TICK_MS, dueInMs()) : tickMs;
    this.#until = this.#host.monotonic() + pauseMs;
    this.#cut = new AbortController();
    if (!this.#hasEnded) await this.#host.sleep(pauseMs, this.#cut.signal);
  }

  /** Something has to be done in so many milliseconds, which may be earlier than was known. */
  endIn(ms: number): void {
    if (this.#isAlone && this.#host.monotonic() + ms < this.#until) this.#cut.abort();
  }

  /** Ends this pause, and all that would follow. */
  end(): void {
    this.#hasEnded = true;
    this.#cut.abort();
  }
}
