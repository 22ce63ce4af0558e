import { Failure } from '../errors.js';

/** The time a whole command may take: all its requests, retries and waits. */
export class TimeBudget {
  readonly #now: () => number;

  #milliseconds: number;
  #end: number;
  /** How many questions wait for a person, and since when. */
  #waiting = { count: 0, since: 0 };
  #withoutDeadline = 0;

  /** @param isUserSet whether the user has set the time */
  constructor(
    milliseconds: number,
    now: () => number,
    readonly isUserSet = false,
  ) {
    this.#now = now;

    this.#milliseconds = milliseconds;
    this.#end = now() + milliseconds;
  }

  /** The whole budget in milliseconds. */
  get milliseconds(): number {
    return this.#milliseconds;
  }

  /** The same in words: `1 second`, `1.5 seconds`. */
  get words(): string {
    return `${this.milliseconds / 1000} second${this.milliseconds === 1000 ? '' : 's'}`;
  }

  /** Adds time for work that is known to need it, unless the user has set the time. */
  extend(milliseconds: number): void {
    if (this.isUserSet) return;
    this.#milliseconds += milliseconds;
    this.#end += milliseconds;
  }

  /** Adds as much time as is missing for work that takes this long, unless the user has set the time. */
  allowFor(milliseconds: number): void {
    this.extend(Math.max(0, milliseconds - this.remainingMs));
  }

  get remainingMs(): number {
    return Math.max(0, this.#end - (this.#waiting.count > 0 ? this.#waiting.since : this.#now()));
  }

  /** Whether the command has to end when no time is left. */
  get hasDeadline(): boolean {
    return this.#waiting.count === 0 && this.#withoutDeadline === 0;
  }

  /** Restarts the time, or less of it. Each step of a long listing or a live view gets its own. */
  restart(milliseconds = this.milliseconds): void {
    this.#end = this.#now() + Math.min(milliseconds, this.milliseconds);
  }

  /** Runs work that waits for a person, or for a program at the other end of a pipe. That time counts only if the user set it. */
  async pausedDuring<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.isUserSet) return work();
    if (this.#waiting.count === 0) this.#waiting.since = this.#now();
    this.#waiting.count += 1;
    try {
      return await work();
    } finally {
      this.#waiting.count -= 1;
      if (this.#waiting.count === 0) this.#end += this.#now() - this.#waiting.since;
    }
  }

  /** Runs work that goes on until it is ended on purpose. Its steps restart the time for their requests. */
  async withoutDeadline<Value>(work: () => Promise<Value>): Promise<Value> {
    const end = this.disableDeadline();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * Runs work that takes the time that it takes, as long as it makes progress, unless the user has set the time.
   * @param work calls the function for each step that it has made
   */
  whileProgressing<Value>(work: (progressed: () => void) => Promise<Value>): Promise<Value> {
    if (this.isUserSet) return work(() => {});
    return this.withoutDeadline(() => {
      this.restart();
      return work(() => this.restart());
    });
  }

  /** Turns the deadline off until the returned function is called. */
  disableDeadline(): () => void {
    this.#withoutDeadline += 1;
    return () => {
      this.#withoutDeadline -= 1;
    };
  }

  /** Throws Failure `unreachable` if less time is left. */
  require(milliseconds: number): void {
    if (this.allows(milliseconds)) return;
    const hint = `Use --timeout SECONDS to allow more than ${this.words}.`;
    throw new Failure('unreachable', 'No time was left to ask the exchange.', { hint });
  }

  allows(milliseconds: number): boolean {
    return this.remainingMs > milliseconds;
  }
}
