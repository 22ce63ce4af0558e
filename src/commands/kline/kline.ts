import { listing } from '../../cli/answers.js';
import { flag, required, toggle } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { CANDLE_TYPES, type Candle, type CandleType } from '../../domain/candle.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import type { Moment } from '../../domain/moment.js';
import { usage } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer, Live } from '../../terminal/answer.js';
import { paintChange } from '../../terminal/cells.js';
import type { Output } from '../../terminal/output.js';
import type { Screen } from '../../terminal/screen.js';
import type { Column } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { CANDLE_FILE } from '../history/shapes.js';
import { candleType, filePath, marketName, moment, requireRange, wholeNumber } from '../inputs/parsers.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { forceFlag } from '../named-files/force.js';
import type { OutputTarget } from '../named-files/output.js';
import { type Context, define } from '../session/command.js';
import type { CandleListing } from './candle-view.js';

const DEFAULT_TYPE: CandleType = '1hour';
const DEFAULT_SIZE = 24;
const MAX_CANDLES = 1_000_000;

export const CANDLE = shape.object({
  time: shape.time('opening time'),
  open: shape.decimal(''),
  high: shape.decimal(''),
  low: shape.decimal(''),
  close: shape.decimal(''),
  volume: shape.decimal('in the base coin'),
  closed: shape.boolean('false for the current candle'),
});

export default define({
  summary: 'List candles, oldest first',
  arguments: { market: required('the market', marketName) },
  flags: {
    type: flag('--type <type>', `${CANDLE_TYPES.join(', ')} (default: ${DEFAULT_TYPE})`, candleType),
    since: flag('--since <time>', 'list candles from this time', moment),
    until: flag('--until <time>', 'list candles before this time (default: now)', moment),
    size: flag(
      '--size <n>',
      `how many (default: ${DEFAULT_SIZE}, or all since --since)`,
      wholeNumber('--size', 1, MAX_CANDLES),
    ),
    chart: toggle('--chart', 'draw the candles, as many as fit unless --size or --since says how many'),
    out: flag(
      '--out <file>',
      'download all closed candles since --since into this file: .csv, .ndjson or .parquet; resumes an interrupted download; - is stdout',
      filePath,
      { needs: ['--since'], excludes: ['--size', '--chart', '--svg'] },
    ),
    svg: flag('--svg <file>', 'write the chart to this file; - is stdout', filePath),
    force: forceFlag('--out', '--svg'),
    watch: watchFlag('--until', '--out', '--svg'),
  },
  examples: [
    'kline btc_usdt',
    'kline btc_usdt --type 5min --size 50',
    'kline btc_usdt --type 15min --chart',
    'kline btc_usdt --type 1min --chart --watch',
    'kline btc_usdt --type 1day --since 2026-11-01 --json',
    'kline btc_usdt --type 1min --since 2026-11-01 --out minutes.csv',
  ],
  output: shape.anyOf(shape.array(CANDLE), CANDLE_FILE),
  row: CANDLE,
  async run(context, { market, type = DEFAULT_TYPE, since, until, size, chart, svg, out, force, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const { output, session } = context;
    const drawing = svg === undefined ? undefined : (await import('./candle-view.js')).svgTarget(context, svg, force);
    if (drawing?.isStdout && chart) throw usage('--chart and --svg - exclude each other.', 'Both print on stdout.');
    const { base } = await (await session.markets()).find(market);
    const client = await session.exchange();
    if (since !== undefined) await requirePast(client, market, since);
    requireRange([since, until], ['--since', '--until'], context.host.now());
    if (out !== undefined && since !== undefined) {
      const { downloadCandles } = await import('../history/candle-download.js');
      const { answerOrNote } = await import('../history/output-file.js');
      const wanted = { market, type, since, until };
      return answerOrNote(context, out, await downloadCandles(context, wanted, out, force));
    }
    const isDrawn = chart || drawing !== undefined;
    const usual = isDrawn ? (await import('./candle-view.js')).candlesThatFit(output.screen) : DEFAULT_SIZE;
    const wanted = size ?? (since === undefined ? usual : undefined);
    const answerOf = (candles: readonly Candle[]) =>
      listing({
        rows: candles.map(candleRow),
        row: CANDLE,
        columns: candleColumns(base),
        title: `${market} ${type}`,
        empty: `No candles of ${market} in this range.`,
        keeps: 'last',
      });
    const read = () => client.candles({ market, type, since, until, size: wanted });
    if (isWatched) {
      const isFitted = size === undefined && since === undefined;
      const show = chart ? await chartView({ market, type }, isFitted) : undefined;
      const most = wanted ?? Number.POSITIVE_INFINITY;
      return watchCandles(context, { market, type }, read, (candles) => {
        const answer = answerOf(candles.slice(-most));
        return show === undefined ? answer : { ...answer, show: (screen) => show(screen, candles) };
      });
    }
    const { candles, failure } = await read();
    const answer = answerOf(candles);
    if (size !== undefined && candles.length < size && failure === null)
      output.warn(`There are ${grouped(String(candles.length))} candles, not ${grouped(String(size))}.`);
    if (drawing?.isStdout) {
      await (await import('./candle-view.js')).writeSvg({ market, type, candles }, drawing);
      if (failure !== null) throw failure;
      return undefined;
    }
    const shown = isDrawn ? { ...answer, show: await chartOf({ market, type, candles }, output, drawing) } : answer;
    return failure === null ? shown : { ...shown, failure };
  },
});

/**
 * Throws Failure `usage` for a time that the exchange has not reached. This machine's clock may be wrong, so a ticker has to
 * confirm that first.
 */
async function requirePast(client: Exchange, market: string, since: Moment): Promise<void> {
  const isPast = (now: number) => since(now) <= now;
  if (isPast(client.marketNow())) return;
  await client.ticker({ market });
  const now = client.marketNow();
  if (isPast(now)) return;
  throw usage(`--since is in the future: ${isoTime(since(now))}.`, 'Give a past time, or an age such as 2h.');
}

/** Keeps candles current: what is pushed continues what was read first. */
function watchCandles(
  context: Context,
  series: Omit<CandleListing, 'candles'>,
  read: () => ReturnType<Exchange['candles']>,
  answerOf: (candles: readonly Candle[]) => Answer,
): Promise<Live> {
  let latest: readonly Candle[] = [];
  const channel = { kind: 'kline', ...series } as const;
  const readFirst = async () => {
    const { candles, failure } = await read();
    latest = candles;
    return failure === null ? answerOf(latest) : { ...answerOf(latest), failure };
  };
  return watch(context, readFirst, {
    channels: [channel],
    answer: (value) => {
      const mirrored = value(channel);
      const from = mirrored[0]?.time ?? Number.POSITIVE_INFINITY;
      latest = [...latest.filter(({ time }) => time < from), ...mirrored];
      return answerOf(latest);
    },
  });
}

/** Draws the newest candles. @param isFitted only those that fit; otherwise narrow columns show several in one */
async function chartView(series: Omit<CandleListing, 'candles'>, isFitted: boolean) {
  const { showCandles, candlesThatFit } = await import('./candle-view.js');
  return (screen: Screen, candles: readonly Candle[]) =>
    showCandles({ ...series, candles: isFitted ? candles.slice(-candlesThatFit(screen)) : candles }, screen);
}

/** The chart for the screen; the same is written to the file, if there is one. */
async function chartOf(
  series: CandleListing,
  output: Output,
  target: OutputTarget | undefined,
): Promise<Answer['show']> {
  const { showCandles, writeSvg } = await import('./candle-view.js');
  if (target !== undefined) {
    await writeSvg(series, target);
    output.note(`Wrote the chart to ${target.name}.`);
  }
  return (screen) => showCandles(series, screen);
}

type CandleRow = shape.Infer<typeof CANDLE>;

export function candleRow({ time, open, high, low, close, volume, closed }: Candle): CandleRow {
  return { time: isoTime(time), open, high, low, close, volume, closed };
}

const column = fieldColumns<CandleRow>(CANDLE);

export function candleColumns(base: string): readonly Column<CandleRow>[] {
  return [
    column('time', { rowKey: ({ time }) => time, importance: 6 }),
    column('open', { importance: 4 }),
    column('high', { importance: 4 }),
    column('low', { importance: 4 }),
    column('close', { importance: 5, paint: (text, row, paint) => paintChange(text, changeOf(row), paint) }),
    {
      title: 'change',
      value: changeText,
      align: 'decimal',
      importance: 2,
      onScreenOnly: true,
      paint: (text, row, paint) => paintChange(text, changeOf(row), paint),
    },
    column('volume', { title: `volume (${base})`, importance: 3 }),
    column('closed', {
      title: 'state',
      value: ({ closed }) => (closed ? '' : 'open'),
      importance: 1,
      paint: (text, _, paint) => paint.faint(text),
    }),
  ];
}

/** Close minus open. */
function changeOf({ open, close }: { open: string; close: string }): string {
  return Decimal.of(close).minus(Decimal.of(open)).toString();
}

function changeText(row: { open: string; close: string }): string {
  const change = changeOf(row);
  return change.startsWith('-') || Decimal.of(change).sign === 0 ? grouped(change) : `+${grouped(change)}`;
}
