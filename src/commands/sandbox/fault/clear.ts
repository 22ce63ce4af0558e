import { define, optional } from '../../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../../cli/dry-run.js';
import * as shape from '../../../cli/shapes.js';
import { wholeNumber } from '../../inputs/numbers.js';

export default define({
  summary: 'Switch a fault off, or all of them; their log stays',
  arguments: { id: optional('the number of the fault; all when left out', wholeNumber('The fault', 1, 999_999_999)) },
  examples: ['sandbox fault clear', 'sandbox fault clear 2 --json'],
  output: shape.record({ cleared: shape.count('how many') }),
  dry: DRY_CHANGE,
  async run({ session, globals }, { id }) {
    if (globals.dryRun) return dryChange('sandbox fault clear', 'Would switch faults off.');
    const answer = (await session.administer('POST /faults/clear', { id })) as { readonly cleared: number };
    return { data: answer, show: () => `Switched off: ${answer.cleared}.` };
  },
});
