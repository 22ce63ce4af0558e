import path from 'node:path';
import { define, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import type { StateReport } from '../../sandbox/admin/state.js';
import { grouped } from '../../terminal/numbers.js';
import { filePath } from '../inputs/words.js';
import { losingState } from './losing.js';
import { FILE } from './shapes.js';

export default define({
  summary: 'Put an exported exchange in the place of this one; asks where something would be lost',
  arguments: { file: required('what pit sandbox export wrote', filePath) },
  examples: ['sandbox import state.ndjson', 'sandbox import state.ndjson --yes --json'],
  output: FILE,
  dry: DRY_CHANGE,
  async run(context, { file }) {
    if (context.globals.dryRun) return dryChange('sandbox import', `Would take everything from ${file}.`);
    const report = (await losingState(context, 'POST /import', { file: path.resolve(file) })) as StateReport;
    return { data: report, show: () => `Took ${grouped(String(report.rows))} rows from ${report.file}.` };
  },
});
