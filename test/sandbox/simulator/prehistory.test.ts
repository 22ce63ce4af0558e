import { describe, expect, it } from 'vitest';
import { MARKETS } from '../../../src/sandbox/markets/market.js';
import { prehistory } from '../../../src/sandbox/simulator/prehistory.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const END = 1_700_000_040_000;

/** The numbers of a candle as a text: tens of thousands of texts are compared much faster than as many objects. */
const textOf = (candle: object) => Object.values(candle).join(' ');

describe.each(['btc_usdt', 'eth_usdt'])('the candles of %s before trading began', (name) => {
  const market = MARKETS.get(name);
  if (market === undefined) throw new Error(name);
  const [recorded, longer] = [prehistory(market, 7, END), prehistory(market, 7, END, 64 * DAY)];

  it('the candles end with the recording, however far they reach back', () => {
    const from = END - 21 * DAY;
    expect([recorded.start, longer.start]).toEqual([from, END - 64 * DAY]);
    expect(longer.candles('1min', from, END).map(textOf)).toEqual(recorded.candles('1min', from, END).map(textOf));
  });

  it('makes one candle for each minute, and goes on backwards and forwards before the recording', () => {
    const candles = longer.candles('1min', longer.start, END);
    expect(candles).toHaveLength(64 * 1_440);
    const length = 30_240;
    const [last, before, earlier] = [1, 2, 3].map((times) =>
      candles.slice(-times * length, candles.length - (times - 1) * length),
    );
    const mirrored = before?.map(({ open, close }) => `${close} to ${open}`).reverse();
    expect(mirrored).toEqual(last?.map(({ open, close }) => `${open} to ${close}`));
    expect(earlier?.map(({ high }) => high)).toEqual(last?.map(({ high }) => high));
    expect(candles.filter(({ time }, index) => time !== longer.start + index * MINUTE)).toEqual([]);
  });
});
