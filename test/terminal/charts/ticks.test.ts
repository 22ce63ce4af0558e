import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundTicks, timeTicks } from '../../../src/terminal/charts/ticks.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('ticks of prices', () => {
  it.each([
    [19_500, 28_500, 5, ['20000', '22000', '24000', '26000', '28000']],
    [28_000.4, 28_010.1, 4, ['28005', '28010']],
    [0.0123, 0.0129, 4, ['0.0124', '0.0126', '0.0128']],
    [0.1, 0.4, 4, ['0.1', '0.2', '0.3', '0.4']],
    [-5, 5, 3, ['-5', '0', '5']],
    [7, 7, 5, []],
    [1, 2, 0, []],
  ])('the ticks between %d and %d, at most %d, are %j', (low, high, most, texts) => {
    expect(roundTicks(low, high, most).map(({ text }) => text)).toEqual(texts);
  });

  it('the ticks are inside the range, round, and as many as allowed at most', () => {
    const price = fc.double({ min: 1e-8, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(price, price, fc.integer({ min: 1, max: 20 }), (one, other, most) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        // closer than doubles can tell apart there is no round value between them
        fc.pre(high - low > high * 1e-9);
        const ticks = roundTicks(low, high, most);
        expect(ticks.length).toBeLessThanOrEqual(most);
        if (most >= 3) expect(ticks.length).toBeGreaterThan(0);
        for (const { value, text } of ticks) {
          expect(Number(text)).toBe(value);
          expect(value).toBeGreaterThanOrEqual(low * (1 - 1e-9));
          expect(value).toBeLessThanOrEqual(high * (1 + 1e-9));
        }
      }),
    );
  });
});

describe('ticks of times', () => {
  const from = Date.UTC(2023, 2, 10, 21);
  const every = (step: number, count: number) => Array.from({ length: count }, (_, index) => from + index * step);

  it.each([
    ['minutes', every(MINUTE, 40), 10, ['21:00', '21:10', '21:20', '21:30']],
    ['hours over midnight', every(HOUR, 24), 6, ['Mar 11', '06:00', '12:00', '18:00']],
    ['days', every(DAY, 20), 7, ['Mar 16', 'Mar 23']],
  ])('the ticks stand at round %s', (_, times, gap, labels) => {
    expect(timeTicks(times, gap).map(({ text }) => text)).toEqual(labels);
  });

  it('name the time of the first candle after a gap in the data', () => {
    const times = [...every(HOUR, 3), ...every(HOUR, 30).slice(20)];
    const ticks = timeTicks(times, 2);
    expect(ticks.map(({ index, text }) => ({ hour: new Date(times[index] ?? 0).getUTCHours(), text }))).toContainEqual({
      hour: 17,
      text: '17:00',
    });
  });

  it('the ticks keep their distance', () => {
    for (const gap of [1, 3, 9]) {
      const ticks = timeTicks(every(3 * MINUTE, 200), gap);
      for (const [at, { index }] of ticks.slice(1).entries())
        expect(index - (ticks[at]?.index ?? 0)).toBeGreaterThanOrEqual(gap);
    }
  });
});
