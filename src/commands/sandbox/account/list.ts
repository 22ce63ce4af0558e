import { listing } from '../../../cli/answers.js';
import { define } from '../../../cli/definition.js';
import * as shape from '../../../cli/shapes.js';
import type { AccountReport } from '../../../sandbox/admin/accounts.js';
import { ACCOUNT_COLUMNS, ACCOUNT_FIELDS } from '../account-rows.js';
import { ACCOUNT } from '../shapes.js';

export default define({
  summary: 'The accounts of the sandbox with their play keys',
  examples: ['sandbox account list', 'sandbox account list --json'],
  output: shape.list(ACCOUNT),
  async run({ session }) {
    const rows = (await session.administer('GET /accounts')) as AccountReport[];
    return listing({ rows, fields: ACCOUNT_FIELDS, columns: ACCOUNT_COLUMNS, empty: 'No accounts.' });
  },
});
