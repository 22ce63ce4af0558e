import fs from 'node:fs';
import { flag, required, several } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { parseMarket } from '../../domain/market.js';
import { suggest, usage } from '../../errors.js';
import type { ResultOf } from '../../sandbox/admin/calls.js';
import { LATENCY, SPEED } from '../../sandbox/admin/parameters.js';
import { filePath, marketName } from '../inputs/parsers.js';
import { shownName } from '../named-files/input.js';
import { guessedText } from '../rehearse/guessed-rules.js';
import { type Context, define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import { durationBy, numberBy } from './arguments.js';
import { confirmingLoss, ENDED, endedLines, wouldEnd } from './loss.js';
import { withFileForSandbox } from './transfer.js';

type Replayed = ResultOf<'POST /replay'>;

const FASTEST = 'max';
const speed = numberBy('--speed', SPEED);
/** Of a pipe, which is copied first; a file may be longer. */
const PIPE = { max: 2 ** 32, hint: 'Give a file instead.' };
/** A long tape takes its time. */
const LONGEST_READING_MS = 12 * 3_600_000;
/** A person reads no more; `--json` has all. */
const SHOWN_GAPS = 10;

export default define({
  summary: 'Replay recorded markets in the sandbox',
  arguments: {
    first: required(
      'a file: a tape of pit stream --out, or of pit kline --out or pit trades --out; or the market of the files',
      filePath,
    ),
    files: several(
      'more files; after a market, CSV: time,open,high,low,close,volume or time,id,side,price,amount',
      filePath,
    ),
  },
  flags: {
    speed: flag('--speed <n>', 'how many times faster than real time, or max (default: max)', (text) =>
      text === FASTEST ? FASTEST : speed(text),
    ),
    latency: flag(
      '--latency <duration>',
      'how long orders and pushes take, such as 80ms (default: 0ms); needs --speed',
      durationBy(LATENCY),
    ),
  },
  examples: [
    'sandbox replay btc_usdt candles.csv',
    'sandbox replay tape.ndjson.gz --speed 1 --latency 80ms',
    'sandbox replay btc-2026-11-26.ndjson btc-2026-11-27.ndjson',
    'sandbox replay xrp_eth trades.csv --speed 60 --json',
  ],
  output: shape.object({
    market: shape.text('the first of the markets'),
    markets: shape.array(shape.text(''), 'that follow the files now'),
    kind: shape.enumOf(['candles', 'trades', 'tape'], 'tape: more than one kind'),
    rows: shape.integer('documents or rows that move a market'),
    from: shape.time(''),
    to: shape.time(''),
    speed: shape.nullable(shape.number('null for max')),
    anew: shape.boolean('true if the exchange was restarted at the beginning of the files'),
    ended: ENDED,
    left: shape.integer('rows still to replay'),
    gaps: shape.array(
      shape.object({
        channel: shape.text('such as trades:btc_usdt; empty if the end of a file is cut off'),
        from: shape.time(''),
        to: shape.time(''),
        reason: shape.text(''),
      }),
      'what the files do not have',
    ),
  }),
  dryRunOutput: DRY_CHANGE,
  async run(context, { first, files: others, speed: factor, latency }) {
    const { sandbox, globals, output, budget } = context;
    const { market, names } = sourceOf(first, others);
    const isPaced = factor !== undefined && factor !== FASTEST;
    if (latency !== undefined && !isPaced)
      throw usage('--latency needs --speed.', 'As fast as possible, nobody can trade: --speed 1 is real time.');
    const where = market === undefined ? '' : ` in ${market}`;
    budget.allowFor(LONGEST_READING_MS);
    if (globals.dryRun) {
      const plan = await withFilesForSandbox(context, names, (files) =>
        sandbox.administer('POST /replay/plan', { files, market }),
      );
      const restart = plan.restarts
        ? [`Would start a new exchange at ${plan.from}, with the markets of the tape.`]
        : [];
      const what = `Would replay ${names.map(shownName).join(', ')}${where || ` in ${plan.markets.join(', ')}`}.`;
      return dryChange(
        'sandbox replay',
        what,
        ...restart,
        ...plan.ended.map(wouldEnd),
        ...plan.guessed.map(guessedText),
        ...gapLines(plan.gaps),
      );
    }
    const report = await withFilesForSandbox(context, names, (files) => {
      const input = { files, market, speed: isPaced ? factor : null, latency: latency ?? null };
      return confirmingLoss(context, async (force) => {
        const replayed = await sandbox.administer('POST /replay', { ...input, force });
        return { report: replayed, isReplaced: replayed.restarts };
      });
    });
    for (const line of [...report.guessed.map(guessedText), ...gapLines(report.gaps)]) output.warn(line);
    const { markets, kind, rows, from, to, restarts, ended, left, gaps } = report;
    const content = { market: markets[0] ?? '', markets, kind, rows, from, to };
    // the name in released schemas
    const data = { ...content, speed: report.speed, anew: restarts, ended, left, gaps };
    const before = [...(restarts ? [`Started a new exchange at ${report.from}.`] : []), ...endedLines(ended)];
    const shown = (line: string) => () => [...before, line].join('\n');
    if (report.left > 0 || report.speed !== null)
      return { data, show: shown(`Replaying ${contentOf(report)}, at ${report.speed} times normal speed.`) };
    output.note(['The sandbox clock is stopped at the end.', suggest('Start it', 'sandbox', 'clock', 'start')]);
    return { data, show: shown(`Replayed ${contentOf(report)}.`) };
  },
});

/** The market of files that name none, if the first word is one, and the files. Throws Failure `usage` for a market without a file. */
function sourceOf(
  first: string,
  others: readonly string[],
): { readonly market?: string; readonly names: readonly string[] } {
  const isFile = fs.existsSync(first) || /[./]/.test(first.replace('/', ''));
  if (isFile || parseMarket(first) === undefined) return { names: [first, ...others] };
  if (others.length === 0)
    throw usage('A file is missing.', 'Name the recording after the market, or a tape without one.');
  return { market: marketName(first), names: others };
}

/** Lets the sandbox read all files, as {@link withFileForSandbox} does one. */
function withFilesForSandbox<Result>(
  context: Context,
  names: readonly string[],
  work: (files: string[]) => Promise<Result>,
  files: string[] = [],
): Promise<Result> {
  const name = names[files.length];
  if (name === undefined) return work(files);
  return withFileForSandbox(context, name, PIPE, (file) => withFilesForSandbox(context, names, work, [...files, file]));
}

function contentOf({ kind, rows, markets, from, to }: Replayed): string {
  const what = kind === 'tape' ? 'row' : kind.slice(0, -1);
  return `${counted(rows, what)} of ${markets.join(', ')}, ${from} to ${to}`;
}

function gapLines(gaps: Replayed['gaps']): string[] {
  const lines = gaps.slice(0, SHOWN_GAPS).map(gapText);
  return gaps.length > SHOWN_GAPS ? [...lines, `And ${counted(gaps.length - SHOWN_GAPS, 'more gap')}.`] : lines;
}

function gapText({ channel, from, to, reason }: Replayed['gaps'][number]): string {
  if (channel === '') return `At ${to}, ${reason}.`;
  return `A gap in ${channel}, ${from} to ${to}: ${reason}.`;
}
