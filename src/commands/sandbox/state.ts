import path from 'node:path';
import { confirm, requireConsent } from '../../cli/consent.js';
import { flag, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { Failure, suggest } from '../../errors.js';
import { openInput } from '../../platform/input-stream.js';
import { FILE_MODE } from '../../platform/private-files.js';
import { ADMIN_CALLS, LOSES_STATE } from '../../sandbox/admin/calls.js';
import { filePath, marketName, positiveDecimal } from '../inputs/parsers.js';
import { FORCE } from '../named-files/force.js';
import { STDIN, shownName } from '../named-files/input.js';
import { OutputTarget } from '../named-files/output.js';
import { type Context, define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import { durationBy, numberBy } from './arguments.js';
import { withFileForSandbox, withTransferFile } from './transfer.js';

const FILE_FIELDS: shape.Fields = { file: shape.text(''), rows: shape.integer("of the exchange's data") };
const FILE = shape.object(FILE_FIELDS);

const ENDED = shape.array(shape.text(''), 'what it ended: accounts, orders and balances, and replays of markets');

const FASTEST = 'max';
const speed = numberBy('--speed', ADMIN_CALLS['POST /replay'].parameters.entries.speed.wrapped);

export const price = define({
  summary: 'Move the price of a sandbox market',
  arguments: { market: required('the market', marketName), price: required('the price', positiveDecimal('The price')) },
  flags: {
    over: flag(
      '--over <duration>',
      'how long the move takes, such as 30s or 10m (default: 0s)',
      durationBy(ADMIN_CALLS['POST /price'].parameters.entries.ms),
    ),
  },
  examples: ['sandbox price btc_usdt 25000', 'sandbox price btc_usdt 40000 --over 10m --json'],
  output: shape.object({
    market: shape.text(''),
    price: shape.decimal('the price it moves to'),
    at: shape.time('when it gets there'),
  }),
  dryRunOutput: DRY_CHANGE,
  async run({ sandbox, globals }, { market, price: target, over = 0 }) {
    if (globals.dryRun) return dryChange('sandbox price', `Would move ${market} to ${target}.`);
    const report = await sandbox.administer('POST /price', { market, price: target, ms: over });
    return { data: report, show: () => `${report.market} moves to ${report.price} until ${report.at}.` };
  },
});

export const replay = define({
  summary: 'Replay recorded candles or trades in a sandbox market',
  arguments: {
    market: required('the market', marketName),
    file: required('CSV: time,open,high,low,close,volume or time,id,side,price,amount, or a common export', filePath),
  },
  flags: {
    speed: flag('--speed <n>', 'how many times faster than real time, or max (default: max)', (text) =>
      text === FASTEST ? FASTEST : speed(text),
    ),
  },
  examples: ['sandbox replay btc_usdt candles.csv', 'sandbox replay xrp_eth trades.csv --speed 60 --json'],
  output: shape.object({
    market: shape.text(''),
    kind: shape.enumOf(['candles', 'trades'], ''),
    rows: shape.integer(''),
    from: shape.time(''),
    to: shape.time(''),
    speed: shape.nullable(shape.number('null for max')),
    anew: shape.boolean("true if the exchange was restarted at the file's first row"),
    ended: ENDED,
    left: shape.integer('rows still to replay'),
  }),
  dryRunOutput: DRY_CHANGE,
  async run(context, { market, file, speed: factor }) {
    const { sandbox, globals, output } = context;
    const { LONGEST_RECORDING } = await import('../../sandbox/replay/recording.js');
    const rules = { max: LONGEST_RECORDING, hint: 'Give a shorter recording.' };
    if (globals.dryRun) {
      const plan = await withFileForSandbox(context, file, rules, (recording) =>
        sandbox.administer('POST /replay/plan', { market, file: recording }),
      );
      const restart = plan.restarts ? [`Would start a new exchange at ${plan.from}, before the sandbox's time.`] : [];
      const would = [`Would replay ${shownName(file)} in ${market}.`, ...restart, ...plan.ended.map(wouldEnd)];
      return dryChange('sandbox replay', ...would);
    }
    const report = await withFileForSandbox(context, file, rules, (recording) => {
      const input = { market, file: recording, speed: factor === FASTEST ? null : (factor ?? null) };
      return confirmingLoss(context, async (force) => {
        const replayed = await sandbox.administer('POST /replay', { ...input, force });
        return { report: replayed, isReplaced: replayed.restarts };
      });
    });
    const { restarts, ended, left, ...rest } = report;
    const { kind, rows, from, to } = rest;
    // the name in released schemas
    const data = { ...rest, anew: restarts, ended, left };
    const what = `${counted(rows, kind.slice(0, -1))} of ${report.market}, ${from} to ${to}`;
    const before = [...(restarts ? [`Started a new exchange at ${from}.`] : []), ...endedLines(ended)];
    const shown = (line: string) => () => [...before, line].join('\n');
    if (left > 0 || report.speed !== null)
      return { data, show: shown(`Replaying ${what}, at ${report.speed} times normal speed.`) };
    output.note(['The sandbox clock is stopped at the end.', suggest('Start it', 'sandbox', 'clock', 'start')]);
    return { data, show: shown(`Replayed ${what}.`) };
  },
});

export const exportState = define({
  summary: 'Export the whole sandbox to a file',
  arguments: { file: required('where to write; - is stdout', filePath) },
  flags: { force: FORCE },
  examples: ['sandbox export state.ndjson', 'sandbox export /tmp/state.ndjson --json'],
  output: FILE,
  dryRunOutput: DRY_CHANGE,
  async run(context, { file, force }) {
    const { sandbox, globals, output } = context;
    const { isState } = await import('../../sandbox/store/state-file.js');
    // it holds keys
    const target = new OutputTarget(context, file, { isForced: force, isOurs: isState, mode: FILE_MODE });
    if (globals.dryRun) return dryChange('sandbox export', `Would write ${file}.`);
    const rows = await withTransferFile(context, async (copy) => {
      const report = await sandbox.administer('POST /export', { file: copy });
      await target.write(openInput(copy).setEncoding('utf8'));
      return report.rows;
    });
    const shown = target.isStdout ? 'stdout' : path.resolve(file);
    const text = `Wrote ${counted(rows, 'row')} to ${shown}.`;
    if (!target.isStdout) return { data: { file: shown, rows }, show: () => text };
    output.note(text);
    return undefined;
  },
});

export const importState = define({
  summary: 'Replace the sandbox by an export; asks before losing data',
  arguments: { file: required('a file from pit sandbox export; - is stdin', filePath) },
  examples: ['sandbox import state.ndjson', 'sandbox import state.ndjson --yes --json'],
  output: shape.object({ ...FILE_FIELDS, ended: ENDED }),
  dryRunOutput: DRY_CHANGE,
  async run(context, { file }) {
    if (context.globals.dryRun) {
      const { ended } = await context.sandbox.administer('GET /import/plan');
      const would = [`Would replace the sandbox by ${shownName(file)}.`, ...ended.map(wouldEnd)];
      return dryChange('sandbox import', ...would);
    }
    const { LARGEST_STATE } = await import('../../sandbox/store/state-file.js');
    const rules = { max: LARGEST_STATE, hint: 'Give a file from pit sandbox export.' };
    const { rows, ended } = await withFileForSandbox(context, file, rules, (state) =>
      confirmingLoss(context, async (force) => ({
        report: await context.sandbox.administer('POST /import', { file: state, force }),
        isReplaced: true,
      })),
    );
    const source = file === STDIN ? file : path.resolve(file);
    const text = [...endedLines(ended), `Imported ${counted(rows, 'row')} from ${shownName(source)}.`].join('\n');
    return { data: { file: source, rows, ended }, show: () => text };
  },
});

function wouldEnd(ended: string): string {
  return `Would end ${ended}.`;
}

function endedLines(ended: readonly string[]): readonly string[] {
  return ended.length === 0 ? [] : [`Ended ${ended.join('; ')}.`];
}

/** A change of the exchange. Another exchange in its place has none of the orders in the journal. */
interface Change<Report> {
  readonly report: Report;
  readonly isReplaced: boolean;
}

/**
 * Changes the exchange, whose clock may show another time then. If orders or balances of customers or a replay would be lost, it
 * asks first. Throws Failure `declined` if that is not confirmed.
 */
async function confirmingLoss<Report>(
  context: Context,
  change: (force: boolean) => Promise<Change<Report>>,
): Promise<Report> {
  const { report } = await change(false).catch(async (error: unknown) => {
    if (!(error instanceof Failure) || reasonOf(error.cause) !== LOSES_STATE) throw error;
    requireConsent(context);
    await confirm(context, `${error.message} Go on?`);
    const confirmed = await change(true);
    if (confirmed.isReplaced) await context.sandbox.deleteJournal();
    return confirmed;
  });
  const clock = await context.sandbox.administer('GET /clock');
  await context.sandbox.rememberClock(clock.time);
  return report;
}

function reasonOf(cause: unknown): unknown {
  return cause instanceof Error && 'reason' in cause ? cause.reason : undefined;
}
