import { describe, expect, it } from 'vitest';
import { candleSvg, lineSvg } from '../../../src/terminal/charts/index.js';
import { recordedHours } from './recorded.js';

describe('a candle chart as SVG', () => {
  const candles = recordedHours().slice(-48);
  const svg = candleSvg(candles, 'btc_usdt <1hour> & "more"');

  it('draws a wick, a body and a volume bar for each candle', () => {
    const rising = candles.filter(({ open, close }) => Number(close) >= Number(open)).length;
    expect(svg.match(/<rect class="up"/g)).toHaveLength(rising);
    expect(svg.match(/<rect class="down"/g)).toHaveLength(48 - rising);
    expect(svg.match(/<rect class="volume (up|down)"/g)).toHaveLength(48);
    expect(svg.match(/<path class="(up|down)"/g)).toHaveLength(48);
  });

  it('spans the plot from the highest to the lowest price', () => {
    const wicks = [...svg.matchAll(/<path class="(?:up|down)" d="M[\d.]+ ([\d.]+)V([\d.]+)"/g)];
    expect(Math.min(...wicks.map(([, top]) => Number(top)))).toBe(48);
    expect(Math.max(...wicks.map(([, , bottom]) => Number(bottom)))).toBe(480);
  });

  it('marks the last price and escapes its title', () => {
    expect(svg).toContain('← 28,110.26</text>');
    expect(svg).toContain('btc_usdt &#60;1hour&#62; &#38; &#34;more&#34;');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });
});

/** Where each text of a drawing begins and ends, if a character of the font is 8 wide. */
function placesOf(svg: string): { readonly text: string; readonly from: number; readonly to: number }[] {
  return [...svg.matchAll(/<text[^>]* x="([\d.-]+)"[^>]*?( text-anchor="middle")?>([^<]*)</g)].map(
    ([, x, isCentred, text = '']) => {
      const wide = text.length * 8;
      const from = Number(x) - (isCentred === undefined ? 0 : wide / 2);
      return { text, from, to: from + wide };
    },
  );
}

describe('the labels of a drawing', () => {
  const HOUR = 3_600_000;
  const times = Array.from({ length: 240 }, (_, hour) => Date.UTC(2023, 2, 1) + hour * HOUR);
  const price = '123456789.12345678';
  const candles = times.map((time) => ({ time, open: price, high: price, low: '1', close: price, volume: '1' }));
  const values = times.map((_, hour) => hour);

  it.each([
    [
      'candles',
      candleSvg(candles, 'long', { marks: [], line: { name: 'value', values: times.map(() => price), compared: [] } }),
    ],
    ['lines', lineSvg(times, [{ name: 'one', values, meaning: 'strong', letter: 'o', isDashed: false }], 'long')],
  ])('stay inside the picture, at its edges too: %s', (_, svg) => {
    const places = placesOf(svg);
    expect(places.map(({ text }) => text)).toContain('Mar 1');
    expect(places.filter(({ from, to }) => from < 0 || to > 1_200)).toEqual([]);
  });
});
