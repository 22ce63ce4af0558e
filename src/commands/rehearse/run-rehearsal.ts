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
import { durationText } from '../algo/view/terms-text.js';
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
export async function rehearse(context: Context, program: Program, wanted: Wanted): Promise<undefined> {
  const { host, budget } = context;
  const targets = targetsOf(context, wanted);
  const folder = new RehearsalFolder(host);
  const tape = await openTape(context, wanted.files, readingTerms(wanted), wanted.funds, folder.path).catch(
    (error: unknown) => {
      folder.remove();
      throw error;
    },
  );
  warnOfTape(context, tape);
  host.holdProgram();
  const bind = budget.disableDeadline();
  const ending = new EarlyEnd(context, wanted.longestMs);
  let sandbox: { close(): Promise<void> } | undefined;
  try {
    const parts = partsOf(context, wanted, { folder: folder.path, tape, isDrawn: targets.drawing !== undefined });
    const { isOwn, command } = wanted;
    const rehearsal = isOwn ? await CommandRehearsal.open(parts, program, command) : await ProgramRehearsal.open(parts);
    sandbox = rehearsal.sandbox;
    ending.stops(rehearsal);
    const ended = await rehearsal.run(command);
    const failure = ended instanceof Failure ? ended : programFailure(command, ended);
    if (isOwn && failure !== undefined && rehearsal.record.orders === 0 && !isShownWithResult(failure)) throw failure;
    await answer(context, program, { wanted, parts, rehearsal, targets, isInterrupted: ending.isReached });
    if (failure !== undefined && !ending.isReached) throw failure;
    return undefined;
  } finally {
    ending.cancelTimer();
    await tape.close();
    await sandbox?.close().catch(() => undefined);
    folder.remove();
    ending.letGo();
    bind();
  }
}

/** The files that a rehearsal writes. */
interface Targets {
  readonly drawing: OutputTarget | undefined;
  readonly fills: OutputTarget | undefined;
}

/** Throws Failure `usage` for a file that cannot be written. */
function targetsOf(context: Context, { svg, out, force }: Wanted): Targets {
  const drawing =
    svg === undefined
      ? undefined
      : new OutputTarget(context, svg, { isForced: force, isOurs: isCandleSvg, secrecy: 'private' });
  const fills = out === undefined ? undefined : fillsTarget(context, out, force);
  return { drawing, fills };
}

function readingTerms({ from, to, path: candlePath = RANDOM_PATH, market }: Wanted): ReadingTerms {
  return { from, to, path: candlePath, market };
}

/** Says which rules are guessed, and what candles do not show. */
function warnOfTape({ output }: Context, { guessed, longestCandle }: TapeReader): void {
  for (const market of guessed) output.warn(guessedText(market));
  if (longestCandle > MINUTE_MS)
    output.warn(
      `The tape has candles of ${durationText(longestCandle)}: where the price was within one is a guess. Give candles of a minute if you can.`,
    );
}

function partsOf(
  { host, globals }: Context,
  { funds, fault, latency, speed, fee, path: candlePath = RANDOM_PATH }: Wanted,
  { folder, tape, isDrawn }: Pick<RehearsalParts, 'folder' | 'tape'> & { readonly isDrawn: boolean },
): RehearsalParts {
  const terms = {
    ...{ funds, faults: fault, latencyMs: latency ?? 0, speed: speed ?? 1, fees: fee, path: candlePath },
    unit: tape.next?.market.split('_')[1] ?? 'usdt',
  };
  const printed = (text: string) => {
    if (globals.format === 'table') host.errors.write(text);
  };
  return { host, folder, tape, terms, picture: isDrawn ? new MarketPicture() : undefined, printed };
}

/** What ends a rehearsal before its tape does: a signal, or the longest time that it may take. */
class EarlyEnd {
  isReached = false;
  #rehearsal: { stop(): void } | undefined;
  readonly #over = new AbortController();
  #reported: () => void = () => undefined;
  readonly #removeHandler: () => void;

  constructor(
    readonly context: Context,
    readonly longestMs: number | undefined,
  ) {
    const isReported = new Promise<void>((resolve) => {
      this.#reported = resolve;
    });
    this.#removeHandler = context.host.onInterrupt(() => {
      this.#stop();
      return isReported;
    });
  }

  /** From now on it stops this one. Before, there is nothing to stop. */
  stops(rehearsal: { stop(): void }): void {
    this.#rehearsal = rehearsal;
    const { context, longestMs } = this;
    if (longestMs === undefined) return;
    void context.host.sleep(longestMs, this.#over.signal).then(() => {
      if (this.#over.signal.aborted) return;
      context.output.warn(
        `The rehearsal was ended after ${longestMs / 1_000} s: the report is of the tape until then.`,
      );
      this.#stop();
    });
  }

  cancelTimer(): void {
    this.#over.abort();
  }

  /** The report is printed, and nothing is left behind: a signal may end the process now. */
  letGo(): void {
    this.#reported();
    this.#removeHandler();
  }

  #stop(): void {
    if (this.#rehearsal === undefined) return;
    this.isReached = true;
    this.#rehearsal.stop();
  }
}

/** Prints the report of a rehearsal that has ended, and writes its files. */
async function answer(
  context: Context,
  program: Program,
  {
    wanted: { path: candlePath = RANDOM_PATH },
    parts: { folder, tape, picture },
    rehearsal,
    targets,
    isInterrupted,
  }: {
    readonly wanted: Wanted;
    readonly parts: RehearsalParts;
    readonly rehearsal: CommandRehearsal | ProgramRehearsal;
    readonly targets: Targets;
    readonly isInterrupted: boolean;
  },
): Promise<void> {
  const { host, output } = context;
  const { record, sandbox, exitCandles } = rehearsal;
  const algo = rehearsal instanceof CommandRehearsal ? await rehearsal.algo() : null;
  const bothExits = exitCandles.bothReached(algo);
  const report = await reportOf({ host, program, folder, tape, sandbox, record, algo, path: candlePath, bothExits });
  if (targets.fills !== undefined) await writeFills(targets.fills, record.fills);
  if (targets.drawing !== undefined) await draw(context, targets.drawing, picture?.draw(record));
  const hasCandles = tape.longestCandle > 0;
  await output.answer({ data: report, show: showReport(report, record, { isInterrupted, hasCandles }) });
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
