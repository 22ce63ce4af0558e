import type { Grid } from '../grid.js';
import type { Meaning } from '../palette.js';
import { displayWidth } from '../text.js';

/** A price that is marked in a chart. */
export interface PriceLine {
  /** For its place on the screen only. */
  readonly price: number;
  readonly label: string;
  readonly meaning: Meaning;
}

interface Plot {
  readonly width: number;
  readonly rows: number;
  readonly low: number;
  readonly high: number;
  readonly symbols: boolean;
}

/**
 * Draws prices across a plot, before the candles: these are drawn over them. The labels of prices outside of its range stand at the edge,
 * with an arrow.
 *
 * @param rowOf the row of a price within the range
 */
export function drawPriceLines(grid: Grid, lines: readonly PriceLine[], plot: Plot, rowOf: (price: number) => number) {
  const sign = plot.symbols ? '╌' : '-';
  for (const { price, meaning } of lines)
    if (isInside(price, plot)) grid.put(0, rowOf(price), sign.repeat(plot.width), meaning);
}

/** Writes the labels at the left, over the candles. Of several in one row, those that have room are side by side. */
export function drawPriceLabels(grid: Grid, lines: readonly PriceLine[], plot: Plot, rowOf: (price: number) => number) {
  const ends = new Map<number, number>();
  const [up, down] = plot.symbols ? ['↑', '↓'] : ['^', 'v'];
  for (const { price, label, meaning } of lines) {
    const row = isInside(price, plot) ? rowOf(price) : price > plot.high ? 0 : plot.rows - 1;
    const text = isInside(price, plot) ? label : `${price > plot.high ? up : down} ${label}`;
    const column = ends.get(row) ?? 0;
    if (column + displayWidth(text) > plot.width) continue;
    grid.put(column, row, text, meaning);
    ends.set(row, column + displayWidth(text) + 2);
  }
}

function isInside(price: number, { low, high }: Plot): boolean {
  return price >= low && price <= high;
}
