import { createHash } from 'node:crypto';

/** At least 0 and below 1. */
export type Draw = () => number;

/**
 * Random numbers that depend only on the seed and the name: concurrent processes draw in any order, and each
 * still has the same outcome.
 */
export function drawOf(seed: number, ...name: readonly (string | number)[]): Draw {
  let count = 0;
  return () => {
    count += 1;
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, count, ...name]))
      .digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}

export function chosen<Value>(draw: Draw, values: readonly Value[]): Value {
  const value = values[Math.floor(draw() * values.length)];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
}

/** One of the values, by weight. */
export function weighted<Value extends { readonly weight: number }>(draw: Draw, values: readonly Value[]): Value {
  let left = draw() * values.reduce((sum, { weight }) => sum + weight, 0);
  const found = values.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return found ?? chosen(draw, values);
}

/** From `least` to below `most`. */
export function between(draw: Draw, least: number, most: number): number {
  return least + draw() * (most - least);
}
