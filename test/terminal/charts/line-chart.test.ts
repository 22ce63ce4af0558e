import { expect, it } from 'vitest';
import { lineChart } from '../../../src/terminal/charts/line-chart.js';
import { pipe } from '../screens.js';

const EMPTY_BRAILLE = 0x2800;
const HOUR_MS = 3_600_000;

/** The rows of the plot, without the axes. */
function plotOf(values: readonly (number | null)[], isDashed: boolean, symbols = true): readonly string[] {
  const times = values.map((_, index) => index * HOUR_MS);
  const area = { width: 40, height: 14, symbols };
  const grid = lineChart(times, [{ values, meaning: 'warn', isDashed, letter: 'u' }], area);
  return grid.lines(pipe().paint).slice(0, 12);
}

const dotsIn = (row: string) =>
  [...row].reduce((sum, sign) => {
    const bits = (sign.codePointAt(0) ?? 0) - EMPTY_BRAILLE;
    return sum + (bits > 0 && bits < 256 ? bits.toString(2).replaceAll('0', '').length : 0);
  }, 0);

it('draws a step of a dashed line in each row that it crosses, with gaps', () => {
  const step = [5, 5, 5, 5, -5, -5, -5, -5];
  const [dashed, whole] = [plotOf(step, true), plotOf(step, false)];
  const inside = (rows: readonly string[]) => rows.slice(1, -1).map(dotsIn);
  expect(Math.min(...inside(dashed))).toBeGreaterThan(0);
  const sum = (rows: readonly string[]) => rows.reduce((all, row) => all + dotsIn(row), 0);
  expect(sum(dashed)).toBeLessThan(sum(whole));
});

it('draws the line at zero at the height of a value of zero', () => {
  const rows = plotOf([0, 0, null, null, 10], false);
  const last = rows.at(-1) ?? '';
  // where nothing is known, only dots of the line at zero are left
  const [known, unknown] = [last.slice(0, 6), last.slice(12, 24)];
  const bottom = /[\u28c0\u2840\u2880]/;
  expect(known).toMatch(bottom);
  expect(unknown).toMatch(bottom);
});

it('draws letters and a dotted line at zero without symbols', () => {
  const rows = plotOf([4, 4, 4, -4, -4, -4], true, false).join('\n');
  expect(rows).toContain('uuu');
  expect(rows).toContain('....');
});
