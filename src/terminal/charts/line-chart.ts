import { grouped } from '../../domain/decimal.js';
import { Grid } from '../grid.js';
import type { Meaning } from '../palette.js';
import type { ChartArea } from './candle-chart.js';
import { DOTS_ACROSS, DOTS_DOWN, Dots } from './dots.js';
import { roundTicks, timeTicks } from './ticks.js';

/** Values over time, as they are drawn: numbers, for places on the screen only. */
export interface DrawnLine {
  /** One for each time; null where it is unknown. */
  readonly values: readonly (number | null)[];
  readonly meaning: Meaning;
  /** Dashed, so that two lines differ without colour. */
  readonly isDashed: boolean;
  /** In ASCII. */
  readonly letter: string;
}

const ROWS_PER_LABEL = 3;
const TIME_LABEL = 9;
/** In dots: a dash and its gap, and from one dot of the line at zero to the next. */
const DASH = 4;
const ZERO_GAP = 4;
/** Rows below the plot: the axis, and its labels. */
const AXIS_ROWS = 2;

/**
 * Lines over one time axis, with a line at zero and a value axis at the right.
 *
 * @param times in milliseconds since the Unix epoch, ascending, at least one
 */
export function lineChart(times: readonly number[], lines: readonly DrawnLine[], area: ChartArea): Grid {
  const { low, high } = rangeOf(lines);
  const rows = Math.max(1, area.height - AXIS_ROWS);
  const ticks = roundTicks(low, high, Math.max(2, Math.floor(rows / ROWS_PER_LABEL)));
  const axis = Math.max(0, ...ticks.map(({ text }) => grouped(text).length)) + 2;
  const plot = Math.max(1, area.width - axis);
  const grid = new Grid(area.width, area.height);
  const signs = area.symbols ? SIGNS : ASCII_SIGNS;
  const share = (value: number) => (high - value) / (high - low);
  const rowOf = (value: number) => Math.min(rows - 1, Math.max(0, Math.floor(share(value) * rows)));
  if (!area.symbols) grid.put(0, rowOf(0), '.'.repeat(plot), 'faint');
  for (let row = 0; row < rows; row += 1) grid.put(plot, row, signs.vertical, 'faint');
  for (const { value, text } of ticks) grid.put(plot, rowOf(value), `${signs.tick} ${grouped(text)}`, 'faint');
  grid.put(0, rows, `${signs.horizontal.repeat(plot)}${signs.corner}`, 'faint');
  for (const { index, text } of timeTicks(times, Math.ceil((TIME_LABEL / plot) * times.length))) {
    const column = Math.min(plot - 1, Math.round(placeOf(index, times.length) * (plot - 1)));
    grid.put(column, rows, signs.timeTick, 'faint');
    grid.put(
      Math.max(0, Math.min(column - Math.floor(text.length / 2), area.width - text.length)),
      rows + 1,
      text,
      'faint',
    );
  }
  const [across, down] = area.symbols ? [DOTS_ACROSS, DOTS_DOWN] : [1, 1];
  const dots = new Dots(plot, rows);
  const heightOf = (value: number) => share(value) * (rows * down - 1);
  for (let x = 0; x < plot * across; x += ZERO_GAP) dots.set(x, Math.round(heightOf(0)), 'faint');
  for (const { values, meaning, isDashed, letter } of lines) {
    let length = 0;
    for (const [x, y] of stepsOf(values, plot * across, heightOf)) {
      if (!area.symbols) grid.put(x, y, letter, meaning);
      // along the line, so that a step has its dashes, too
      else if (!isDashed || length % DASH < DASH / 2) dots.set(x, y, meaning);
      length += 1;
    }
  }
  if (area.symbols) dots.drawOn(grid, 0, 0);
  return grid;
}

const SIGNS = { vertical: '│', horizontal: '─', corner: '┘', tick: '├', timeTick: '┬' };
const ASCII_SIGNS: typeof SIGNS = { vertical: '|', horizontal: '-', corner: '+', tick: '+', timeTick: '+' };

/** The values to draw, with zero among them. */
export function rangeOf(lines: readonly DrawnLine[]): { readonly low: number; readonly high: number } {
  const known = [0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null))];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // a line that does not move is drawn in the middle
  const margin = high > low ? 0 : 1;
  return { low: low - margin, high: high + margin };
}

/** Where a time is between the first and the last one, from 0 to 1. */
export function placeOf(index: number, count: number): number {
  return count === 1 ? 1 : index / (count - 1);
}

/** A point for each column between known neighbours, and all points between it and the one before. */
function* stepsOf(
  values: readonly (number | null)[],
  width: number,
  heightOf: (value: number) => number,
): Generator<readonly [x: number, y: number]> {
  let before: number | undefined;
  for (let x = 0; x < width; x += 1) {
    const at = width === 1 ? values.length - 1 : (x / (width - 1)) * (values.length - 1);
    const [left, right] = [values[Math.floor(at)] ?? null, values[Math.ceil(at)] ?? null];
    if (left === null || right === null) {
      before = undefined;
      continue;
    }
    const y = Math.round(heightOf(left + (right - left) * (at - Math.floor(at))));
    const from = before ?? y;
    for (let step = Math.min(from, y); step <= Math.max(from, y); step += 1) yield [x, step];
    before = y;
  }
}
