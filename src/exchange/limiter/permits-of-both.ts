import type { Claim, Lane, Permit, Permits } from './permits.js';

/**
 * Permits of this home and, on top of them, of those that several machines share: a request takes one of each, so that a
 * home keeps to the limit whichever of its processes reach the others, and which of its profiles ask for that.
 */
export class PermitsOfBoth implements Permits {
  constructor(
    private readonly home: Permits,
    private readonly shared: Permits,
  ) {}

  /** Throws what the shared ones throw. */
  async claim(lane: Lane): Promise<Claim> {
    const own = await this.home.claim(lane);
    if (!('permit' in own)) return own;
    const claim = await this.shared.claim(lane).catch(async (thrown: unknown) => {
      await own.permit.unused();
      throw thrown;
    });
    if ('permit' in claim) return { permit: together(own.permit, claim.permit) };
    await own.permit.unused();
    return claim;
  }
}

function together(...permits: readonly Permit[]): Permit {
  return {
    done: async () => void (await Promise.all(permits.map((permit) => permit.done()))),
    unused: async () => void (await Promise.all(permits.map((permit) => permit.unused()))),
  };
}
