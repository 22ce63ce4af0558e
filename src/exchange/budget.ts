import { Failure } from '../errors.js';

/** The time a whole command may take. All requests, retries and waits of the command draw from the same one. */
export class Budget {
  #milliseconds: number;
  #end: number;

  /** @param chosen whether the user has said how long it may take */
  constructor(
    milliseconds: number,
    private readonly now: () => number,
    private readonly chosen = false,
  ) {
    this.#milliseconds = milliseconds;
    this.#end = now() + milliseconds;
  }

  /** What there was at the start, in milliseconds. */
  get milliseconds(): number {
    return this.#milliseconds;
  }

  /** Gives more time for work that is known to take it, unless the user has said how long it may take. */
  lengthen(milliseconds: number): void {
    if (this.chosen) return;
    this.#milliseconds += milliseconds;
    this.#end += milliseconds;
  }

  get leftMs(): number {
    return Math.max(0, this.#end - this.now());
  }

  /** Begins anew, with all of the time or so much of it: what goes on for as long as somebody likes draws for each step. */
  renew(milliseconds = this.milliseconds): void {
    this.#end = this.now() + Math.min(milliseconds, this.milliseconds);
  }

  /** Does something that takes as long as a person likes: it draws nothing. */
  async outside<Value>(work: () => Promise<Value>): Promise<Value> {
    const start = this.now();
    try {
      return await work();
    } finally {
      this.#end += this.now() - start;
    }
  }

  /** Throws Failure `unreachable` where so long is not left. */
  require(milliseconds: number): void {
    if (this.allows(milliseconds)) return;
    const hint = `--timeout gives a command more than its ${this.milliseconds / 1000} seconds.`;
    throw new Failure('unreachable', 'No time was left to ask the exchange.', { hint });
  }

  allows(milliseconds: number): boolean {
    return this.leftMs > milliseconds;
  }
}
