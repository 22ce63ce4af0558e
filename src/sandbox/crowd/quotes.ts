import type { Side } from '../engine/order.js';
import { random } from './chance.js';
import type { Band, Profile } from './profile.js';

/**
 * The prices that the makers want to quote on a side, best first, for a fair price in ticks: whole ticks, still as numbers,
 * because most of them are quoted already and need no order.
 *
 * They lie on a grid that does not move with the price: each band cuts all prices into cells of its width and has one
 * quote somewhere in each cell, always at the same place. So when the fair price moves, few quotes change.
 */
export function wantedPrices(seed: number, profile: Profile, side: Side, fair: number): number[] {
  const prices: number[] = [];
  let near = profile.halfSpread;
  for (const [index, band] of profile.bands.entries()) {
    const far = near + band.quotes * band.width;
    const cells = side === 'buy' ? cellsBelow(fair, near, far, band) : cellsAbove(fair, near, far, band);
    for (const cell of cells) {
      const price = cell * band.width + Math.floor(random(seed, index, cell) * band.width);
      const distance = side === 'buy' ? fair - price : price - fair;
      if (distance >= near && distance < far && price > 0) prices.push(price);
    }
    near = far;
  }
  return prices;
}

function* cellsAbove(fair: number, near: number, far: number, { width }: Band): Generator<number> {
  const last = Math.floor((fair + far) / width);
  for (let cell = Math.floor((fair + near) / width); cell <= last; cell += 1) yield cell;
}

function* cellsBelow(fair: number, near: number, far: number, { width }: Band): Generator<number> {
  const last = Math.floor((fair - far) / width);
  for (let cell = Math.floor((fair - near) / width); cell >= last; cell -= 1) yield cell;
}

/** An amount in lots with two or three significant digits, as people like them; never below `least`. */
export function sizedAmount(wanted: number, least: number, precise: boolean): bigint {
  const digits = Math.max(0, Math.floor(Math.log10(Math.max(1, wanted))) - (precise ? 2 : 1));
  const unit = 10 ** digits;
  return BigInt(Math.max(least, Math.round(wanted / unit) * unit, 1));
}
