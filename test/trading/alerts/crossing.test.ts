import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Crossing, type Operator } from '../../../src/trading/alerts/crossing.js';

const threshold = (operator: Operator, level: string) =>
  ({ kind: 'threshold', text: '', field: 'last', operator, level: Decimal.of(level) }) as const;

interface Seen {
  readonly position: bigint;
  readonly time: number;
  readonly value: Decimal;
}

/** One observation a second. */
const seen = (values: readonly number[]): Seen[] =>
  values.map((value, index) => ({ position: BigInt(index), time: index * 1_000, value: Decimal.of(String(value)) }));

/** The positions at which a crossing is reported. */
function reported(values: readonly Seen[], crossing: Crossing = new Crossing(threshold('>', '1000'), true)): number[] {
  return values.filter((one) => crossing.take(one)).map(({ position }) => Number(position));
}

/** The rules again, in plain numbers: above 1000 is beyond the level, at most 999 is back. */
function expected(values: readonly number[]): number[] {
  let isArmed = true;
  return values.flatMap((value, index) => {
    const isCrossed = isArmed && value > 1000;
    if (isCrossed) isArmed = false;
    else if (value <= 999) isArmed = true;
    return isCrossed ? [index] : [];
  });
}

/** Around the level and the point at which it is armed again. */
const values = fc.array(fc.integer({ min: 996, max: 1004 }), { minLength: 1, maxLength: 60 });

/** A candle of each part of the observations, which lie within one candle each. */
function candlesOf(parts: readonly (readonly Seen[])[]) {
  return parts.flatMap((part) => {
    const prices = part.map(({ value }) => value).toSorted((left, right) => left.compare(right));
    const [first, low, high, close] = [part[0], prices[0], prices.at(-1), part.at(-1)?.value];
    if (first === undefined) return [];
    return { time: first.time, high: String(high), low: String(low), close: String(close) };
  });
}

describe('a crossing', () => {
  it('is reported once, and again only after the number was back by a thousandth of its level', () => {
    expect(reported(seen([999, 1001, 1002, 999.5, 1001, 999, 1001]))).toEqual([1, 6]);
  });

  it('is reported as the rules say, whatever the number does', () => {
    fc.assert(
      fc.property(values, (all) => {
        expect(reported(seen(all))).toEqual(expected(all));
      }),
    );
  });

  it('below a level is the mirror image of one above it', () => {
    const below = (all: readonly number[]) =>
      reported(seen(all.map((value) => 2000 - value)), new Crossing(threshold('<', '1000'), true));
    fc.assert(
      fc.property(values, (all) => {
        // a thousandth of the level is the same on both sides
        expect(below(all)).toEqual(expected(all));
      }),
    );
  });

  it('counts a number at the level only with >= and <=', () => {
    const at = (operator: Operator) => reported(seen([1000]), new Crossing(threshold(operator, '1000'), true));
    expect([at('>'), at('>='), at('<'), at('<=')]).toEqual([[], [0], [], [0]]);
  });

  it('at a level of zero, the daily change has to move back by a tenth of a percentage point', () => {
    const change = { ...threshold('>', '0'), field: 'change' } as const;
    expect(reported(seen([0.05, -0.05, 0.05, -0.1, 0.05]), new Crossing(change, true))).toEqual([0, 4]);
  });

  it('that already was at the start is none if each crossing is wanted', () => {
    const repeated = () => new Crossing(threshold('>', '1000'), false);
    expect(reported(seen([1001, 1002, 999, 1001]), repeated())).toEqual([3]);
    expect(reported(seen([999.5, 1001]), repeated())).toEqual([1]);
  });

  it('that was missed and comes late is reported once, and none is invented', () => {
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.boolean()), (all, dice) => {
        const observations = seen(all);
        const missed = observations.filter((_, index) => index > 0 && dice.next().value);
        const inTime = observations.filter((one) => !missed.includes(one));
        const crossing = new Crossing(threshold('>', '1000'), true);
        const found = [...reported(inTime, crossing), ...reported(missed, crossing)].sort((a, b) => a - b);
        const truth = expected(all);
        // each report is a crossing of its own: no later than found, and after the one before
        expect(found.length).toBeLessThanOrEqual(truth.length);
        if (expected(inTime.map(({ value }) => Number(String(value)))).length === 0 && truth.length > 0)
          expect(found.length).toBeGreaterThan(0);
      }),
    );
  });

  it('in candles that hold one price each is reported as if nothing had been missed', () => {
    fc.assert(
      fc.property(values, fc.nat(), fc.nat(), (all, one, other) => {
        const [from, to] = [one % (all.length + 1), other % (all.length + 1)].toSorted((a, b) => a - b) as [
          number,
          number,
        ];
        const observations = seen(all);
        const crossing = new Crossing(threshold('>', '1000'), true);
        const before = reported(observations.slice(0, from), crossing);
        const candles = candlesOf(observations.slice(from, to).map((each) => [each]));
        const during = candles
          .filter((candle) => crossing.takeCandle(candle) !== undefined)
          .map(({ time }) => time / 1_000);
        const after = reported(observations.slice(to), crossing);
        expect([...before, ...during, ...after]).toEqual(expected(all));
      }),
    );
  });

  it('in candles of many prices is never reported more often than it happened', () => {
    fc.assert(
      fc.property(values, fc.nat(), fc.integer({ min: 1, max: 10 }), (all, start, size) => {
        const from = start % (all.length + 1);
        const observations = seen(all);
        const crossing = new Crossing(threshold('>', '1000'), true);
        const before = reported(observations.slice(0, from), crossing);
        // the first candle begins before what was seen last, as a minute does
        const first = from - (from % size);
        const parts = Array.from({ length: Math.ceil((all.length - first) / size) }, (_, index) =>
          observations.slice(first + index * size, first + (index + 1) * size),
        );
        const during = candlesOf(parts).filter((candle) => crossing.takeCandle(candle) !== undefined);
        expect(before.length + during.length).toBeLessThanOrEqual(expected(all).length);
        // a price that was beyond the level while it was armed is not overlooked
        const isCertain = before.length === 0 && all.slice(first + size).some((value) => value > 1000);
        if (isCertain && from <= first) expect(during.length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
