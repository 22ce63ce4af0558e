import path from 'node:path';
import { flag, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { openInput } from '../../platform/input-stream.js';
import { PRICE_MOVE } from '../../sandbox/admin/parameters.js';
import { filePath, marketName, positiveDecimal } from '../inputs/parsers.js';
import { forceFlag } from '../named-files/force.js';
import { STDIN, shownName } from '../named-files/input.js';
import { OutputTarget } from '../named-files/output.js';
import { define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import { durationBy } from './arguments.js';
import { confirmingLoss, ENDED, endedLines, wouldEnd } from './loss.js';
import { withFileForSandbox, withTransferFile } from './transfer.js';

const FILE_FIELDS = { file: shape.text(''), rows: shape.integer("of the exchange's data") };
const FILE = shape.object(FILE_FIELDS);

export const price = define({
  summary: 'Move the price of a sandbox market',
  arguments: { market: required('the market', marketName), price: required('the price', positiveDecimal('The price')) },
  flags: {
    over: flag(
      '--over <duration>',
      'how long the move takes, such as 30s or 10m (default: 0s)',
      durationBy(PRICE_MOVE),
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

export const exportState = define({
  summary: 'Export the whole sandbox to a file',
  arguments: { file: required('where to write; - is stdout', filePath) },
  flags: { force: forceFlag() },
  examples: ['sandbox export state.ndjson', 'sandbox export /tmp/state.ndjson --json'],
  output: FILE,
  dryRunOutput: DRY_CHANGE,
  async run(context, { file, force }) {
    const { sandbox, globals, output } = context;
    const { isState } = await import('../../sandbox/store/state-file.js');
    const target = new OutputTarget(context, file, { isForced: force, isOurs: isState, secrecy: 'keys' });
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
    const { LARGEST_STATE } = await import('../../sandbox/store/state-file.js');
    const rules = { max: LARGEST_STATE, hint: 'Give a file from pit sandbox export.' };
    if (context.globals.dryRun) {
      const { ended } = await withFileForSandbox(context, file, rules, (state) =>
        context.sandbox.administer('POST /import/plan', { file: state }),
      );
      const would = [`Would replace the sandbox by ${shownName(file)}.`, ...ended.map(wouldEnd)];
      return dryChange('sandbox import', ...would);
    }
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
