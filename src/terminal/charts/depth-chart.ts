import { grouped } from '../../domain/decimal.js';
import type { Level } from '../../domain/market-data.js';
import { Grid } from '../grid.js';
import type { ChartArea } from './candle-chart.js';
import { roundTicks } from './ticks.js';

/** From one eighth of a cell to a full one. */
const EIGHTHS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const PRICE_LABEL = 14;
const ROWS_PER_LABEL = 3;
/** How far the scale goes beyond the last level, so that this level shows too. */
const BEYOND = 0.05;

/** A level as a place on the screen: its price, and what stands between the middle and it. */
interface Stair {
  readonly price: number;
  readonly total: number;
}

/**
 * What can be bought and sold up to each price: the bids' cumulative amount grows to the left of the middle, the asks' to the
 * right. Both sides have the same price scale. In a crossed book they overlap, the smaller amount in front. The book has at
 * least one bid and one ask.
 */
export function depthChart(bids: readonly Level[], asks: readonly Level[], area: ChartArea): Grid {
  const [bidStairs, askStairs] = [stairs(bids), stairs(asks)];
  const [bestBid, bestAsk] = [bidStairs[0]?.price ?? 0, askStairs[0]?.price ?? 0];
  const mid = (bestBid + bestAsk) / 2;
  const ends = [bidStairs[0], bidStairs.at(-1), askStairs[0], askStairs.at(-1)];
  const farthest = Math.max(...ends.map((stair) => Math.abs((stair?.price ?? mid) - mid)));
  const reach = farthest * (1 + BEYOND) || Math.abs(mid) / 1000 || 1;
  const max = Math.max(bidStairs.at(-1)?.total ?? 0, askStairs.at(-1)?.total ?? 0);

  const rows = Math.max(1, area.height - 2);
  const amounts = roundTicks(0, max, Math.floor(rows / ROWS_PER_LABEL)).filter(({ value }) => value > 0);
  const plot = Math.max(1, area.width - Math.max(0, ...amounts.map(({ text }) => grouped(text).length)) - 2);
  const grid = new Grid(area.width, area.height);
  const signs = area.symbols ? SIGNS : ASCII_SIGNS;

  for (let row = 0; row < rows; row += 1) grid.put(plot, row, signs.vertical, 'faint');
  for (const { value, text } of amounts) {
    const row = rows - 1 - Math.min(rows - 1, Math.floor((value / max) * rows));
    grid.put(plot, row, `${signs.tick} ${grouped(text)}`, 'faint');
  }

  for (let column = 0; column < plot; column += 1) {
    const price = mid + ((column + 0.5) / plot - 0.5) * 2 * reach;
    const bid = bidStairs.findLast((stair) => stair.price >= price)?.total ?? 0;
    const ask = askStairs.findLast((stair) => stair.price <= price)?.total ?? 0;
    const sides = [
      { total: bid, isBid: true },
      { total: ask, isBid: false },
    ].sort((left, right) => right.total - left.total);
    for (const { total, isBid } of sides)
      drawColumn(grid, { column, rows, share: total / max, symbols: area.symbols }, isBid);
  }

  grid.put(0, rows, `${signs.horizontal.repeat(plot)}${signs.corner}`, 'faint');
  const columnOf = (price: number) => Math.floor(((price - mid) / (2 * reach) + 0.5) * plot);
  for (const { value, text } of roundTicks(mid - reach, mid + reach, Math.floor(plot / PRICE_LABEL))) {
    const column = Math.min(plot - 1, columnOf(value));
    grid.put(column, rows, signs.priceTick, 'faint');
    const label = grouped(text);
    const start = column - Math.floor(label.length / 2);
    grid.put(Math.max(0, Math.min(start, area.width - label.length)), rows + 1, label, 'faint');
  }
  return grid;
}

/** The amounts summed up from the best price on. */
function stairs(levels: readonly Level[]): Stair[] {
  let total = 0;
  return levels.map(({ price, amount }) => {
    total += Number(amount);
    return { price: Number(price), total };
  });
}

interface Bar {
  readonly column: number;
  readonly rows: number;
  /** Of the full height. */
  readonly share: number;
  readonly symbols: boolean;
}

function drawColumn(grid: Grid, { column, rows, share, symbols }: Bar, isBid: boolean): void {
  const steps = symbols ? EIGHTHS : ['#'];
  const height = share > 0 ? Math.max(1, Math.round(share * rows * steps.length)) : 0;
  for (let row = 0; row * steps.length < height; row += 1) {
    const filled = Math.min(steps.length, height - row * steps.length);
    grid.put(column, rows - 1 - row, steps[filled - 1] ?? '', isBid ? 'bid' : 'ask');
  }
}

const SIGNS = { vertical: '│', horizontal: '─', corner: '┘', tick: '├', priceTick: '┬' };
const ASCII_SIGNS: typeof SIGNS = { vertical: '|', horizontal: '-', corner: '+', tick: '+', priceTick: '+' };
