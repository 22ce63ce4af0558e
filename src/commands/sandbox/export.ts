import path from 'node:path';
import { define, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import type { StateReport } from '../../sandbox/admin/state.js';
import { grouped } from '../../terminal/numbers.js';
import { filePath } from '../inputs/words.js';
import { FILE } from './shapes.js';

export default define({
  summary: 'Write the whole exchange to one file: books, balances, ids, bills, trades, candles',
  arguments: { file: required('where to; it is replaced', filePath) },
  examples: ['sandbox export state.ndjson', 'sandbox export /tmp/state.ndjson --json'],
  output: FILE,
  dry: DRY_CHANGE,
  async run({ session, globals }, { file }) {
    if (globals.dryRun) return dryChange('sandbox export', `Would write ${file}.`);
    const report = (await session.administer('POST /export', { file: path.resolve(file) })) as StateReport;
    return { data: report, show: () => `Wrote ${grouped(String(report.rows))} rows to ${report.file}.` };
  },
});
