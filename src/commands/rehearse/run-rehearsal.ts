import path from 'node:path';
import type { Program } from '../../cli/run.js';
import { Failure, quoted, usage } from '../../errors.js';
import type { FaultKind } from '../../sandbox/faults/rules.js';
import type { FeeRates } from '../../sandbox/orders/order-service.js';
import { type CandlePath, RANDOM_PATH } from '../../sandbox/replay/candle-path.js';
import type { ReadingTerms } from '../../sandbox/replay/read-tape.js';
import { isCandleSvg } from '../../terminal/charts/index.js';
import { toCsv } from '../../terminal/csv.js';
import { toJson } from '../../terminal/json.js';
import { isoTime } from '../../terminal/time.js';
import { durationText } from '../algo/terms-text.js';
import { OutputTarget } from '../named-files/output.js';
import { isPiped, withPipedCopy } from '../named-files/piped-copy.js';
import type { Context } from '../session/command.js';
import type { RehearsedFill } from './account-record.js';
import { guessedText } from './guessed-rules.js';
import { reportOf } from './make-report.js';
import { MarketPicture } from './picture.js';
import { CommandRehearsal, ProgramRehearsal, type RehearsalParts } from './rehearsal.js';
import { RehearsalFolder } from './rehearsal-folder.js';
import { TapeReader } from './tape.js';
import { showReport } from './view.js';

const MINUTE_MS = 60_000;

/** The columns of the file of fills. */
const FIELDS = ['time', 'orderId', 'clientId', 'market', 'side', 'price', 'amount', 'value', 'fee', 'feeCoin'];

interface Wanted {
  readonly files: readonly string[];
  readonly command: readonly string[];
  /** Whether it is a command of pit. */
  readonly isOwn: boolean;
  /** In milliseconds since the Unix epoch. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly speed: number | undefined;
  /** In milliseconds. */
  readonly latency: number | undefined;
  readonly funds: Readonly<Record<string, string>> | undefined;
  /** Within candles; absent: random, with the seed of every rehearsal. */
  readonly path?: CandlePath | undefined;
  /** The market of files that name none. */
  readonly market?: string | undefined;
  /** In millionths. */
  readonly fee?: Partial<FeeRates> | undefined;
  readonly fault: readonly FaultKind[];
  readonly svg: string | undefined;
  readonly out: string | undefined;
  readonly force: boolean;
  /** After so many milliseconds it is ended as by Ctrl-C, with the report until then. Absent: it takes the time that it takes. */
  readonly longestMs?: number;
}

/** Rehearses a command and answers with the report. Throws Failure `usage` for what it was given, and the failure of the command. */
export async function rehearse(
  context: Context,
  program: Program,
  { files, command, isOwn, from, to, longestMs, path: candlePath = RANDOM_PATH, ...given }: Wanted,
): Promise<undefined> {
  const { host, output, budget } = context;
  const isJson = context.globals.format !== 'table';
  const drawing =
    given.svg === undefined
      ? undefined
      : new OutputTarget(context, given.svg, { isForced: given.force, isOurs: isCandleSvg, secrecy: 'private' });
  const fillsFile = given.out === undefined ? undefined : fillsTarget(context, given.out, given.force);
  if (given.force && drawing === undefined && fillsFile === undefined)
    throw usage('--force needs --svg or --out.', 'It replaces the file that they name.');
  const folder = new RehearsalFolder(host);
  const tape = await openTape(
    context,
    files,
    { from, to, path: candlePath, market: given.market },
    given.funds,
    folder.path,
  ).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  for (const market of tape.guessed) output.warn(guessedText(market));
  if (tape.longestCandle > MINUTE_MS)
    output.warn(
      `The tape has candles of ${durationText(tape.longestCandle)}: where the price was within one is a guess. Give candles of a minute if you can.`,
    );
  const picture = drawing === undefined ? undefined : new MarketPicture();
  const terms = {
    ...{ funds: given.funds, faults: given.fault, latencyMs: given.latency ?? 0, speed: given.speed ?? 1 },
    fees: given.fee,
    path: candlePath,
    unit: tape.next?.market.split('_')[1] ?? 'usdt',
  };
  const printed = (text: string) => {
    if (!isJson) host.errors.write(text);
  };
  const parts: RehearsalParts = { host, folder: folder.path, tape, terms, picture, printed };
  host.holdProgram();
  const bind = budget.disableDeadline();
  let reported: () => void = () => undefined;
  const isReported = new Promise<void>((resolve) => {
    reported = resolve;
  });
  let stop: () => void = () => undefined;
  const forget = host.onInterrupt(() => {
    stop();
    return isReported;
  });
  let sandbox: { close(): Promise<void> } | undefined;
  const over = new AbortController();
  try {
    const rehearsal = isOwn ? await CommandRehearsal.open(parts, program, command) : await ProgramRehearsal.open(parts);
    sandbox = rehearsal.sandbox;
    let isInterrupted = false;
    stop = () => {
      isInterrupted = true;
      rehearsal.stop();
    };
    if (longestMs !== undefined)
      void host.sleep(longestMs, over.signal).then(() => {
        if (over.signal.aborted) return;
        output.warn(`The rehearsal was ended after ${longestMs / 1_000} s: the report is of the tape until then.`);
        stop();
      });
    const ended = await rehearsal.run(command);
    const failure = ended instanceof Failure ? ended : programFailure(command, ended);
    if (isOwn && failure !== undefined && rehearsal.record.orders === 0 && !isShownWithResult(failure)) throw failure;
    const { record } = rehearsal;
    const algo = rehearsal instanceof CommandRehearsal ? await rehearsal.algo() : null;
    const report = await reportOf({
      host,
      program,
      folder: folder.path,
      tape,
      sandbox: rehearsal.sandbox,
      record,
      algo,
      path: candlePath,
      bothExits: rehearsal.exitCandles.bothReached(algo),
    });
    if (fillsFile !== undefined) await writeFills(fillsFile, record.fills);
    if (drawing !== undefined) await draw(context, drawing, picture?.draw(record));
    const hasCandles = tape.longestCandle > 0;
    const answer = { data: report, show: showReport(report, record, { isInterrupted, hasCandles }) };
    await output.answer(answer);
    if (failure !== undefined && !isInterrupted) throw failure;
    return undefined;
  } finally {
    over.abort();
    await tape.close();
    await sandbox?.close().catch(() => undefined);
    folder.remove();
    reported();
    forget();
    bind();
  }
}

/** A pipe is copied first. */
const PIPED = { max: 2 ** 32, hint: 'Give a file instead.' };

/**
 * Opens the tape of these files, pipes among them by their copies in `folder`. Throws Failure `usage` for one that cannot be read, and for
 * funds that none of its markets has.
 */
async function openTape(
  context: Context,
  files: readonly string[],
  terms: ReadingTerms,
  funds: Wanted['funds'],
  folder: string,
): Promise<TapeReader> {
  const index = files.findIndex(isPiped);
  const piped = files[index];
  if (piped === undefined) {
    // a long tape takes its time
    const tape = await context.budget.withoutDeadline(() => TapeReader.open(files, terms));
    requireCoins(funds, tape.markets);
    return tape;
  }
  const copy = path.join(folder, `piped-${index}`);
  const read = () => openTape(context, files.with(index, copy), terms, funds, folder);
  return withPipedCopy(context, piped, PIPED, copy, read);
}

/** Throws Failure `usage` for a coin that no market of the tape has. */
function requireCoins(given: Readonly<Record<string, string>> | undefined, markets: readonly string[]): void {
  const coins = new Set(markets.flatMap((market) => market.split('_')));
  const other = Object.keys(given ?? {}).find((coin) => !coins.has(coin));
  if (other === undefined) return;
  throw usage(`--funds names ${other}, and no market of the tape has it.`, `Its coins are ${[...coins].join(', ')}.`);
}

/** The failure of a program with another exit code than 0; undefined if it was ended. */
function programFailure([program = '']: readonly string[], code: number | null | undefined): Failure | undefined {
  if (code === 0 || code === null || code === undefined) return undefined;
  return new Failure('partial', `${quoted(program)} ended with exit code ${code}.`, {
    hint: 'The report shows what it did until then.',
  });
}

function isShownWithResult({ kind }: Failure): boolean {
  return kind === 'partial' || kind === 'unknown';
}

/** The file of `--out`. Throws Failure `usage` for another ending than `.csv` and `.ndjson`, and if the file cannot be written. */
function fillsTarget(context: Context, name: string, isForced: boolean): OutputTarget {
  if (!isCsv(name) && name !== '-' && !/\.ndjson$/i.test(name))
    throw usage(`The format of ${quoted(name)} is not clear.`, 'The fills are .csv or .ndjson.');
  const isOurs = (head: string) => head.startsWith(isCsv(name) ? `${FIELDS.join(',')}\n` : '{"time":"');
  return new OutputTarget(context, name, { isForced, isOurs, secrecy: 'private' });
}

/** Writes a line for each fill, oldest first. */
async function writeFills(target: OutputTarget, fills: readonly RehearsedFill[]): Promise<void> {
  const rows = fills.map((fill) => ({ ...fill, time: isoTime(fill.time) }));
  await target.write(isCsv(target.name) ? [toCsv(rows, FIELDS)] : rows.map((row) => `${toJson(row)}\n`));
}

function isCsv(name: string): boolean {
  return /\.csv$/i.test(name);
}

async function draw({ output }: Context, target: OutputTarget, text: string | undefined): Promise<void> {
  if (text === undefined) {
    output.warn('Nothing was traded: there is nothing to draw.');
    return;
  }
  await target.write([text]);
  if (!target.isStdout) output.note(`Wrote the drawing to ${target.name}.`);
}
