import type { Ohlcv } from '../../domain/candle.js';
import { grouped } from '../../domain/decimal.js';
import { Grid } from '../grid.js';
import type { Meaning } from '../palette.js';
import { type CandlePicture, candlePicture, type DrawnCandle, isUp } from './candle-picture.js';
import { DOTS_ACROSS, DOTS_DOWN, Dots } from './dots.js';
import { drawPriceLabels, drawPriceLines, type PriceLine } from './price-lines.js';
import { roundTicks, timeTicks } from './ticks.js';

export interface ChartArea {
  /** In cells. */
  readonly width: number;
  readonly height: number;
  /** Whether lines and braille can be drawn; otherwise the chart is ASCII. */
  readonly symbols: boolean;
  /** Prices that are marked. */
  readonly lines?: readonly PriceLine[];
}

/** Wider candles are no easier to read. */
const WIDEST_CANDLE = 4;
/** A label of the time axis with room around it, in cells. */
const TIME_LABEL = 9;
/** The room that a price of ten characters needs beside the plot. */
const AXIS_WIDTH = 13;
/** How many rows there are to a price label, at least. */
const ROWS_PER_LABEL = 3;

/** Where things are drawn, in cells from the top left. */
interface Layout {
  /** The width of the plot without the axis. */
  readonly plot: number;
  readonly priceRows: number;
  readonly volumeRows: number;
  /** Cells from one candle to the next. */
  readonly pitch: number;
  /** The column of the first candle: the last one stands at the axis. */
  readonly first: number;
}

/**
 * Candles with their volume beneath, a price axis at the right and a time axis below; the last price is marked.
 *
 * A wick or body ends within one step of its value: a quarter of a row, or a row in ASCII. Where there is room, a rising
 * candle has a hollow body and a falling one a filled body; candles of one cell have their wick at the left or at the right.
 *
 * @param candles oldest first, at least one
 */
export function candleChart(candles: readonly Ohlcv[], area: ChartArea): Grid {
  const plot = plotWidth(candles, area.width);
  const picture = candlePicture(candles, plot);
  const layout = layoutOf(area, plot, picture.candles.length);
  const grid = new Grid(area.width, area.height);
  drawAxes(grid, area, layout, picture, candles.at(-1)?.close ?? '');
  const { lines = [], symbols } = area;
  const marked = { width: layout.plot, rows: layout.priceRows, low: picture.low, high: picture.high, symbols };
  const rowOf = (price: number) => rowOfPrice(price, area, layout, picture);
  drawPriceLines(grid, lines, marked, rowOf);
  if (area.symbols) drawDots(grid, layout, picture);
  else drawLetters(grid, layout, picture);
  drawPriceLabels(grid, lines, marked, rowOf);
  return grid;
}

/** How many neighbouring candles are drawn as one because there are more of them than columns. */
export function candlesPerColumn(candles: readonly Ohlcv[], width: number): number {
  return candlePicture(candles, plotWidth(candles, width)).merged;
}

function plotWidth(candles: readonly Ohlcv[], width: number): number {
  const label = grouped(candles.at(-1)?.close ?? '');
  return Math.max(1, width - label.length - 3);
}

/** How many candles fit at two cells each: enough to see hollow and filled bodies. */
export function candlesThatFit(width: number): number {
  return Math.max(1, Math.floor((width - AXIS_WIDTH) / 2));
}

function layoutOf({ height }: ChartArea, plot: number, count: number): Layout {
  const axisRows = 2;
  const volumeRows = height >= 12 ? Math.max(2, Math.round(height / 6)) : 0;
  const pitch = Math.min(WIDEST_CANDLE, Math.max(1, Math.floor(plot / count)));
  return {
    plot,
    priceRows: Math.max(1, height - axisRows - volumeRows),
    volumeRows,
    pitch,
    first: plot - count * pitch,
  };
}

/** The step, from the top, at which a price stands if there are so many of them. */
function stepOf(price: number, { low, high }: CandlePicture, steps: number): number {
  return Math.round(((high - price) / (high - low)) * (steps - 1));
}

/** The row in which a price stands. */
function rowOfPrice(price: number, { symbols }: ChartArea, { priceRows }: Layout, picture: CandlePicture): number {
  const steps = symbols ? DOTS_DOWN : 1;
  return Math.floor(stepOf(price, picture, priceRows * steps) / steps);
}

function meaningOf(candle: DrawnCandle): Meaning {
  return isUp(candle) ? 'up' : 'down';
}

function drawDots(grid: Grid, layout: Layout, picture: CandlePicture): void {
  const { plot, priceRows, volumeRows, pitch, first } = layout;
  const prices = new Dots(plot, priceRows);
  const volumes = new Dots(plot, volumeRows);
  const bodyWidth = pitch === 1 ? DOTS_ACROSS : pitch * DOTS_ACROSS - 1;
  picture.candles.forEach((candle, index) => {
    const left = (first + index * pitch) * DOTS_ACROSS;
    const meaning = meaningOf(candle);
    const at = (price: number) => stepOf(price, picture, priceRows * DOTS_DOWN);
    const [top, bottom] = [at(Math.max(candle.open, candle.close)), at(Math.min(candle.open, candle.close))];
    const wick = pitch > 1 ? pitch - 1 : isUp(candle) ? 0 : 1;
    const isHollow = isUp(candle) && pitch > 1;
    for (let y = at(candle.high); y <= at(candle.low); y += 1) {
      if (y < top || y > bottom) {
        prices.set(left + wick, y, meaning);
        continue;
      }
      for (let x = 0; x < bodyWidth; x += 1) {
        const isEdge = y === top || y === bottom || x === 0 || x === bodyWidth - 1;
        if (isEdge || !isHollow) prices.set(left + x, y, meaning);
      }
    }
    const tall = volumeSteps(candle, picture, volumeRows * DOTS_DOWN);
    for (let y = 0; y < tall; y += 1)
      for (let x = 0; x < bodyWidth; x += 1) volumes.set(left + x, volumeRows * DOTS_DOWN - 1 - y, meaning);
  });
  prices.drawOn(grid, 0, 0);
  volumes.drawOn(grid, 0, priceRows);
}

function drawLetters(grid: Grid, layout: Layout, picture: CandlePicture): void {
  const { priceRows, volumeRows, pitch, first } = layout;
  const bodyWidth = pitch === WIDEST_CANDLE ? 3 : 1;
  picture.candles.forEach((candle, index) => {
    const left = first + index * pitch;
    const meaning = meaningOf(candle);
    const at = (price: number) => stepOf(price, picture, priceRows);
    const [top, bottom] = [at(Math.max(candle.open, candle.close)), at(Math.min(candle.open, candle.close))];
    for (let row = at(candle.high); row <= at(candle.low); row += 1) {
      if (row < top || row > bottom) grid.put(left + (bodyWidth - 1) / 2, row, '|', meaning);
      else grid.put(left, row, (isUp(candle) ? 'o' : '#').repeat(bodyWidth), meaning);
    }
    const tall = volumeSteps(candle, picture, volumeRows);
    for (let row = 0; row < tall; row += 1)
      grid.put(left, priceRows + volumeRows - 1 - row, ':'.repeat(bodyWidth), meaning);
  });
}

/** Any volume shows, and the largest one stays below the prices. */
function volumeSteps({ volume }: DrawnCandle, { maxVolume }: CandlePicture, steps: number): number {
  if (volume <= 0 || steps === 0) return 0;
  return Math.max(1, Math.round((volume / maxVolume) * (steps - 1)));
}

function drawAxes(grid: Grid, area: ChartArea, layout: Layout, picture: CandlePicture, lastPrice: string): void {
  const { plot, priceRows, volumeRows, pitch, first } = layout;
  const signs = area.symbols ? SIGNS : ASCII_SIGNS;
  const bottom = priceRows + volumeRows;
  for (let row = 0; row < bottom; row += 1) grid.put(plot, row, signs.vertical, 'faint');
  const rowOf = (price: number) => rowOfPrice(price, area, layout, picture);
  const last = picture.candles.at(-1);
  const lastRow = rowOf(last?.close ?? 0);

  for (const { value, text } of roundTicks(picture.low, picture.high, Math.floor(priceRows / ROWS_PER_LABEL))) {
    const row = rowOf(value);
    if (row !== lastRow) grid.put(plot, row, `${signs.tick} ${grouped(text)}`, 'faint');
  }
  grid.put(0, lastRow, signs.dotted.repeat(plot), 'faint');
  grid.put(plot, lastRow, `${signs.arrow} ${grouped(lastPrice)}`, last === undefined ? 'strong' : meaningOf(last));
  if (volumeRows > 0) grid.put(plot, priceRows, `${signs.tick} ${short(picture.maxVolume)}`, 'faint');

  grid.put(0, bottom, `${signs.horizontal.repeat(plot)}${signs.corner}`, 'faint');
  const times = picture.candles.map(({ time }) => time);
  for (const { index, text } of timeTicks(times, Math.ceil(TIME_LABEL / pitch))) {
    const column = first + index * pitch + Math.floor((pitch - 1) / 2);
    grid.put(column, bottom, signs.timeTick, 'faint');
    const start = column - Math.floor(text.length / 2);
    grid.put(Math.max(0, Math.min(start, area.width - text.length)), bottom + 1, text, 'faint');
  }
}

const SIGNS = {
  vertical: '│',
  horizontal: '─',
  corner: '┘',
  tick: '├',
  timeTick: '┬',
  arrow: '←',
  dotted: '┄',
};

const ASCII_SIGNS: typeof SIGNS = {
  vertical: '|',
  horizontal: '-',
  corner: '+',
  tick: '+',
  timeTick: '+',
  arrow: '<',
  dotted: '.',
};

/** A volume with three digits, or all of a whole number: `0.0123`, `1.23`, `12,346`. */
function short(value: number): string {
  const scale = value >= 100 || value === 0 ? 0 : Math.min(8, 2 - Math.floor(Math.log10(value)));
  return grouped(value.toFixed(scale));
}
