import { Failure } from '../../errors.js';
import { ChangeSignal } from '../../platform/change-signal.js';
import type { Answer } from '../../terminal/answer.js';
import type { Outage } from '../../terminal/live/live-picture.js';
import type { Context } from '../session/command.js';
import type { AnswerSnapshot, FirstAnswer, WatchedAnswer } from './watched-answer.js';

/** Between two reads while the exchange answers quickly and no one else needs its limits. */
const PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** A read that waits for its turn or for the exchange is followed by a pause that is longer by this factor. */
const PAUSE_PER_READ = 9;
/** A read may take so long before it is reported that no answer comes. */
const LATE_MS = 2_000;

/** An answer that is read again and again, more slowly while the shared limits are in use. */
export class PolledAnswer implements WatchedAnswer {
  readonly #context: Pick<Context, 'host' | 'budget'>;
  readonly #read: () => Promise<Answer>;

  readonly #ending = new AbortController();
  readonly #changes = new ChangeSignal();
  #kept: FirstAnswer;
  #pauseMs: number;
  #failed: string | null = null;
  /** Since when the read takes that is under way, on the monotonic clock. */
  #readingSince: number | undefined;

  constructor(context: Pick<Context, 'host' | 'budget'>, first: FirstAnswer, read: () => Promise<Answer>) {
    this.#context = context;
    this.#read = read;

    this.#kept = first;
    this.#pauseMs = pauseAfter(context.host.monotonic() - first.began);
    void this.#readAgain();
  }

  snapshot(): AnswerSnapshot {
    const { answer, began } = this.#kept;
    const ageMs = this.#context.host.monotonic() - began;
    const isCurrent = this.#failed === null && ageMs <= 2 * this.#pauseMs + LATE_MS;
    return { answer, source: 'polling', ageMs, isCurrent };
  }

  get trouble(): Outage | null {
    const { monotonic } = this.#context.host;
    const isLate = this.#readingSince !== undefined && monotonic() - this.#readingSince > LATE_MS;
    if (this.#failed === null && !isLate) return null;
    return { words: 'connection lost, reconnecting', reason: this.#failed ?? 'no answer yet' };
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#changes.next(signal);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#changes.close();
  }

  async #readAgain(): Promise<void> {
    const { host } = this.#context;
    const { signal } = this.#ending;
    for (;;) {
      await host.sleep(this.#pauseMs, signal);
      if (signal.aborted) return;
      await this.#readOnce();
      this.#changes.notify();
    }
  }

  async #readOnce(): Promise<void> {
    const { host, budget } = this.#context;
    const began = host.monotonic();
    budget.restart();
    this.#readingSince = began;
    try {
      const answer = await this.#read();
      this.#kept = { answer, began };
      this.#failed = answer.failure?.message ?? null;
      this.#pauseMs = pauseAfter(host.monotonic() - began);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      this.#failed = thrown.message;
      this.#pauseMs = PAUSE_MS;
    } finally {
      this.#readingSince = undefined;
    }
  }
}

function pauseAfter(tookMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, tookMs * PAUSE_PER_READ));
}
