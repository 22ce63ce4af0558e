import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Ohlcv } from '../../../src/domain/candle.js';
import { candleChart } from '../../../src/terminal/charts/index.js';
import type { Paint } from '../../../src/terminal/palette.js';
import { pipe } from '../screens.js';
import { recordedHours } from './recorded.js';

const HEIGHT = 30;
/** Of 30 rows: 2 for the time axis, 5 for the volume. */
const PRICE_ROWS = 23;
const VOLUME_ROWS = 5;
/** The dots of a braille character by their bits: column by column in each of its four rows. */
const BITS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];

const plain = pipe().paint;

/** Marks what is painted up and down by letters instead of colours. */
const marks = { ...plain, up: (text: string) => `{${text}}`, down: (text: string) => `[${text}]` } satisfies Paint;

/** Every dot of the plot as the terminal shows it, with its direction: [column of dots][row of dots]. */
function dotsOf(lines: readonly string[], rows: readonly [from: number, to: number]): (string | undefined)[][] {
  const columns: (string | undefined)[][] = [];
  lines.slice(...rows).forEach((line, row) => {
    let [column, direction] = [0, ''];
    for (const character of line) {
      if ('{['.includes(character)) direction = character === '{' ? 'up' : 'down';
      else if ('}]'.includes(character)) direction = '';
      else {
        const bits = (character.codePointAt(0) ?? 0) - 0x2800;
        BITS.forEach((bit, place) => {
          const at = column * 2 + (place % 2);
          columns[at] ??= [];
          if (bits >= 0 && bits < 256 && (bits & bit) !== 0)
            (columns[at] ?? [])[row * 4 + Math.floor(place / 2)] = direction;
        });
        column += 1;
      }
    }
  });
  return columns;
}

/** From the highest to the lowest dot of a column; undefined if it has none. */
function extent(column: readonly unknown[] = []): [top: number, bottom: number] | undefined {
  const top = column.findIndex((dot) => dot !== undefined);
  return top === -1 ? undefined : [top, column.findLastIndex((dot) => dot !== undefined)];
}

function joinedBy(count: number, candles: readonly Ohlcv[]) {
  return Array.from({ length: Math.ceil(candles.length / count) }, (_, group) => {
    const part = candles.slice(group * count, (group + 1) * count);
    const numbers = (field: 'high' | 'low') => part.map((candle) => Number(candle[field]));
    return {
      open: Number(part[0]?.open),
      close: Number(part.at(-1)?.close),
      high: Math.max(...numbers('high')),
      low: Math.min(...numbers('low')),
    };
  });
}

const FLAT: Ohlcv = { time: Date.UTC(2023, 2, 1), open: '10', high: '10', low: '10', close: '10', volume: '1' };

const UP_AND_DOWN: Ohlcv[] = [
  { ...FLAT, open: '10', low: '10', close: '20', high: '20' },
  { ...FLAT, open: '20', high: '20', close: '10', low: '10', time: Date.UTC(2023, 2, 2) },
];

const crash = recordedHours();
const widths = Array.from({ length: 41 }, (_, index) => 40 + index * 4);

describe('a candle chart', () => {
  it.each(widths)('shows open, high, low and close within a quarter of a row at %i columns', (width) => {
    const plot = width - '28,110.26'.length - 3;
    for (const pitch of [2, 3, 4]) {
      const candles = crash.slice(-Math.floor(plot / pitch));
      if (Math.floor(plot / candles.length) !== pitch) continue;
      const lines = candleChart(candles, { width, height: HEIGHT, symbols: true }).lines(marks);
      const dots = dotsOf(lines, [0, PRICE_ROWS]);
      const [high, low] = [
        Math.max(...candles.map((c) => Number(c.high))),
        Math.min(...candles.map((c) => Number(c.low))),
      ];
      const step = (high - low) / (PRICE_ROWS * 4 - 1);
      const left = (plot - candles.length * pitch) * 2;
      const found = candles.map((candle, index) => {
        const own = dots.slice(left + index * pitch * 2, left + (index + 1) * pitch * 2);
        const [bodyTop, bodyBottom] = extent(own[0]) ?? [Number.NaN, Number.NaN];
        const [top, bottom] = extent(own[pitch - 1]) ?? [Number.NaN, Number.NaN];
        const isUp = Number(candle.close) >= Number(candle.open);
        const drawn = { open: isUp ? bodyBottom : bodyTop, close: isUp ? bodyTop : bodyBottom, high: top, low: bottom };
        const isWithinStep = ([name, row]: [string, number]) =>
          Math.abs(high - row * step - Number(candle[name as keyof typeof drawn])) <= step;
        return {
          index,
          withinStep: Object.entries(drawn)
            .filter(isWithinStep)
            .map(([name]) => name),
          drawnAs: own[0]?.[bodyTop],
          // the body's last column of dots, then a gap
          isBodyWhole: isDeepStrictEqual(extent(own[pitch * 2 - 2]), [bodyTop, bodyBottom]),
          gap: extent(own[pitch * 2 - 1]),
        };
      });
      expect(found).toEqual(
        candles.map(({ open, close }, index) => ({
          index,
          withinStep: ['open', 'close', 'high', 'low'],
          drawnAs: Number(close) >= Number(open) ? 'up' : 'down',
          isBodyWhole: true,
          gap: undefined,
        })),
      );
    }
  });

  it.each([40, 80, 120, 200])('joins neighbours where there are more candles than its %i columns', (width) => {
    const plot = width - '28,110.26'.length - 3;
    const drawn = joinedBy(Math.ceil(crash.length / plot), crash);
    const dots = dotsOf(candleChart(crash, { width, height: HEIGHT, symbols: true }).lines(marks), [0, PRICE_ROWS]);
    const [high, low] = [Math.max(...drawn.map((c) => c.high)), Math.min(...drawn.map((c) => c.low))];
    const step = (high - low) / (PRICE_ROWS * 4 - 1);
    const left = (plot - drawn.length) * 2;
    drawn.forEach((candle, index) => {
      const isUp = candle.close >= candle.open;
      // a rising candle has its wick at the left, a falling one at the right; the body takes both
      const [wick, body] = isUp ? [0, 1] : [1, 0];
      const [top = Number.NaN, bottom = Number.NaN] = extent(dots[left + index * 2 + wick]) ?? [];
      const [bodyTop = Number.NaN, bodyBottom = Number.NaN] = extent(dots[left + index * 2 + body]) ?? [];
      const prices = isUp ? [candle.close, candle.open] : [candle.open, candle.close];
      const off = [candle.high, ...prices, candle.low].map((price, place) =>
        Math.abs(high - ([top, bodyTop, bodyBottom, bottom][place] ?? 0) * step - price),
      );
      expect({ index, isWithinStep: off.every((distance) => distance <= step) }).toEqual({ index, isWithinStep: true });
    });
  });

  it('shows the crash of 10 March 2023 and the recovery', () => {
    const days = recordedHours().filter((_, index) => index % 6 === 0);
    expect(lettersOf(days, { width: 80, height: 22 })).toMatchInlineSnapshot(`
      "...............................................................o|#.o< 28,130.65
                                                                  o| o###|+ 28,000
                                                                 #o#oo    |
                                                                 #        |
                                                           |    o|        + 26,000
                                                           | |  o         |
                                                           oo#|#o         |
                                                         oo||#o           |
                                o##|#                    o|               + 24,000
                                o #o#                    o                |
                                    ##o#oo#oo#          oo                |
                                     | |     ###o       oo                + 22,000
                                                o#     |                  |
                                                 #     o                  |
                                                  # oo#o                  |
                                                  #o                      + 20,000
                                                                          + 950
                                                           :              |
                                                 ::    ::: : :            |
                                ::::::::::::::::::::::::::::::::::::::::::|
      ----------------------------+-------------+-------------+-----------+
                                Mar 2         Mar 9        Mar 16"
    `);
  });

  it('tells rising from falling candles by shape: hollow and filled', () => {
    const dots = dotsOf(candleChart(UP_AND_DOWN, { width: 16, height: 14, symbols: true }).lines(marks), [0, 10]);
    const centres = [dots[9]?.slice(1, 39), dots[17]?.slice(1, 39)];
    expect(centres.map((column) => column?.filter((dot) => dot !== undefined).length)).toEqual([0, 38]);
  });

  it('draws volumes from the bottom, in proportion', () => {
    const candles = [1, 2, 3, 4].map((volume) => ({ ...FLAT, volume: String(volume * 100) }));
    const lines = candleChart(candles, { width: 30, height: HEIGHT, symbols: true }).lines(marks);
    const dots = dotsOf(lines, [PRICE_ROWS, PRICE_ROWS + VOLUME_ROWS]);
    const tall = dots.filter((column) => extent(column)).map((column) => VOLUME_ROWS * 4 - (extent(column)?.[0] ?? 0));
    expect([...new Set(tall)]).toEqual([5, 10, 14, 19]);
  });

  it.each([
    { name: 'a market that does not move', candles: [FLAT, FLAT] },
    { name: 'prices of zero', candles: [{ ...FLAT, open: '0', high: '0', low: '0', close: '0' }] },
    { name: 'no volume', candles: [{ ...FLAT, volume: '0' }] },
    {
      name: 'prices of many digits',
      candles: [{ ...FLAT, high: '123456789012.12345678', close: '123456789012.12345678' }],
    },
  ])('draws $name', ({ candles }) => {
    for (const symbols of [true, false])
      for (const [width, height] of [
        [40, 10],
        [8, 8],
        [200, 60],
      ] as const) {
        const lines = candleChart(candles, { width, height, symbols }).lines(plain);
        expect(lines).toHaveLength(height);
        expect(lines.every((line) => [...line].length <= width)).toBe(true);
        expect(lines.join('')).not.toMatch(/NaN|undefined|Infinity/);
      }
  });

  it('uses ASCII alone on a dumb terminal', () => {
    expect(candleChart(crash, { width: 80, height: 22, symbols: false }).lines(plain).join('\n')).toMatch(/^[ -~\n]*$/);
  });
});

function lettersOf(candles: readonly Ohlcv[], size: { width: number; height: number }): string {
  return candleChart(candles, { ...size, symbols: false })
    .lines(plain)
    .join('\n');
}
