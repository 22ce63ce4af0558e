import { define, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { profileName } from '../inputs/words.js';
import { confirmLoosening } from './loosening.js';
import { changed, WHOLE_PROFILE } from './rows.js';
import { settingKey } from './setting-key.js';

export default define({
  summary: 'Take a setting of a profile away',
  arguments: { name: required('the profile', profileName), key: required('the setting', settingKey) },
  examples: ['profile unset overseas zone', 'profile unset overseas ws-url'],
  output: WHOLE_PROFILE,
  dry: DRY_CHANGE,
  async run(context, { name, key }) {
    const { profiles } = context.session;
    const { globals } = context;
    await profiles.get(name);
    if (globals.dryRun) return dryChange('profile unset', `Would unset ${key} of ${name}.`);
    await confirmLoosening(context, name, key, undefined);
    await profiles.unset(name, key);
    return changed(await profiles.get(name), profiles, `${key} of ${name} is no longer set.`);
  },
});
