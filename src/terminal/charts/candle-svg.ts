import type { Ohlcv } from '../../domain/candle.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import { candlePicture, isUp } from './candle-picture.js';
import { roundTicks, timeTicks } from './ticks.js';

const WIDTH = 1200;
const HEIGHT = 640;
export const PLOT = { left: 16, top: 48, right: WIDTH - 110, bottom: 480 };
const VOLUME = { top: 500, bottom: 590 };
/** More candles than this would be thinner than a pixel. */
const MAX_DRAWN = 1000;
const PRICE_LABELS = 8;
export const TIME_LABEL_WIDTH = 90;
const LINE_HEIGHT = 16;
/** Of the font of 13 pixels. */
const CHARACTER_WIDTH = 8;

export const STYLE = `
svg { background: #ffffff; font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #57606a; }
.title { font-size: 16px; fill: #24292f; }
.line { stroke: #d0d7de; stroke-width: 1; }
.up { stroke: #1a7f37; fill: #ffffff; }
.down { stroke: #cf222e; fill: #cf222e; }
.volume.up { fill: #1a7f37; stroke: none; opacity: 0.5; }
.volume.down { stroke: none; opacity: 0.5; }
.last { stroke-dasharray: 3 4; }
text.up { fill: #1a7f37; stroke: none; }
text.down { stroke: none; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; fill: #8b949e; }
  .title { fill: #f0f6fc; }
  .line { stroke: #30363d; }
  .up { stroke: #3fb950; fill: #0d1117; }
  .down { stroke: #f85149; fill: #f85149; }
  .volume.up { fill: #3fb950; }
  text.up { fill: #3fb950; }
}`;

export const ROOT = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`;

/** Whether a text begins as {@link candleSvg} begins. */
export function isCandleSvg(text: string): boolean {
  return text.startsWith(`${ROOT}\n<title>`);
}

/** What is drawn over candles. */
export interface Overlay {
  /** Trades of one's own: buys point up. Times in milliseconds since the Unix epoch. */
  readonly marks: readonly { readonly time: number; readonly price: number; readonly isUp: boolean }[];
  /** A line in place of the volume, with a value for each candle as decimal text, and a dashed one to compare it with. */
  readonly line: {
    readonly name: string;
    readonly values: readonly (string | null)[];
    readonly compared: readonly (string | null)[];
  };
}

const OVERLAY_STYLE = `
.held { stroke: #57606a; stroke-width: 1; stroke-dasharray: 4 3; fill: none; }
.value { stroke: #0969da; stroke-width: 2; fill: none; }
.mark { stroke: #ffffff; stroke-width: 1; }
.mark.buy { fill: #0969da; }
.mark.sell { fill: #9a6700; }`;

/** Half the width of a mark. */
const MARK = 6;

/**
 * The candle chart as a drawing of its own, for a report: the same candles, axes and marks as in the terminal.
 *
 * @param candles oldest first, at least one
 */
export function candleSvg(candles: readonly Ohlcv[], title: string, overlay?: Overlay): string {
  const picture = candlePicture(candles, MAX_DRAWN);
  const pitch = (PLOT.right - PLOT.left) / picture.candles.length;
  const bodyWidth = Math.min(24, pitch * 0.7);
  const yOf = (price: number) =>
    PLOT.top + ((picture.high - price) / (picture.high - picture.low)) * (PLOT.bottom - PLOT.top);
  const xOf = (index: number) => PLOT.left + (index + 0.5) * pitch;

  const last = picture.candles.at(-1);
  const lastY = yOf(last?.close ?? 0);
  const priceAxis = roundTicks(picture.low, picture.high, PRICE_LABELS).flatMap(({ value, text }) => [
    horizontal(yOf(value), 'line'),
    ...(Math.abs(yOf(value) - lastY) < LINE_HEIGHT ? [] : [label(PLOT.right + 8, yOf(value) + 4, grouped(text))]),
  ]);
  const timeAxis = timeTicks(
    picture.candles.map(({ time }) => time),
    Math.ceil(TIME_LABEL_WIDTH / pitch),
  ).flatMap(({ index, text }) => [
    `<path class="line" d="M${round(xOf(index))} ${PLOT.top}V${VOLUME.bottom}"/>`,
    centred(xOf(index), VOLUME.bottom + 20, text),
  ]);
  const drawn = picture.candles.map((candle, index) => {
    const direction = isUp(candle) ? 'up' : 'down';
    const [top, bottom] = [yOf(Math.max(candle.open, candle.close)), yOf(Math.min(candle.open, candle.close))];
    const left = xOf(index) - bodyWidth / 2;
    const share = picture.maxVolume === 0 ? 0 : candle.volume / picture.maxVolume;
    const tall = share * (VOLUME.bottom - VOLUME.top);
    return [
      `<path class="${direction}" d="M${round(xOf(index))} ${round(yOf(candle.high))}V${round(yOf(candle.low))}"/>`,
      rectangle(direction, left, top, bodyWidth, Math.max(1, bottom - top)),
      ...(overlay === undefined ? [rectangle(`volume ${direction}`, left, VOLUME.bottom - tall, bodyWidth, tall)] : []),
    ].join('');
  });
  const lastPrice =
    last === undefined
      ? []
      : [
          horizontal(lastY, `last ${isUp(last) ? 'up' : 'down'}`),
          label(PLOT.right + 8, lastY + 4, `← ${grouped(candles.at(-1)?.close ?? '')}`, isUp(last) ? 'up' : 'down'),
        ];

  return [
    ROOT,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}${overlay === undefined ? '' : OVERLAY_STYLE}\n</style>`,
    `<text class="title" x="${PLOT.left}" y="28">${escaped(title)}</text>`,
    ...priceAxis,
    ...timeAxis,
    ...drawn,
    ...lastPrice,
    ...(overlay === undefined ? [] : overlaid(candles, overlay, { merged: picture.merged, xOf, yOf })),
    '</svg>',
    '',
  ].join('\n');
}

interface Places {
  /** How many candles each drawn one stands for. */
  readonly merged: number;
  readonly xOf: (index: number) => number;
  readonly yOf: (price: number) => number;
}

function overlaid(candles: readonly Ohlcv[], { marks, line }: Overlay, { merged, xOf, yOf }: Places): string[] {
  const known = [...line.values, ...line.compared]
    .filter((value) => value !== null)
    .toSorted((one, other) => Number(one) - Number(other));
  const [lowest = '0', highest = '0'] = [known[0], known.at(-1)];
  const [low, high] = [Number(lowest), Number(highest)];
  const heightOf = (value: number) =>
    VOLUME.bottom - (high === low ? 0.5 : (value - low) / (high - low)) * (VOLUME.bottom - VOLUME.top);
  const xOfCandle = (index: number) => xOf(Math.floor(index / merged));
  const pathOf = (kind: string, values: readonly (string | null)[]) => {
    const points = values.flatMap((value, index) =>
      value === null ? [] : `${round(xOfCandle(index))} ${round(heightOf(Number(value)))}`,
    );
    return points.length === 0 ? [] : [`<path class="${kind}" d="M${points.join('L')}"/>`];
  };
  const drawnMarks = marks.map(({ time, price, isUp }) => {
    const after = candles.findIndex((candle) => candle.time > time);
    const x = round(xOfCandle(Math.max(0, (after === -1 ? candles.length : after) - 1)));
    const [y, tall] = [round(yOf(price)), isUp ? MARK * 2 : -MARK * 2];
    return `<path class="mark ${isUp ? 'buy' : 'sell'}" d="M${x} ${y}l${MARK} ${tall}h${-2 * MARK}z"/>`;
  });
  const ends =
    known.length === 0
      ? []
      : [
          label(PLOT.right + 8, VOLUME.top + 4, valueText(highest)),
          label(PLOT.right + 8, VOLUME.bottom + 4, valueText(lowest)),
        ];
  return [
    ...pathOf('held', line.compared),
    ...pathOf('value', line.values),
    label(PLOT.left, VOLUME.top - 4, line.name),
    ...ends,
    ...drawnMarks,
  ];
}

/** As people read it. */
function valueText(value: string): string {
  return grouped(Decimal.of(value).rescaled(2, 'down').toString());
}

export function horizontal(y: number, className: string): string {
  return `<path class="${className}" d="M${PLOT.left} ${round(y)}H${PLOT.right}"/>`;
}

function rectangle(className: string, x: number, y: number, width: number, height: number): string {
  const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
  return `<rect class="${className}" ${place}/>`;
}

/** A text that begins at `x`, or further left if it would reach beyond the picture. */
export function label(x: number, y: number, text: string, className?: string): string {
  const styled = className === undefined ? '' : ` class="${className}"`;
  return `<text${styled} x="${round(Math.min(x, WIDTH - widthOf(text)))}" y="${round(y)}">${escaped(text)}</text>`;
}

/** A text around `x`, or as near as the picture has room for it. */
export function centred(x: number, y: number, text: string): string {
  const half = widthOf(text) / 2;
  const inside = Math.min(Math.max(x, half), WIDTH - half);
  return `<text x="${round(inside)}" y="${round(y)}" text-anchor="middle">${escaped(text)}</text>`;
}

/** At most how wide a text is, with some room beside it. */
function widthOf(text: string): number {
  return (text.length + 1) * CHARACTER_WIDTH;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
