import { flag, required, toggle } from '../../cli/definition.js';
import { fieldNames } from '../../cli/row-fields.js';
import * as shape from '../../cli/shapes.js';
import { bestPrices, crossedText } from '../../domain/book.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import type { Depth, Level } from '../../domain/market-data.js';
import type { Answer } from '../../terminal/answer.js';
import { bars } from '../../terminal/bar.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, table } from '../../terminal/table.js';
import { wrapped } from '../../terminal/text.js';
import { isoTime, zonedTime } from '../../terminal/time.js';
import { marketName, positiveDecimal, wholeNumber } from '../inputs/parsers.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { type Context, define } from '../session/command.js';

const DEFAULT_LEVELS = 10;
const MAX_LEVELS = 50;
/** "When merged depth is used only 5 levels are returned." */
const MERGED_LEVELS = 5;
const BAR_WIDTHS = { least: 16, most: 60 };
/** Of the other columns together. */
const NUMBERS_WIDTH = 64;

interface Row extends Level {
  readonly side: 'ask' | 'bid';
  readonly total: string;
  readonly bar: string;
}

const LEVEL = { price: shape.decimal('in the quote coin'), amount: shape.decimal('in the base coin') };

export const DEPTH = {
  market: shape.text(''),
  time: shape.nullable(shape.time('when the exchange created it')),
  bids: shape.array(shape.object(LEVEL), 'best first'),
  asks: shape.array(shape.object(LEVEL), 'best first'),
};

export const BOOK_ROW = shape.object({ side: shape.enumOf(['ask', 'bid'], ''), ...LEVEL });

export default define({
  summary: 'Show the order book of a market',
  arguments: { market: required('the market', marketName) },
  flags: {
    size: flag('--size <n>', 'how many levels per side, 1 to 50 (default: 10)', wholeNumber('--size', 1, 50)),
    merge: flag('--merge <step>', 'group prices by this step (5 levels per side)', positiveDecimal('--merge')),
    chart: toggle('--chart', 'draw the cumulative amounts of both sides (50 levels by default)'),
    watch: watchFlag(),
  },
  examples: [
    'depth btc_usdt',
    'depth btc_usdt --size 20',
    'depth btc_usdt --chart',
    'depth btc_usdt --merge 10 --json',
    'depth btc_usdt --size 20 --watch',
  ],
  output: shape.object(DEPTH),
  row: BOOK_ROW,
  async run(context, { market, size, merge, chart, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const { base, quote } = await (await context.session.markets()).find(market);
    const levels = levelsOf(context, size ?? (chart && merge === undefined ? MAX_LEVELS : undefined), merge);
    const client = await context.session.exchange();
    const showChart = chart ? await chartView() : showBook;
    const warnIfCrossed = crossedWarning(context);
    const answerOf = ({ time, bids, asks }: Depth): Answer<shape.InferFields<typeof DEPTH>> => {
      warnIfCrossed({ bids, asks });
      const showChosen = bids.length > 0 && asks.length > 0 ? showChart : showBook;
      return {
        data: { market, time: time === null ? null : isoTime(time), bids, asks },
        csv: bookRows({ bids, asks }),
        csvHeader: fieldNames(BOOK_ROW),
        show: (screen) => showChosen(screen, { market, base, quote, time, bids, asks }),
      };
    };
    const read = async () => answerOf(await client.depth({ market, size: levels, merge }));
    if (!isWatched) return read();
    // no channel carries merged levels
    if (merge !== undefined) return watch(context, read);
    const channel = { kind: 'depth', market } as const;
    return watch(context, read, {
      channels: [channel],
      answer: (value) => {
        const { time, bids, asks } = value(channel);
        return answerOf({ time, bids: bids.slice(0, levels), asks: asks.slice(0, levels) });
      },
    });
  },
});

/** Warns of a book that has become crossed, if no table says so. */
function crossedWarning({ output }: Context): (book: Pick<Depth, 'bids' | 'asks'>) => void {
  let before: string | undefined;
  return (book) => {
    const crossed = crossedText(bestPrices(book));
    if (output.format !== 'table' && crossed !== undefined && before === undefined) output.warn(`${crossed}.`);
    before = crossed;
  };
}

/** A row for each level, from the highest price to the lowest. */
export function bookRows({ bids, asks }: Pick<Depth, 'bids' | 'asks'>): object[] {
  return [
    ...asks.toReversed().map((level) => ({ side: 'ask', ...level })),
    ...bids.map((level) => ({ side: 'bid', ...level })),
  ];
}

function levelsOf({ output }: Context, size: number | undefined, merge: string | undefined): number {
  if (merge === undefined) return size ?? DEFAULT_LEVELS;
  if (size !== undefined && size > MERGED_LEVELS)
    output.warn(`--merge shows ${MERGED_LEVELS} levels per side; --size ${size} has no effect.`);
  return Math.min(size ?? MERGED_LEVELS, MERGED_LEVELS);
}

export interface MarketDepth extends Depth {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
}

/** The book with its asks above its bids, as a person reads it; as many levels as a fixed screen has room for. */
export function showBook(screen: Screen, book: MarketDepth): string {
  const { isFixed, ...scrolling } = screen;
  const whole = drawBook(scrolling, book);
  const excess = whole.split('\n').length - screen.height;
  if (isFixed !== true || excess <= 0) return whole;
  const { bids, asks } = book;
  const levels = Math.max(1, Math.max(bids.length, asks.length) - Math.ceil(excess / 2));
  return drawBook(scrolling, { ...book, bids: bids.slice(0, levels), asks: asks.slice(0, levels) });
}

function drawBook(screen: Screen, { market, base, quote, time, bids, asks }: MarketDepth): string {
  const rows = [...toRows(screen, 'ask', asks).reverse(), ...toRows(screen, 'bid', bids)];
  const paintSide: NonNullable<Column<Row>['paint']> = (text, { side }, paint) => paint[side](text);
  const columns: Column<Row>[] = [
    { title: 'side', value: ({ side }) => side.toUpperCase(), importance: 4, paint: paintSide },
    {
      title: `price (${quote})`,
      value: ({ price }) => grouped(price),
      rowKey: ({ price }) => price,
      align: 'decimal',
      importance: 5,
      paint: paintSide,
    },
    { title: `amount (${base})`, value: ({ amount }) => grouped(amount), align: 'decimal', importance: 5 },
    {
      title: `cumulative (${base})`,
      value: ({ total }) => grouped(total),
      align: 'decimal',
      importance: 3,
      onScreenOnly: true,
    },
    { title: '', value: ({ bar }) => bar, importance: 2, paint: paintSide, onScreenOnly: true },
  ];
  const title = `${market}  ${timeText(time)}`;
  return `${table(screen, columns, rows, { title })}\n${spreadLine(screen, { bids, asks, quote })}`;
}

function timeText(time: number | null): string {
  return time === null ? 'time unknown' : zonedTime(time);
}

async function chartView(): Promise<typeof showBook> {
  const { chartSize, depthChart } = await import('../../terminal/charts/index.js');
  return (screen, { market, base, quote, time, bids, asks }) =>
    [
      screen.paint.strong(`${market}  ${timeText(time)}, cumulative amounts in ${base}`),
      ...depthChart(bids, asks, chartSize(screen)).lines(screen.paint),
      spreadLine(screen, { bids, asks, quote }),
    ].join('\n');
}

function toRows(screen: Screen, side: Row['side'], levels: readonly Level[]): Row[] {
  const totals = cumulative(levels);
  const room = Math.min(BAR_WIDTHS.most, Math.max(BAR_WIDTHS.least, screen.width - NUMBERS_WIDTH));
  const drawn = bars(screen, totals, room);
  return levels.map((level, index) => ({ ...level, side, total: totals[index] ?? '', bar: drawn[index] ?? '' }));
}

function cumulative(levels: readonly Level[]): string[] {
  let sum = Decimal.zero;
  return levels.map(({ amount }) => {
    sum = sum.plus(Decimal.of(amount));
    return sum.toString();
  });
}

/** The spread and the middle. A crossed book has neither, and says so. */
function spreadLine(
  { paint, width }: Screen,
  { bids, asks, quote }: Pick<MarketDepth, 'bids' | 'asks' | 'quote'>,
): string {
  const [[bid], [ask]] = [bids, asks];
  const crossed = crossedText(bestPrices({ bids, asks }));
  const text =
    bid === undefined || ask === undefined
      ? `No ${bid === undefined ? 'bids' : 'asks'}.`
      : crossed === undefined
        ? spreadText(Decimal.of(bid.price), Decimal.of(ask.price), quote)
        : `${crossed}, so it has no spread and no mid.`;
  const painted = crossed === undefined ? paint.faint : paint.warn;
  return wrapped(text, width).split('\n').map(painted).join('\n');
}

/** The percentage is left out of a book with prices of zero or less. */
function spreadText(bid: Decimal, ask: Decimal, quote: string): string {
  const spread = ask.minus(bid);
  const mid = ask.plus(bid).dividedBy(Decimal.of('2'), spread.scale + 1, 'down');
  const share = bid.sign > 0 && spread.sign >= 0 ? ` (${percentOf(spread, mid)} %)` : '';
  return `Spread ${grouped(spread.toString())} ${quote}${share}, mid ${grouped(mid.trimmed().toString())}`;
}

/** Rounded half up to four decimals, or to as many as show two significant digits. */
function percentOf(spread: Decimal, mid: Decimal): string {
  const hundredfold = spread.times(Decimal.of('100'));
  // at this scale the quotient is never zero
  const quotient = hundredfold.dividedBy(mid, spread.scale + mid.toString().length, 'down').toString();
  const zeros = /^0\.(0*)[1-9]/.exec(quotient)?.[1]?.length ?? 0;
  const scale = Math.max(4, zeros + 2);
  const half = Decimal.fromUnits(5n, scale + 1);
  return hundredfold
    .dividedBy(mid, scale + 1, 'down')
    .plus(half)
    .rescaled(scale, 'down')
    .toString();
}
