import { listing } from '../../../cli/answers.js';
import { define } from '../../../cli/definition.js';
import * as shape from '../../../cli/shapes.js';
import type { FaultRule } from '../../../sandbox/faults/rules.js';
import { RULE_COLUMNS, RULE_FIELDS } from '../fault-rows.js';
import { FAULT } from '../shapes.js';

export default define({
  summary: 'The faults that are switched on',
  examples: ['sandbox fault list', 'sandbox fault list --json'],
  output: shape.list(FAULT),
  async run({ session }) {
    const rows = (await session.administer('GET /faults')) as FaultRule[];
    return listing({ rows, fields: RULE_FIELDS, columns: RULE_COLUMNS, empty: 'No faults.' });
  },
});
