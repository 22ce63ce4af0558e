import { confirm, requireConsent } from '../../cli/consent.js';
import { define } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { warnOfLeftBehind } from '../../cli/left-behind.js';
import { usage } from '../../errors.js';
import { profileMeant } from '../profile/rows.js';
import { KEYS } from './shown-keys.js';

export default define({
  summary: "Remove a profile's keys; asks",
  examples: ['keys remove --profile overseas', 'keys remove --profile overseas --yes'],
  output: KEYS,
  dry: DRY_CHANGE,
  async run(context) {
    const { session, globals } = context;
    requireConsent(context);
    const profile = await profileMeant(context);
    const { name, tradeUrl } = profile;
    await warnOfLeftBehind(context, profile, () => ({ tradeUrl, accessKey: null }));
    if (globals.dryRun) return dryChange('keys remove', `Would remove the keys of ${name}.`);
    await confirm(context, `Remove the keys of ${name}?`);
    if (!(await session.keys.remove(name))) throw usage(`The profile ${name} has no keys.`);
    return { data: { profile: name, accessKey: null, secretKey: null }, show: () => `Removed the keys of ${name}.` };
  },
});
