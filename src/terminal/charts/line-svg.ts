import { grouped } from '../../domain/decimal.js';
import { centred, escaped, horizontal, label, PLOT, ROOT, round, STYLE, TIME_LABEL_WIDTH } from './candle-svg.js';
import { type DrawnLine, placeOf, rangeOf } from './line-chart.js';
import { roundTicks, timeTicks } from './ticks.js';

/** A line with its name. */
export interface NamedLine extends DrawnLine {
  readonly name: string;
}

const BOTTOM = 590;
const LABELS = 10;
const LINE_STYLE = `
.curve { stroke: #0969da; stroke-width: 2; fill: none; }
.dashed { stroke: #9a6700; stroke-dasharray: 6 4; }
.zero { stroke: #8c959f; }`;

/** The marker that distinguishes it from a chart of candles. */
const KIND = '<desc>lines</desc>';

/** Whether a text begins as {@link lineSvg} begins. */
export function isLineSvg(text: string): boolean {
  return text.startsWith(`${ROOT}\n${KIND}`);
}

/**
 * The line chart as a drawing of its own: the same lines and axes as in the terminal.
 *
 * @param times in milliseconds since the Unix epoch, ascending, at least one
 */
export function lineSvg(times: readonly number[], lines: readonly NamedLine[], title: string): string {
  const { low, high } = rangeOf(lines);
  const yOf = (value: number) => PLOT.top + ((high - value) / (high - low)) * (BOTTOM - PLOT.top);
  const xOf = (index: number) => PLOT.left + placeOf(index, times.length) * (PLOT.right - PLOT.left);
  const valueAxis = roundTicks(low, high, LABELS).flatMap(({ value, text }) => [
    horizontal(yOf(value), value === 0 ? 'line zero' : 'line'),
    label(PLOT.right + 8, yOf(value) + 4, grouped(text)),
  ]);
  const gap = Math.ceil((TIME_LABEL_WIDTH / (PLOT.right - PLOT.left)) * times.length);
  const timeAxis = timeTicks(times, gap).flatMap(({ index, text }) => [
    `<path class="line" d="M${round(xOf(index))} ${PLOT.top}V${BOTTOM}"/>`,
    centred(xOf(index), BOTTOM + 20, text),
  ]);
  const drawn = lines.map(({ values, isDashed }) => {
    const points = values.map((value, index) => {
      if (value === null) return '';
      const isContinued = values[index - 1] !== null && index > 0;
      return `${isContinued ? 'L' : 'M'}${round(xOf(index))} ${round(yOf(value))}`;
    });
    return `<path class="curve${isDashed ? ' dashed' : ''}" d="${points.join('')}"/>`;
  });
  const legend = lines.map(({ name, isDashed }, index) => {
    const x = PLOT.right - 260 + index * 130;
    return `<path class="curve${isDashed ? ' dashed' : ''}" d="M${x} 24H${x + 24}"/>${label(x + 30, 28, name)}`;
  });
  return [
    ROOT,
    KIND,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}${LINE_STYLE}\n</style>`,
    `<text class="title" x="${PLOT.left}" y="28">${escaped(title)}</text>`,
    ...valueAxis,
    ...timeAxis,
    ...drawn,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}
