import { createRequire } from 'node:module';
import { VirtualClock } from '../../../src/commands/rehearse/virtual-clock.js';

type Timers = Pick<typeof globalThis, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>;

const timersPromises = createRequire(import.meta.url)('node:timers/promises') as {
  setTimeout: (milliseconds?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;
};

/** The clock on which the timers of this process are, if they are on one. */
let installed: WorldClock | undefined;

/**
 * Makes the promises of `node:timers` wait for the installed clock, in modules that are synchronised after this. It is done once for all
 * worlds, because synchronising takes a noticeable part of the time that a world takes.
 */
export function wrapDelays(): void {
  const { setTimeout: delay } = timersPromises;
  timersPromises.setTimeout = async (ms = 1, value = undefined, options = {}) => {
    if (installed === undefined) return delay(ms, value, options);
    const { signal } = options;
    signal?.throwIfAborted();
    await installed.sleep(Math.max(1, ms), signal);
    signal?.throwIfAborted();
    return value;
  };
}

/** The timers of the machine, for the little that a world itself waits for. */
export const REAL = { setTimeout: globalThis.setTimeout, performanceNow: performance.now.bind(performance) };

/**
 * A clock that jumps, and the timers of this process on it: while it is installed, whatever waits by `setTimeout`, `setInterval` or the
 * promises of `node:timers` waits for this clock, and `performance.now` shows it.
 */
export class WorldClock extends VirtualClock {
  /** Makes the timers of this process those of the clock. Returns what undoes it. */
  install(isOver: () => boolean): () => void {
    const global = globalThis as unknown as Record<keyof Timers, unknown>;
    const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
    const before = { setTimeout, setInterval, clearTimeout, clearInterval };
    const { now } = performance;
    const start = (work: (...given: unknown[]) => void, every: boolean, ms: number, given: unknown[]) =>
      new Timer(this, () => !isOver() && work(...given), ms, every);
    const clear = (timer: unknown) => {
      if (timer instanceof Timer) timer.end();
      else before.clearTimeout(timer as never);
    };
    global.setTimeout = (work: () => void, ms = 0, ...given: unknown[]) => start(work, false, ms, given);
    global.setInterval = (work: () => void, ms = 0, ...given: unknown[]) => start(work, true, ms, given);
    global.clearTimeout = clear;
    global.clearInterval = clear;
    installed = this;
    performance.now = () => this.monotonic();
    return () => {
      Object.assign(globalThis, before);
      installed = undefined;
      performance.now = now;
    };
  }
}

/** What `setTimeout` and `setInterval` return. */
class Timer {
  readonly #ended = new AbortController();
  readonly #clock: WorldClock;
  readonly #work: () => unknown;
  readonly #ms: number;
  readonly #every: boolean;

  constructor(clock: WorldClock, work: () => unknown, ms: number, every: boolean) {
    this.#clock = clock;
    this.#work = work;
    this.#ms = Math.max(1, Number.isFinite(ms) ? ms : 1);
    this.#every = every;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    do {
      await this.#clock.sleep(this.#ms, signal);
      if (signal.aborted) return;
      this.#work();
    } while (this.#every);
  }

  end(): void {
    // with a reason, because an error of its own would have to be made for each
    this.#ended.abort('ended');
  }

  refresh(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}
