import { type Claim, HOLD_MS, type Lane, type Permits, type PermitTerms, POLL_MS } from './permits.js';

/** Permits of this process alone, for where nothing can be shared. Of a part of the limit: others do not know of them. */
export class PermitsInMemory implements Permits {
  /** When each is free again; Infinity while it is out. */
  readonly #freeAt: number[];

  constructor(
    private readonly terms: PermitTerms,
    private readonly now: () => number,
  ) {
    this.#freeAt = new Array<number>(terms.count).fill(0);
  }

  async claim(lane: Lane): Promise<Claim> {
    const first = lane === 'cancel' ? 0 : this.terms.reserved;
    const now = this.now();
    const number = this.#freeAt.findIndex((freeAt, index) => index >= first && freeAt <= now);
    if (number === -1) return { waitMs: Math.min(Math.max(Math.min(...this.#freeAt.slice(first)) - now, 1), POLL_MS) };
    this.#freeAt[number] = Number.POSITIVE_INFINITY;
    const backIn = async (milliseconds: number) => {
      this.#freeAt[number] = this.now() + milliseconds;
    };
    return { permit: { done: () => backIn(HOLD_MS), unused: () => backIn(0) } };
  }
}
