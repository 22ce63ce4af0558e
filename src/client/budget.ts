import { Failure } from '../errors.js';

/**
 * The time a whole command may take. All requests, retries and waits of the command draw from the same one. Work that may
 * go on for as long as it gets further can have it anew, unless the user has said how long the command may take.
 */
export class Budget {
  #end: number;

  constructor(
    readonly milliseconds: number,
    private readonly now: () => number,
    private readonly setBy: 'user' | 'default' = 'user',
  ) {
    this.#end = now() + milliseconds;
  }

  get leftMs(): number {
    return Math.max(0, this.#end - this.now());
  }

  /** The work got further: from now on there is as much time as at the start, where the user has set none. */
  renew(): void {
    if (this.setBy === 'default') this.#end = this.now() + this.milliseconds;
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
