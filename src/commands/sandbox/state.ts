import path from 'node:path';
import { confirm, requireConsent } from '../../cli/consent.js';
import { flag, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { Failure, suggest } from '../../errors.js';
import { openInput } from '../../platform/input-stream.js';
import { FILE_MODE } from '../../platform/private-files.js';
import { ADMIN_CALLS, LOSES_STATE } from '../../sandbox/admin/calls.js';
import { type Context, define } from '../command.js';
import { DRY_CHANGE, dryChange } from '../dry-run.js';
import { filePath, marketName, positiveDecimal } from '../inputs.js';
import { FORCE } from '../named-files/force.js';
import { STDIN, shownName } from '../named-files/input.js';
import { OutputTarget } from '../named-files/output.js';
import { durationBy, numberBy } from './arguments.js';
import { withFileForSandbox, withTransferFile } from './transfer.js';

const FILE = shape.object({ file: shape.text(''), rows: shape.integer("of the exchange's data") });

const FASTEST = 'max';
const speed = numberBy('--speed', ADMIN_CALLS['POST /replay'].parameters.speed);

export const price = define({
  summary: 'Move the price of a sandbox market',
  arguments: { market: required('the market', marketName), price: required('the price', positiveDecimal('The price')) },
  flags: {
    over: flag(
      '--over <duration>',
      'how long the move takes, such as 30s or 10m (default: 0s)',
      durationBy(ADMIN_CALLS['POST /price'].parameters.ms),
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
    left: shape.integer('rows still to replay'),
  }),
  dryRunOutput: DRY_CHANGE,
  async run(context, { market, file, speed: factor }) {
    if (context.globals.dryRun) return dryChange('sandbox replay', `Would replay ${file} in ${market}.`);
    const { LONGEST_RECORDING } = await import('../../sandbox/replay/recording.js');
    const rules = { max: LONGEST_RECORDING, hint: 'Give a shorter recording.' };
    const report = await withFileForSandbox(context, file, rules, (recording) => {
      const input = { market, file: recording, speed: factor === FASTEST ? null : (factor ?? null) };
      return replaceState(context, (force) => context.sandbox.administer('POST /replay', { ...input, force }));
    });
    const { kind, rows, from, to, left } = report;
    const what = `${counted(rows, kind.slice(0, -1))} of ${report.market}, ${from} to ${to}`;
    if (left > 0 || report.speed !== null)
      return { data: report, show: () => `Replaying ${what}, at ${report.speed} times normal speed.` };
    context.output.note(['The sandbox clock is stopped at the end.', suggest('Start it', 'sandbox', 'clock', 'start')]);
    return { data: report, show: () => `Replayed ${what}.` };
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
  output: FILE,
  dryRunOutput: DRY_CHANGE,
  async run(context, { file }) {
    if (context.globals.dryRun) return dryChange('sandbox import', `Would replace the sandbox by ${file}.`);
    const { LARGEST_STATE } = await import('../../sandbox/store/state-file.js');
    const rules = { max: LARGEST_STATE, hint: 'Give a file from pit sandbox export.' };
    const { rows } = await withFileForSandbox(context, file, rules, (state) => {
      return replaceState(context, (force) => context.sandbox.administer('POST /import', { file: state, force }));
    });
    const source = file === STDIN ? file : path.resolve(file);
    const text = `Imported ${counted(rows, 'row')} from ${shownName(source)}.`;
    return { data: { file: source, rows }, show: () => text };
  },
});

/**
 * Replaces the exchange's state, whose clock may show another time then. If orders or balances of customers would be lost, it
 * asks first. Throws Failure `declined` if that is not confirmed.
 */
async function replaceState<Report>(context: Context, replace: (force: boolean) => Promise<Report>): Promise<Report> {
  const report = await replace(false).catch(async (error: unknown) => {
    if (!(error instanceof Failure) || reasonOf(error.cause) !== LOSES_STATE) throw error;
    requireConsent(context);
    await confirm(context, `${error.message} Go on?`);
    const confirmed = await replace(true);
    await context.sandbox.deleteJournal();
    return confirmed;
  });
  const clock = await context.sandbox.administer('GET /clock');
  await context.sandbox.rememberClock(clock.time);
  return report;
}

function reasonOf(cause: unknown): unknown {
  return cause instanceof Error && 'reason' in cause ? cause.reason : undefined;
}
