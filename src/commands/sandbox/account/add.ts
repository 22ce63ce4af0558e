import { completing } from '../../../cli/completes.js';
import { define, flag, required } from '../../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../../cli/dry-run.js';
import { type AccountReport, PERMISSION_NAMES } from '../../../sandbox/admin/accounts.js';
import { record } from '../../../terminal/table.js';
import { word } from '../../inputs/words.js';
import { ACCOUNT_COLUMNS } from '../account-rows.js';
import { ACCOUNT } from '../shapes.js';

export default define({
  summary: 'Add an account with play keys of its own; it owns nothing yet',
  arguments: { name: required('the name of the account', word) },
  flags: {
    permissions: flag(
      '--permissions <names>',
      'of asset, lever, entrust, money: what its key may do (default: all)',
      completing({ of: 'words', words: PERMISSION_NAMES, joined: true }, list),
    ),
  },
  examples: ['sandbox account add alice', 'sandbox account add watcher --permissions asset,entrust --json'],
  output: ACCOUNT,
  dry: DRY_CHANGE,
  async run({ session, globals }, { name, permissions }) {
    if (globals.dryRun) return dryChange('sandbox account add', `Would add the account ${name}.`);
    const added = (await session.administer('POST /accounts/add', { name, permissions })) as AccountReport;
    return {
      data: added,
      show: (screen) =>
        record(
          screen,
          ACCOUNT_COLUMNS.map(({ title, value }) => [title, value(added) ?? null]),
        ),
    };
  },
});

function list(text: string): string[] {
  return text.split(',').flatMap((name) => name.trim() || []);
}
