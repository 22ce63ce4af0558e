import { CANDLE_MS, type Candle } from '../../domain/candle.js';
import { grouped } from '../../domain/decimal.js';
import type { Moment } from '../../domain/moment.js';
import { Failure, usage } from '../../errors.js';
import type { CandlePage, CandleSeries, Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { progressBar } from '../../terminal/progress.js';
import { isoTime } from '../../terminal/time.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import type { Context } from '../session/command.js';
import { type Downloaded, noteInterrupt, stopped, summaryOf, withOutput } from './output-file.js';
import { CandleCheck, type CandleGap, gapOf } from './row-checks.js';
import { type Series, SeriesFile } from './series-file.js';
import type { CandleFile } from './shapes.js';

/** A person reads no more; `--json` has all. */
const SHOWN_GAPS = 10;
const FIELDS = ['market', 'type', 'time', 'open', 'high', 'low', 'close', 'volume'] as const;

interface WantedCandles extends CandleSeries {
  /** Opening times, both inclusive. */
  readonly since: Moment;
  readonly until?: Moment | undefined;
}

/**
 * Downloads closed candles into a file, page by page. If the file has candles, the download continues at the last one, so the
 * same command resumes an interrupted download. Throws Failure `usage` if the file holds other data or begins later than the
 * range, and any Failure of the first read.
 */
export async function downloadCandles(
  context: Context,
  wanted: WantedCandles,
  name: string,
  isForced = false,
): Promise<Answer<CandleFile>> {
  const client = withTimePerPage(context, await context.session.exchange());
  const held = new CandleCheck(client.marketNow());
  const rules = { fields: FIELDS, check: held };
  const { added, gaps, failure, first, last } = await withOutput(context, { name, isForced }, rules, async (file) => {
    requireSame(file, wanted);
    const missing = await missingBefore(client, file, wanted);
    const found = await download(context, client, file, wanted);
    return {
      ...found,
      gaps: [...missing.gaps, ...held.gaps, ...found.gaps],
      failure: found.failure ?? missing.failure,
    };
  });
  const [from, to] = [first?.time ?? null, last?.time ?? null];
  return {
    data: { file: name, added, from, to, gaps },
    show: ({ paint }) =>
      [
        summaryOf({ name, from, to }, added, 'candle'),
        ...gaps.slice(0, SHOWN_GAPS).map((gap) => paint.warn(gapText(gap))),
        ...(gaps.length > SHOWN_GAPS
          ? [paint.warn(`And ${grouped(String(gaps.length - SHOWN_GAPS))} more gaps.`)]
          : []),
        ...(held.gaps.length > 0
          ? ['To read what is missing between candles of the file, download into another file.']
          : []),
      ].join('\n'),
    ...(failure === null ? {} : { failure }),
  };
}

async function download(
  context: Context,
  client: Exchange,
  file: Series,
  wanted: WantedCandles,
): Promise<Downloaded & { readonly gaps: readonly CandleGap[] }> {
  const { host, output } = context;
  const step = CANDLE_MS[wanted.type];
  const known = file.last === undefined ? undefined : Date.parse(file.last.time ?? '');
  const gaps: CandleGap[] = [];
  let [added, start, next, total] = [0, 0, 0, 0];
  let failure: Failure | null = null;
  const begun = host.monotonic();
  const hide = output.live((room) => {
    const done = Math.min(total, Math.round((next - start) / step));
    const left = done === 0 ? '' : duration(((host.monotonic() - begun) / done) * (total - done));
    return progressBar(output.errorScreen, { done, total, note: left }, room);
  });
  const forget = noteInterrupt(context, file, 'candles', () => {
    hide();
    return added;
  });
  try {
    const first = await client.firstCandlePage(wanted, known === undefined ? wanted.since : () => known);
    if (file instanceof SeriesFile) recheckLast(context, file, first, wanted);
    const until = wanted.until?.(client.marketNow()) ?? Number.POSITIVE_INFINITY;
    start = known === undefined ? first.start : known + step;
    next = start;
    total = Math.max(0, Math.ceil((Math.min(until, client.marketNow()) - start) / step));
    for (let page: CandlePage = first; ; ) {
      const found = page.candles.filter(({ time, closed }) => closed && time >= next && time < until);
      const [oldest] = found;
      if (oldest !== undefined && oldest.time - next >= step && isLatest(page, step)) failure = pushedOut(oldest);
      for (const { time } of found) {
        if (time - next >= step) gaps.push(gapOf(next, time - step, step));
        next = time + step;
      }
      await file.append(found.map((candle) => rowOf(candle, wanted)));
      added += found.length;
      const isEnd = !page.isFull || page.candles.at(-1)?.closed === false;
      if (isEnd || found.length === 0 || next >= until) break;
      page = await client.nextCandlePage(wanted, next);
    }
  } catch (error) {
    if (!(error instanceof Failure) || added === 0) throw error;
    failure = stopped(error, file);
  } finally {
    hide();
    forget();
  }
  return { added, gaps, failure };
}

/** Replaces the last candle of a file if it has changed: the exchange may have been late with a part of it. */
function recheckLast({ output }: Context, file: SeriesFile, { candles }: CandlePage, series: CandleSeries): void {
  const { last } = file;
  const candle = candles.find(({ time }) => isoTime(time) === last?.time);
  if (last === undefined || candle === undefined) return;
  const row = rowOf(candle, series);
  if (candle.closed && FIELDS.every((field) => row[field] === last[field])) return;
  file.removeLast();
  if (candle.closed) file.append([row]);
  const what = candle.closed ? 'has changed and was replaced' : 'is not over and was removed';
  output.note(`The last candle in ${file.name}, of ${last.time}, ${what}.`);
}

/** Whether a page was cut at its start: it is full and ends now, so that older candles had no room. */
function isLatest({ candles, isFull, asOf }: CandlePage, step: number): boolean {
  return isFull && (asOf === null || (candles.at(-1)?.time ?? 0) + 2 * step > asOf);
}

function rowOf({ time, open, high, low, close, volume }: Candle, { market, type }: CandleSeries) {
  return { market, type, time: isoTime(time), open, high, low, close, volume };
}

function gapText({ candles, from, to }: CandleGap): string {
  return candles === 1
    ? `Missing: the candle of ${from}.`
    : `Missing: ${grouped(String(candles))} candles, ${from} to ${to}.`;
}

function requireSame({ name, last }: Series, { market, type }: CandleSeries): void {
  if (last === undefined || (last.market === market && last.type === type)) return;
  throw usage(`${name} has other candles: ${last.type} of ${last.market}.`, 'Give another file for other candles.');
}

/**
 * What the range has before the first candle of a file: a gap, if the exchange has no candles there or does not return them
 * any more. Throws Failure `usage` if it has some: a file grows at its end only.
 */
async function missingBefore(
  client: Exchange,
  { name, first }: Series,
  wanted: WantedCandles,
): Promise<Pick<Downloaded, 'failure'> & { readonly gaps: readonly CandleGap[] }> {
  const [begin, step] = [Date.parse(first?.time ?? ''), CANDLE_MS[wanted.type]];
  const nothing = { gaps: [], failure: null };
  if (first === undefined || wanted.since(client.marketNow()) > begin - step) return nothing;
  const page = await client.firstCandlePage(wanted, wanted.since);
  if (page.start > begin - step) return nothing;
  const [earliest] = page.candles;
  if (earliest === undefined || earliest.time >= begin) {
    const failure = isLatest(page, step) ? pushedOut({ time: begin }) : null;
    return { gaps: [gapOf(page.start, begin - step, step)], failure };
  }
  throw usage(
    `${name} begins at ${first.time}, later than --since.`,
    'A file grows at its end only. Give another file.',
  );
}

function pushedOut({ time }: Pick<Candle, 'time'>): Failure {
  return new Failure(
    'partial',
    `The exchange returns only its latest candles: those before ${isoTime(time)} are missing.`,
    { hint: 'A larger --type reaches further back.' },
  );
}

/** `4 min 10 s left`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min left`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s left` : `${seconds} s left`;
}
