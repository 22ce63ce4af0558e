const BLOCKS = [...'▁▂▃▄▅▆▇█'];
const ASCII = [...`_.-'`];

/**
 * How a price moved, in one line: a cell for each part of the time, with the last price of that part.
 *
 * @param prices decimals, oldest first, at least one
 * @param width at most so many cells
 * @param symbols whether blocks can be drawn; otherwise it is ASCII
 */
export function sparkline(prices: readonly string[], width: number, symbols: boolean): string {
  const steps = symbols ? BLOCKS : ASCII;
  // for drawing only: a number is exact enough
  const values = lastOfEach(prices, width).map(Number);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const range = highest - lowest;
  const share = (value: number) => (range === 0 ? 0.5 : (value - lowest) / range);
  return values.map((value) => steps[Math.round(share(value) * (steps.length - 1))]).join('');
}

function lastOfEach(prices: readonly string[], count: number): readonly string[] {
  if (prices.length <= count) return prices;
  return Array.from({ length: count }, (_, part) => prices[Math.ceil(((part + 1) * prices.length) / count) - 1] ?? '');
}
