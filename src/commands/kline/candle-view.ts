import type { Candle, CandleType } from '../../domain/candle.js';
import { counted, Decimal, grouped } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import { changeText, paintChange } from '../../terminal/cells.js';
import * as charts from '../../terminal/charts/index.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { OutputTarget } from '../named-files/output.js';
import type { Context } from '../session/command.js';

/** Candles of a market, oldest first. */
export interface CandleListing {
  readonly market: string;
  readonly type: CandleType;
  readonly candles: readonly Candle[];
}

/** How many candles a screen has room for, with bodies wide enough to distinguish rising from falling ones. */
export function candlesThatFit(screen: Screen): number {
  return charts.candlesThatFit(charts.chartSize(screen).width);
}

/** The chart under a line that says how the price moved. */
export function showCandles(series: CandleListing, screen: Screen): string {
  const { market, type, candles } = series;
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return screen.paint.faint(`No candles of ${market} in this range.`);
  const area = charts.chartSize(screen);
  const change = percentOf(first.open, last.close);
  const title = `${market} ${type}`;
  const move = change === null ? '' : `  ${changeText(change)}`;
  const perColumn = charts.candlesPerColumn(candles, area.width);
  const count = `${counted(candles.length, 'candle')}${perColumn === 1 ? '' : `, ${perColumn} in a column`}`;
  const facts = `  ${count}, high ${grouped(most(candles, 'high'))}, low ${grouped(most(candles, 'low'))}`;
  const heading =
    `${title}${move}${facts}`.length > area.width
      ? wrapped(`${title}${move}${facts}`, area.width)
      : `${screen.paint.strong(title)}${paintChange(move, change, screen.paint)}${screen.paint.faint(facts)}`;
  return [heading, ...charts.candleChart(candles, area).lines(screen.paint)].join('\n');
}

/** Where a drawing goes. Throws Failure `usage` if it cannot be written there. */
export function svgTarget(context: Context, name: string, isForced: boolean): OutputTarget {
  return new OutputTarget(context, name, { isForced, isOurs: charts.isCandleSvg, secrecy: 'public' });
}

/** Writes the chart as an SVG drawing. Throws Failure `usage` if there is nothing to draw or it cannot be written. */
export async function writeSvg({ market, type, candles }: CandleListing, target: OutputTarget): Promise<void> {
  if (candles.length === 0)
    throw new Failure('usage', `No candles of ${market} in this range: there is nothing to draw.`);
  await target.write([charts.candleSvg(candles, `${market} ${type}`)]);
}

function most(candles: readonly Candle[], field: 'high' | 'low'): string {
  const sign = field === 'high' ? 1 : -1;
  return candles
    .map((candle) => candle[field])
    .reduce((best, next) => (Decimal.of(next).compare(Decimal.of(best)) * sign > 0 ? next : best));
}

/** With two decimals, rounded towards zero; null if the first price is zero. */
function percentOf(open: string, close: string): string | null {
  const [from, to] = [Decimal.of(open), Decimal.of(close)];
  if (from.sign === 0) return null;
  return to.minus(from).times(Decimal.of('100')).dividedBy(from, 2, 'down').toString();
}
