import { describe, expect, it } from 'vitest';
import { candleSvg } from '../../../src/terminal/charts/index.js';
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
