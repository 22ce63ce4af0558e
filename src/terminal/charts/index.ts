import type { Screen } from '../screen.js';
import type { ChartArea } from './candle-chart.js';

export { candleChart, candlesPerColumn, candlesThatFit } from './candle-chart.js';
export { candleSvg, isCandleSvg } from './candle-svg.js';
export { depthChart } from './depth-chart.js';
export { lineChart } from './line-chart.js';
export { isLineSvg, lineSvg } from './line-svg.js';

/** What a pipe or file gets, in cells. */
const WITHOUT_TERMINAL = { width: 80, height: 22 };
const LINES_AROUND = 3;
const LOWEST = 8;

/** The area that a chart takes on a screen: its whole width, and a height in proportion that leaves room for title and prompt. */
export function chartSize({ width, height, symbols }: Screen): ChartArea {
  const columns = width === Number.POSITIVE_INFINITY ? WITHOUT_TERMINAL.width : width;
  const rows = height === Number.POSITIVE_INFINITY ? WITHOUT_TERMINAL.height : height - LINES_AROUND;
  return { width: columns, height: Math.max(LOWEST, Math.min(rows, Math.round(columns / 3))), symbols };
}
