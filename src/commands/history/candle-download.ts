import type { Context } from '../../cli/context.js';
import { CANDLE_MS, type Candle, type CandleType } from '../../domain/candle.js';
import { grouped } from '../../domain/decimal.js';
import { Failure, usage } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import type { Answer } from '../../terminal/answer.js';
import { progressBar } from '../../terminal/progress.js';
import { isoTime } from '../../terminal/time.js';
import { withTimePerPage } from '../funds/long-listing.js';
import { type Downloaded, noteInterrupt, stopped, summaryOf, withOutput } from './output-file.js';
import { CandleCheck, type Gap, gapOf } from './row-checks.js';
import type { Series } from './series-file.js';

/** "At most 1000 per response." */
const PAGE = 1000;
/** A person reads no more; `--json` has all. */
const SHOWN_GAPS = 10;
const FIELDS = ['market', 'type', 'time', 'open', 'high', 'low', 'close', 'volume'] as const;

export interface CandleRange {
  readonly market: string;
  readonly type: CandleType;
  /** Opening times in milliseconds since the Unix epoch, both inclusive. */
  readonly since: number;
  readonly until: number;
}

/**
 * Downloads closed candles into a file, page by page. Candles that the file already has are not read again, so the same
 * command resumes an interrupted download. Throws Failure `usage` if the file holds other data or begins later than the
 * range, and any Failure of the first read.
 */
export async function downloadCandles(
  context: Context,
  asked: CandleRange,
  name: string,
  isForced = false,
): Promise<Answer> {
  const client = withTimePerPage(context, await context.session.client());
  const closed = { ...asked, until: Math.min(asked.until, client.now() - CANDLE_MS[asked.type]) };
  const held = new CandleCheck(client.now());
  const rules = { fields: FIELDS, check: held };
  const { added, gaps, failure, first, last } = await withOutput(context, { name, isForced }, rules, async (file) => {
    requireSame(file, closed);
    const missing = await missingBefore(client, file, closed);
    const found = await download(context, client, file, closed);
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
  client: ExchangeClient,
  file: Series,
  range: CandleRange,
): Promise<Downloaded & { readonly gaps: readonly Gap[] }> {
  const { host, output } = context;
  const step = CANDLE_MS[range.type];
  const start = file.last === undefined ? range.since : Date.parse(file.last.time ?? '') + step;
  const total = Math.max(0, Math.floor((range.until - start) / step) + 1);
  const gaps: Gap[] = [];
  let [added, next] = [0, start];
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
    while (next <= range.until) {
      const page = await client.candlePage({ market: range.market, type: range.type, from: next, size: PAGE });
      const wanted = page.filter(({ time }) => time >= next && time <= range.until);
      const [first] = wanted;
      if (first !== undefined && first.time - next >= step && isLatest(page, step, client.now()))
        failure = pushedOut(first);
      for (const { time } of wanted) {
        if (time - next >= step) gaps.push(gapOf(next, time - step, step));
        next = time + step;
      }
      await file.append(wanted.map((candle) => rowOf(candle, range)));
      added += wanted.length;
      if (page.length < PAGE || wanted.length === 0) break;
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

/** Whether a page was cut at its start: it is full and ends now, so that older candles had no room. */
function isLatest(page: readonly Candle[], step: number, now: number): boolean {
  return page.length >= PAGE && (page.at(-1)?.time ?? 0) + 2 * step > now;
}

function rowOf({ time, open, high, low, close, volume }: Candle, { market, type }: CandleRange) {
  return { market, type, time: isoTime(time), open, high, low, close, volume };
}

function gapText({ candles, from, to }: Gap): string {
  return candles === 1
    ? `Missing: the candle of ${from}.`
    : `Missing: ${grouped(String(candles))} candles, ${from} to ${to}.`;
}

function requireSame({ name, last }: Series, { market, type }: CandleRange): void {
  if (last === undefined || (last.market === market && last.type === type)) return;
  throw usage(`${name} has ${last.type} candles of ${last.market}.`, 'Give another file for other candles.');
}

/**
 * What the range has before the first candle of a file: a gap, if the exchange has no candles there or does not return them
 * any more. Throws Failure `usage` if it has some: a file grows at its end only.
 */
async function missingBefore(
  client: ExchangeClient,
  { name, first }: Series,
  range: CandleRange,
): Promise<Pick<Downloaded, 'failure'> & { readonly gaps: readonly Gap[] }> {
  const [begin, step] = [Date.parse(first?.time ?? ''), CANDLE_MS[range.type]];
  if (first === undefined || range.since > begin - step) return { gaps: [], failure: null };
  const page = await client.candlePage({ market: range.market, type: range.type, from: range.since, size: PAGE });
  const [earliest] = page;
  if (earliest === undefined || earliest.time >= begin) {
    const isCut = isLatest(page, step, client.now());
    return { gaps: [gapOf(range.since, begin - step, step)], failure: isCut ? pushedOut({ time: begin }) : null };
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
