import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { type CandlePath, pathOf, WHOLE } from '../../../src/sandbox/replay/candle-path.js';
import type { FileCandle } from '../../../src/sandbox/replay/candle-prices.js';
import { randomNumbers } from '../../support/random.js';
import { eventsOf, fileOf, iso } from './tape-lines.js';

const MINUTE = 60_000;

/** Numbers from -1 to 1, the same in each run. */
function noise(): () => number {
  const random = randomNumbers(7);
  return () => 2 * random() - 1;
}

/** Candles of a random walk, in which nothing tells what follows. */
function randomCandles(count: number): FileCandle[] {
  const next = noise();
  let price = 2_000_000;
  return Array.from({ length: count }, (_, minute) => {
    const prices = Array.from({ length: 120 }, () => {
      price += Math.round(next() * 100);
      return price;
    });
    const text = (value = 0) => Decimal.fromUnits(BigInt(value), 2);
    return {
      ...{ time: minute * MINUTE, open: text(prices[0]), close: text(prices.at(-1)), volume: Decimal.of('1') },
      ...{ high: text(Math.max(...prices)), low: text(Math.min(...prices)) },
    };
  });
}

const random = (seed: number): CandlePath => ({ kind: 'random', seed });

describe('a random path', () => {
  const candles = randomCandles(3_000);
  const shownOf = (candle: FileCandle, path: CandlePath) =>
    pathOf(candle, path, 'btc_usdt', MINUTE).map(({ at, price }) => `${at}:${price}`);

  it('goes from the open to the close, and reaches the high and the low and nothing beyond', () => {
    const paths = candles.map((candle) => pathOf(candle, random(1), 'btc_usdt', MINUTE));
    const extremes = paths.map((points) => {
      const prices = points.map(({ price }) => price);
      const sorted = prices.toSorted((one, other) => one.compare(other));
      return [prices[0], prices.at(-1), sorted[0], sorted.at(-1)].map(String);
    });
    expect(extremes).toEqual(candles.map(({ open, close, low, high }) => [open, close, low, high].map(String)));
    const disordered = paths.filter((points) => {
      const times = points.map(({ at }) => at);
      const isInOrder = times.every((time, index) => index === 0 || (times[index - 1] ?? WHOLE) <= time);
      return !isInOrder || times[0] !== 0 || (times.at(-1) ?? WHOLE) >= WHOLE;
    });
    expect(disordered).toEqual([]);
  });

  it('is the same for the same seed, and another for another seed or market', () => {
    const [candle] = candles as [FileCandle];
    expect(shownOf(candle, random(1))).toEqual(shownOf(candle, random(1)));
    expect(shownOf(candle, random(1))).not.toEqual(shownOf(candle, random(2)));
    expect(shownOf(candle, random(1))).not.toEqual(
      pathOf(candle, random(1), 'eth_usdt', MINUTE).map(({ at, price }) => `${at}:${price}`),
    );
  });

  it('has the low before the high about as often as after it, over many seeds', () => {
    const candle = {
      ...candles[0],
      open: Decimal.of('20'),
      high: Decimal.of('23'),
      low: Decimal.of('17'),
      close: Decimal.of('20.1'),
    };
    let lowFirst = 0;
    for (let seed = 1; seed <= 400; seed += 1) {
      const prices = pathOf(candle as FileCandle, random(seed), 'btc_usdt', MINUTE).map(({ price }) => Number(price));
      if (prices.indexOf(17) < prices.indexOf(23)) lowFirst += 1;
    }
    expect(lowFirst).toBeGreaterThan(150);
    expect(lowFirst).toBeLessThan(250);
  });

  it('hardly tells at a quarter of a candle where the price is at its half', () => {
    const gainOf = (path: CandlePath) => {
      let [gain, range] = [0, 0];
      for (const candle of candles) {
        const points = pathOf(candle, path, 'btc_usdt', MINUTE);
        const priceAt = (share: number) => Number(points.findLast(({ at }) => at <= share * WHOLE)?.price);
        const [begin, quarter, half] = [priceAt(0), priceAt(0.25), priceAt(0.5)];
        gain += Math.sign(begin - quarter) * (half - quarter);
        range += Number(candle.high) - Number(candle.low);
      }
      return gain / range;
    };
    expect(gainOf({ kind: 'ohlc' })).toBeGreaterThan(0.9);
    expect(Math.abs(gainOf(random(1)))).toBeLessThan(0.25);
  });
});

describe('another path', () => {
  const row = (fields: object = {}) => ({
    ...{
      market: 'btc_usdt',
      type: '1min',
      time: iso(0),
      open: '100.00',
      high: '102.00',
      low: '99.00',
      close: '101.00',
    },
    ...{ volume: '4', ...fields },
  });

  it.each([
    ['ohlc', ['100.00', '102.00', '99.00', '101.00']],
    ['olhc', ['100.00', '99.00', '102.00', '101.00']],
  ] as const)('has its prices at the quarters of the candle: %s', async (kind, prices) => {
    const events = await eventsOf(fileOf([row()]), { path: { kind } });
    const shown = events.flatMap((event) => (event.kind === 'candle' ? [[event.time % MINUTE, event.price]] : []));
    expect(shown).toEqual(prices.map((price, index) => [index * 15_000, price]));
  });

  it('leaves the order of the extremes open, if it is to be the worse one', async () => {
    const events = await eventsOf(fileOf([row()]), { path: { kind: 'worst' } });
    const shown = events.flatMap((event) => (event.kind === 'candle' ? [[event.price, event.lowFirst?.price]] : []));
    expect(shown).toEqual([
      ['100.00', '100.00'],
      ['102.00', '99.00'],
      ['99.00', '102.00'],
      ['101.00', '101.00'],
    ]);
  });
});
