import { counted, type Decimal, grouped } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import { signed } from '../../terminal/cells.js';
import * as charts from '../../terminal/charts/index.js';
import type { NamedLine } from '../../terminal/charts/line-svg.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { Basis } from '../../trading/pnl/basis.js';
import {
  type CurvePoint,
  coinSteps,
  marketSteps,
  momentsBetween,
  pointOf,
  type Sample,
  samplesOf,
} from '../../trading/pnl/curve.js';
import { groupBy } from '../../trading/pnl/group-by.js';
import type { PastPrices } from '../../trading/pnl/past-prices.js';
import { OutputTarget } from '../named-files/output.js';
import type { Context } from '../session/command.js';
import { costsIn, decimalsOf, onlyQuote, type PnlRequest } from './request.js';

/** Profit and loss over time in one coin. */
export interface PnlCurve {
  readonly unit: string;
  /** Oldest first. */
  readonly points: readonly CurvePoint[];
  /** How many decimals people read. */
  readonly decimals: number;
}

/** What was realised and what is unrealised over time. Warns of what had no price. Throws Failure if candles cannot be read. */
export async function curveOf(context: Context, request: PnlRequest, by: 'market' | 'coin'): Promise<PnlCurve> {
  const { samples, unit } = curveSamples(request, by);
  const points = await curvePoints(samples, unit, request.prices);
  const gaps = points.filter(({ realised, unrealised }) => realised === null || unrealised === null).length;
  if (gaps > 0)
    context.output.warn(
      `${counted(gaps, 'moment')} of the chart ${gaps === 1 ? 'has' : 'have'} a gap: something had no price in ${unit} then.`,
    );
  return { unit, points, decimals: decimalsOf(request.markets).ofCoin(unit) };
}

/** What the lots held at moments from the first fill of the window to its end, and the coin in which that is summed up. */
function curveSamples(
  request: PnlRequest,
  by: 'market' | 'coin',
): { readonly samples: readonly Sample[]; readonly unit: string } {
  const { names, method, feesAre, window, basis, history, client, prices } = request;
  const { matched, readAt } = history;
  const options = { window, method, fees: feesAre, pastValue: prices.value, readAt };
  const isNamed = (market: string) => names.length === 0 || names.includes(market);
  const fills = matched.fills.filter(({ market, time }) => isNamed(market) && time < window.to);
  const counts = groupBy(fills, ({ quote }) => quote);
  const [[most] = ['usdt']] = [...counts].sort(([, one], [, other]) => other.length - one.length);
  const unit = request.unit ?? (by === 'coin' ? onlyQuote(matched.fills.filter(({ time }) => time < window.to)) : most);
  const start = fills.find(({ time }) => time >= window.from)?.time;
  if (start === undefined) return { samples: [], unit };
  const times = momentsBetween(start, Math.min(window.to, client.now()));
  if (by === 'market') return { samples: samplesOf(marketSteps(matched, options, isNamed), times, options), unit };
  const coins = new Set(names.flatMap((name) => name.split('_')));
  const known = basis && new Basis(basis.lines, costsIn(unit, prices));
  const steps = coinSteps(matched, { ...options, unit, basis: known }, (one) => coins.size === 0 || coins.has(one));
  return { samples: samplesOf(steps, times, options), unit };
}

/** Values the samples by the candles of their moments. */
async function curvePoints(
  samples: readonly Sample[],
  unit: string,
  prices: PastPrices,
): Promise<readonly CurvePoint[]> {
  const needs = samples.flatMap(({ time, held }) =>
    held.flatMap(({ coin, unit: own, amount, cost, realised }) => [
      ...(amount.sign === 0 ? [] : [{ coin, unit: own, time }]),
      ...(own === unit || (cost.sign === 0 && realised.sign === 0) ? [] : [{ coin: own, unit, time }]),
    ]),
  );
  await prices.load(needs.filter(({ coin, unit: own }) => coin !== own));
  return samples.map((sample) => pointOf(sample, unit, prices.value));
}

/** Where a drawing goes. Throws Failure `usage` if it cannot be written there. */
export function pnlSvgTarget(context: Context, name: string, isForced: boolean): OutputTarget {
  return new OutputTarget(context, name, { isForced, isOurs: charts.isLineSvg, secrecy: 'private' });
}

/** Writes the chart as an SVG drawing. Throws Failure `usage` if there is nothing to draw or it cannot be written. */
export async function writePnlSvg(curve: PnlCurve, target: OutputTarget): Promise<void> {
  if (curve.points.length === 0) throw new Failure('usage', 'There are no fills: there is nothing to draw.');
  const times = curve.points.map(({ time }) => time);
  await target.write([charts.lineSvg(times, linesOf(curve), titleOf(curve))]);
}

/** The chart under a line with the sums at its end. */
export function showCurve(curve: PnlCurve, screen: Screen): string {
  const { points, decimals } = curve;
  const last = points.at(-1);
  if (last === undefined) return screen.paint.faint('No fills.');
  const area = charts.chartSize(screen);
  const shown = (value: Decimal | null) =>
    value === null ? 'unknown' : grouped(signed(value.rescaled(decimals, 'down').toString()));
  const signs = screen.symbols ? ['━', '╍'] : linesOf(curve).map(({ letter }) => letter);
  const [realised, unrealised] = [last.realised, last.unrealised].map(
    (value, index) => `${signs[index]} ${['realised', 'unrealised'][index]} ${shown(value)}`,
  );
  const text = `${titleOf(curve)}  ${realised}  ${unrealised}`;
  const { paint } = screen;
  const heading =
    text.length > area.width
      ? wrapped(text, area.width)
      : `${paint.strong(titleOf(curve))}  ${paint.label(realised ?? '')}  ${paint.warn(unrealised ?? '')}`;
  const times = points.map(({ time }) => time);
  return [heading, ...charts.lineChart(times, linesOf(curve), area).lines(paint)].join('\n');
}

function titleOf({ unit }: PnlCurve): string {
  return `Profit and loss in ${unit}`;
}

function linesOf({ points }: PnlCurve): readonly NamedLine[] {
  const numbers = (of: (point: CurvePoint) => Decimal | null) =>
    points.map((point) => {
      const value = of(point);
      return value === null ? null : Number(value.toString());
    });
  return [
    {
      ...{ name: 'realised', values: numbers(({ realised }) => realised) },
      ...{ meaning: 'label', isDashed: false, letter: 'r' },
    },
    {
      ...{ name: 'unrealised', values: numbers(({ unrealised }) => unrealised) },
      ...{ meaning: 'warn', isDashed: true, letter: 'u' },
    },
  ];
}
