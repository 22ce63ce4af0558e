/**
 * A stateless random number from 0 to below 1. It depends only on its arguments, so that a step can be repeated or computed on
 * its own. The mixing is MurmurHash3's finaliser, applied after each argument.
 */
export function random(seed: number, ...path: readonly number[]): number {
  let hash = mix(seed | 0);
  // a sandbox starts with tens of thousands of calls, in which an iterator would cost more than the mixing
  for (let index = 0; index < path.length; index += 1) {
    const part = path[index] ?? 0;
    hash = mix(Math.imul(hash, 31) ^ mix(part | 0) ^ Math.floor(part / 2 ** 32));
  }
  return (hash >>> 0) / 2 ** 32;
}

/** A sequence of random numbers for one purpose. */
export class RandomStream {
  #drawn = 0;
  readonly #start: number;

  constructor(seed: number, ...path: readonly number[]) {
    this.#start = Math.floor(random(seed, ...path) * 2 ** 32);
  }

  /** From 0 to below 1. */
  next(): number {
    this.#drawn += 1;
    return random(this.#start, this.#drawn);
  }

  /** From an exponential distribution with the given mean. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) + 0x9e3779b9;
}
