import { define, required } from '../frame/definition.js';
import { dryChange } from '../frame/dry-run.js';
import { word } from '../inputs/words.js';
import { changed } from './rows.js';

export default define({
  summary: 'Set a host or a setting of a profile',
  arguments: {
    name: required('the profile', word),
    key: required('base-url, trade-url, ws-url or a setting', word),
    value: required('its value', word),
  },
  examples: ['profile set overseas trade-url https://trade.example.com', 'profile set overseas zone +08:00'],
  async run({ session: { profiles }, globals }, { name, key, value }) {
    await profiles.get(name);
    if (globals.dryRun) return dryChange('profile set', `Would set ${key} of ${name}.`);
    await profiles.set(name, key, value);
    return changed(await profiles.get(name), profiles, `Set ${key} of ${name}.`);
  },
});
