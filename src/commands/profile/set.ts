import { define, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { warnOfLeftBehind } from '../../cli/left-behind.js';
import { checkSetting, shownSettings } from '../../config/settings.js';
import { suggest } from '../../errors.js';
import { requireCertificates } from '../../exchange/network/network.js';
import { profileName, word } from '../inputs/words.js';
import { confirmLoosening } from './loosening.js';
import { changed, WHOLE_PROFILE } from './rows.js';
import { settingKey } from './setting-key.js';
import { unknownCoins } from './unknown-coins.js';

export default define({
  summary: 'Set a host or a setting of a profile',
  arguments: {
    name: required('the profile', profileName),
    key: required('base-url, trade-url, ws-url or a setting', settingKey),
    value: required('its value', word),
  },
  examples: [
    'profile set overseas trade-url https://trade.example.com',
    'profile set overseas zone +08:00',
    'profile set overseas withdrawDayLimit 0.5btc,1000usdt',
  ],
  output: WHOLE_PROFILE,
  dry: DRY_CHANGE,
  async run(context, { name, key, value }) {
    const { output, globals } = context;
    const { profiles } = context.session;
    const profile = await profiles.get(name);
    const shown = kept(key, value);
    for (const warning of unknownCoins(context.host.directories.cache, name, key, value)) output.warn(warning);
    if (key === 'caFile') requireCertificates(shown);
    if (key === 'trade-url') {
      const tradeUrl = checkSetting(key, value);
      await warnOfLeftBehind(context, profile, ({ accessKey }) => ({ tradeUrl, accessKey }));
    }
    if (globals.dryRun) return dryChange('profile set', `Would set ${key} of ${name} to ${shown}.`, ...dropping(key));
    await confirmLoosening(context, name, key, value);
    if (await profiles.set(name, key, value)) {
      output.note([
        'Its keys were for another trade host and are dropped.',
        suggest('Store new ones', 'keys', 'set', '--profile', name),
      ]);
    }
    return changed(await profiles.get(name), profiles, `Set ${key} of ${name}.`);
  },
});

/** As it would be kept and shown. Throws Failure `usage` for a value that the key cannot have. */
function kept(key: string, value: string): string {
  return shownSettings({ [key]: checkSetting(key, value) })[key] ?? '';
}

function dropping(key: string): string[] {
  return key === 'trade-url' ? ['Keys that were stored for another trade host would be dropped.'] : [];
}
