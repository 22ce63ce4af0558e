import type { Claim, Lane, Permits } from './permits.js';

/** Permits that others share, and what counts in their place once those cannot be had: a part of the limit, as a rule. */
export class PermitsWithAShare implements Permits {
  #lost = false;

  /** @param away told once, when the share begins to count, with what went wrong */
  constructor(
    private readonly shared: Permits,
    private readonly share: Permits,
    private readonly away: (thrown: unknown) => void,
  ) {}

  async claim(lane: Lane): Promise<Claim> {
    if (this.#lost) return this.share.claim(lane);
    try {
      return await this.shared.claim(lane);
    } catch (thrown) {
      this.#lost = true;
      this.away(thrown);
      return this.share.claim(lane);
    }
  }
}
