/** Who a permit is for. Some are kept for cancellations, which must get through when everything else waits. */
export type Lane = 'common' | 'cancel';

export interface PermitTerms {
  /** How many requests may arrive within a second. */
  readonly count: number;
  /** How many of them only cancellations take. */
  readonly reserved: number;
}

/** How long a permit stays out after the answer: a second, and what two clocks may run apart within it. */
export const HOLD_MS = 1_010;
/** The pause between two checks while every permit is out and none is known to come back, in milliseconds. */
export const POLL_MS = 25;

/** A permit taken from a store, or how long until the next one may be free. */
export type Taken =
  /** Frees it again after this many milliseconds. Never fails: that would hide the answer to the request. */
  { readonly giveBack: (milliseconds: number) => Promise<void> } | { readonly waitMs: number };

/** Where the permits of one limit are counted: in files, in memory or in Redis. */
export interface PermitStore {
  /** Takes a permit if one is free. Throws if the store cannot be used. */
  take(lane: Lane): Promise<Taken>;
}

/** The right to send one request. It counts from here until a second after its answer. */
export interface Permit {
  /** The answer has arrived, or the request has ended without one. */
  done(): Promise<void>;
  /** The request did not leave after all: the next one may have it at once. */
  unused(): Promise<void>;
}

/** A permit, or how many milliseconds to wait before asking again. */
export type Claim = { readonly permit: Permit } | { readonly waitMs: number };

/**
 * The permits of one limit: N at a time, each of which comes back a second after its request was answered.
 *
 * Why that keeps "at most N a second" exactly, however long requests are on their way: a request arrives between its
 * claim and its answer. Of all that arrive within one second take the one that was claimed last, at time t. Each of the
 * others was answered after t - 1 s, so its permit was still out at t, and no more than N permits are ever out.
 */
export class Permits {
  #stores: readonly PermitStore[];

  /**
   * @param stores a request takes a permit of each
   * @param without the stores to use once one of them fails
   */
  constructor(
    stores: readonly PermitStore[],
    private readonly without: (lost: PermitStore, thrown: unknown) => readonly PermitStore[] = (_, thrown) => {
      throw thrown;
    },
  ) {
    this.#stores = stores;
  }

  async claim(lane: Lane): Promise<Claim> {
    const held: ((milliseconds: number) => Promise<void>)[] = [];
    const giveBack = async (milliseconds: number) => void (await Promise.all(held.map((back) => back(milliseconds))));
    for (const store of this.#stores) {
      try {
        const taken = await store.take(lane);
        if ('giveBack' in taken) held.push(taken.giveBack);
        else {
          await giveBack(0);
          return { waitMs: Math.min(Math.max(taken.waitMs, 1), POLL_MS) };
        }
      } catch (thrown) {
        await giveBack(0);
        // another claim may have replaced it already
        if (this.#stores.includes(store)) this.#stores = this.without(store, thrown);
        return this.claim(lane);
      }
    }
    return { permit: { done: () => giveBack(HOLD_MS), unused: () => giveBack(0) } };
  }
}
