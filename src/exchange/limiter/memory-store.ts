import type { Lane, PermitStore, PermitTerms, Taken } from './permits.js';

/** Permits of this process alone, for when nothing can be shared. */
export class MemoryStore implements PermitStore {
  /** When each is free again; Infinity while it is out. */
  readonly #freeAt: number[];

  constructor(
    private readonly terms: PermitTerms,
    private readonly now: () => number,
  ) {
    this.#freeAt = new Array<number>(terms.count).fill(0);
  }

  async take(lane: Lane): Promise<Taken> {
    const first = lane === 'cancel' ? 0 : this.terms.reserved;
    const now = this.now();
    const number = this.#freeAt.findIndex((freeAt, index) => index >= first && freeAt <= now);
    if (number === -1) return { waitMs: Math.min(...this.#freeAt.slice(first)) - now };
    this.#freeAt[number] = Number.POSITIVE_INFINITY;
    const giveBack = async (milliseconds: number) => {
      this.#freeAt[number] = this.now() + milliseconds;
    };
    return { giveBack };
  }
}
