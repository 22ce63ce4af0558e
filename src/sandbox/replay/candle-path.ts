import { Decimal } from '../../domain/decimal.js';
import type { FileCandle } from './candle-prices.js';

/**
 * How the price moves within a candle, which does not say so. `random` is a walk from open to close that reaches the high and the low
 * somewhere, the same for the same seed. `ohlc` and `olhc` reach the extremes in this order. `worst` is decided while the candle is replayed.
 */
export type CandlePath =
  | { readonly kind: 'random'; readonly seed: number }
  | { readonly kind: 'ohlc' | 'olhc' | 'worst' };

export const DEFAULT_SEED = 1;
export const RANDOM_PATH: CandlePath = { kind: 'random', seed: DEFAULT_SEED };

/** A price of a candle, and when it is reached, as a share of the candle's length in units of {@link WHOLE}. */
export interface PathPoint {
  readonly at: number;
  readonly price: Decimal;
}

/** Of a share. */
export const WHOLE = 2 ** 16;
/** Few enough for a year of minutes; with fewer, what is reached tells more of what follows. */
const STEPS = 6;
const MOST_TRIES = 40;
const STEP_SIZE = 256;
const SHARE_DECIMALS = 4;

/** The prices of a candle that is over, from its open to its close. Those of `worst` are those of `ohlc`, none left out. */
export function pathOf(candle: FileCandle, path: CandlePath, market: string, length: number): PathPoint[] {
  const { open, high, low, close } = candle;
  if (path.kind !== 'random') {
    const points = quarters([open, ...(path.kind === 'olhc' ? [low, high] : [high, low]), close]);
    return path.kind === 'worst' ? points : points.filter(isNews);
  }
  if (high.equals(low)) return [{ at: 0, price: open }];
  const random = randomOf(path.seed, market, candle.time, length);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const prices = stretched(walk(random, candle), candle);
    if (prices !== undefined) return scattered(prices, random).filter(isNews);
  }
  const prices = [open, ...(random() % 2 === 0 ? [low, high] : [high, low]), close];
  return scattered(prices, random).filter(isNews);
}

/** Whether a candle that is still open, and has a new high and a new low, reached the high first. */
export function isHighFirst({ time }: FileCandle, path: CandlePath, market: string, length: number): boolean {
  if (path.kind !== 'random') return path.kind !== 'olhc';
  return randomOf(path.seed, market, time, length)() % 2 === 0;
}

function quarters(prices: readonly Decimal[]): PathPoint[] {
  return prices.map((price, index) => ({ at: (index * WHOLE) / prices.length, price }));
}

/** One price in each of as many equal parts of the candle, somewhere in it; the first at once. */
function scattered(prices: readonly Decimal[], random: () => number): PathPoint[] {
  return prices.map((price, index) => {
    const within = index === 0 ? 0 : random() % WHOLE;
    return { at: Math.floor((index * WHOLE + within) / prices.length), price };
  });
}

function isNews({ price }: PathPoint, index: number, points: readonly PathPoint[]): boolean {
  return index === 0 || !price.equals(points[index - 1]?.price ?? Decimal.zero);
}

/** A random walk whose end, relative to its range, is about that of the candle. Its heights are whole numbers around zero. */
function walk(random: () => number, { open, high, low, close }: FileCandle): number[] {
  const heights = [0];
  for (let step = 0; step < STEPS; step += 1) {
    const bits = random();
    const size = (bits % STEP_SIZE) + ((bits >>> 8) % STEP_SIZE) + ((bits >>> 16) % STEP_SIZE);
    heights.push((heights[step] ?? 0) + size - Math.floor((3 * (STEP_SIZE - 1)) / 2));
  }
  const end = heights.at(-1) ?? 0;
  const bridge = heights.map((height, step) => height * STEPS - step * end);
  const share = Number(close.minus(open).dividedBy(high.minus(low), SHARE_DECIMALS, 'down').toString());
  // the further it goes, the more of its range lies between its ends
  const drift = share * (1 + Math.abs(share)) * (Math.max(...bridge) - Math.min(...bridge));
  return bridge.map((height, step) => height + Math.round((step * drift) / STEPS));
}

/**
 * A walk as prices of a candle: its ends at open and close, its extremes at high and low. Undefined for a walk of another kind: one that
 * leaves the range between its ends where the candle does not, or the other way round.
 */
function stretched(heights: readonly number[], { open, high, low, close }: FileCandle): Decimal[] | undefined {
  const rises = close.compare(open);
  const last = heights.at(-1) ?? 0;
  if (Math.sign(last) !== rises) return undefined;
  const [top, bottom] = [Math.max(...heights), Math.min(...heights)];
  const [upper, lower] = [Math.max(0, last), Math.min(0, last)];
  const [upperPrice, lowerPrice] = rises >= 0 ? [close, open] : [open, close];
  if (top > upper !== high.compare(upperPrice) > 0 || bottom < lower !== low.compare(lowerPrice) < 0) return undefined;
  const scale = Math.max(open.scale, high.scale, low.scale, close.scale);
  return heights.map((height) => {
    if (height >= upper) return between(upperPrice, high, height - upper, top - upper, scale);
    if (height <= lower) return between(lowerPrice, low, lower - height, lower - bottom, scale);
    return between(lowerPrice, upperPrice, height - lower, upper - lower, scale);
  });
}

/** The price that is so many of all steps on the way. */
function between(from: Decimal, to: Decimal, steps: number, all: number, scale: number): Decimal {
  if (steps === 0) return from;
  if (steps === all) return to;
  const [begin, end] = [from.rescaled(scale, 'down').units, to.rescaled(scale, 'down').units];
  return Decimal.fromUnits(begin + ((end - begin) * BigInt(steps)) / BigInt(all), scale);
}

/** Whole numbers below 2^32 that look random: the same for the same seed and candle, whatever else a tape has. */
function randomOf(seed: number, market: string, time: number, length: number): () => number {
  let state = seed | 0;
  const mix = (value: number) => {
    state = Math.imul(state ^ value, 0x9e37_79b1);
    state ^= state >>> 15;
  };
  for (let index = 0; index < market.length; index += 1) mix(market.charCodeAt(index));
  mix(Math.floor(time / 60_000));
  mix(Math.floor(length / 60_000));
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
