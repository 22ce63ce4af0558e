import { Failure } from '../../../errors.js';
import { backoffMs } from '../../../platform/backoff.js';
import type { Host } from '../../../platform/host.js';
import type { AlgoFact } from '../record/facts.js';
import type { AlgoStore } from '../record/store.js';

/** After a fact that could not be written, in milliseconds. */
const RETRY_MS = { first: 500, longest: 2_000 };

const WRITTEN = { count: 0, until: 0, text: '' };

/** Writes the facts of one algo order. After one that the disk has not taken, none is tried for a moment. */
export class FactWriter {
  readonly #algo: string;
  readonly #store: Pick<AlgoStore, 'add' | 'reserve'>;
  readonly #host: Pick<Host, 'monotonic'>;
  readonly #tell: (text: string) => void;
  /** How many could not be written in a row, and until when none is tried, on the monotonic clock. */
  #unwritten = WRITTEN;

  constructor(
    algo: string,
    store: Pick<AlgoStore, 'add' | 'reserve'>,
    host: Pick<Host, 'monotonic'>,
    tell: (text: string) => void,
  ) {
    [this.#algo, this.#store, this.#host, this.#tell] = [algo, store, host, tell];
  }

  /** Whether none is tried now. */
  get isHeld(): boolean {
    return this.#unwritten.until > this.#host.monotonic();
  }

  /** Why none is tried now; null if one is. */
  get trouble(): string | null {
    return this.isHeld ? this.#unwritten.text : null;
  }

  /** When one is tried again, on the monotonic clock; infinity if the last one was written. */
  get dueAt(): number {
    return this.#unwritten.until || Number.POSITIVE_INFINITY;
  }

  /** A wait that is over needs no other look. */
  woke(): void {
    if (!this.isHeld) this.#unwritten = { ...this.#unwritten, until: 0 };
  }

  tryAgain(): void {
    this.#unwritten = WRITTEN;
  }

  /** Returns false if the disk does not take it: nothing may follow from it. */
  write(fact: AlgoFact): boolean {
    try {
      this.#store.add(this.#algo, fact);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // the disk is full: there is room for what a stop has to record
      if (fact.fact === 'triggered' && this.#store.reserve.free()) return this.write(fact);
      const { count, text: before } = this.#unwritten;
      const text = `NOT PROTECTED: ${error.message}`;
      if (text !== before) this.#tell(`${text} pit tries again.`);
      this.#unwritten = { count: count + 1, until: this.#host.monotonic() + backoffMs(count, RETRY_MS), text };
      return false;
    }
    this.#unwritten = WRITTEN;
    return true;
  }
}
