import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MARKETS } from '../../../src/sandbox/markets/market.js';
import { recordedMinutes } from '../../../src/sandbox/markets/recorded-minutes.js';
import { PricePath } from '../../../src/sandbox/simulator/price-path.js';
import { RandomStream, random } from '../../../src/sandbox/simulator/random.js';
import { profileOf, sizedAmount, wantedPrices } from '../../../src/sandbox/simulator/traders.js';

test('random numbers depend only on their arguments and are uniform', () => {
  expect(random(1, 2, 3)).toBe(random(1, 2, 3));
  expect(random(1, 2, 3)).not.toBe(random(1, 3, 2));
  const draws = Array.from({ length: 20_000 }, (_, index) => random(5, index));
  for (const tenth of Array.from({ length: 10 }, (_, index) => index / 10)) {
    const share = draws.filter((draw) => draw >= tenth && draw < tenth + 0.1).length / draws.length;
    expect(share).toBeGreaterThan(0.09);
    expect(share).toBeLessThan(0.11);
  }
  const [one, other] = [new RandomStream(1, 2), new RandomStream(1, 2)];
  expect([one.next(), one.next()]).toEqual([other.next(), other.next()]);
});

describe.each([...MARKETS.values()].map((market) => [market.name, market] as const))('quotes of %s', (_, market) => {
  const profile = profileOf(market);

  test('the quotes are many, best first, outside the spread, and mostly stay when the price moves a little', () => {
    const seeds = fc.integer({ min: 0, max: 2 ** 31 });
    const property = fc.property(seeds, fc.double({ min: 0.8, max: 1.25, noNaN: true }), (seed, factor) => {
      const fair = startOf(market.name) * factor;
      const [bids, asks] = [wantedPrices(seed, profile, 'buy', fair), wantedPrices(seed, profile, 'sell', fair)];
      expect(Math.min(bids.length, asks.length)).toBeGreaterThanOrEqual(market.name === 'btc_usdt' ? 60 : 50);
      expect([...new Set(bids)].sort((a, b) => b - a)).toEqual(bids);
      expect([...new Set(asks)].sort((a, b) => a - b)).toEqual(asks);
      expect(bids[0]).toBeLessThan(fair);
      expect(asks[0]).toBeGreaterThan(fair);
      const moved = new Set(wantedPrices(seed, profile, 'sell', fair + profile.halfSpread));
      expect(asks.filter((price) => moved.has(price)).length).toBeGreaterThan(asks.length * 0.8);
    });
    fc.assert(property, { numRuns: 30 });
  });
});

/** The price at genesis in ticks. */
function startOf(name: string): number {
  const market = MARKETS.get(name);
  if (market === undefined) throw new Error(`no ${name}`);
  const path = new PricePath(1, PricePath.start(28_000_000));
  return path.fair(market.base, market.quote, 0) * 10 ** market.priceScale;
}

test('amounts have few digits and are at least the minimum', () => {
  expect([12_345, 987, 4, 0.2].map((wanted) => sizedAmount(wanted, 3, false))).toEqual([12_000n, 990n, 4n, 3n]);
  expect(sizedAmount(12_345, 3, true)).toBe(12_300n);
});

test('the price path moves as much as the recording, without its trend and without gaps between minutes', () => {
  const path = new PricePath(3, PricePath.start(28_000_000));
  const moves: number[] = [];
  const gaps: object[] = [];
  for (let minute = 28_000_001; minute < 28_040_000; minute += 1) {
    const end = path.fair('btc', 'usdt', 120);
    path.enter(minute);
    const start = path.fair('btc', 'usdt', 0);
    if (!(Math.abs(start - end) < 5e-7)) gaps.push({ minute, end, start });
    moves.push(Math.log(path.fair('btc', 'usdt', 120) / end));
  }
  expect(gaps).toEqual([]);
  const { close } = recordedMinutes();
  const recorded = Array.from(close.subarray(1), (price, index) => Math.log(price / (close[index] ?? 1)));
  expect(spread(moves) / spread(recorded)).toBeGreaterThan(0.8);
  expect(spread(moves) / spread(recorded)).toBeLessThan(1.25);
  expect(path.fair('btc', 'usdt', 0)).toBeGreaterThan(14_000);
  expect(path.fair('btc', 'usdt', 0)).toBeLessThan(56_000);
});

function spread(moves: readonly number[]): number {
  return Math.sqrt(moves.reduce((sum, move) => sum + move * move, 0) / moves.length);
}
