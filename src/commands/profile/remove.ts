import { requireConsent } from '../../cli/consent.js';
import { define, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { warnOfLeftBehind } from '../../cli/left-behind.js';
import * as shape from '../../cli/shapes.js';
import { profileName } from '../inputs/words.js';
import { confirmRemoval } from './loosening.js';

export default define({
  summary: 'Remove a profile and its keys; asks',
  arguments: { name: required('the profile', profileName) },
  examples: ['profile remove overseas', 'profile remove overseas --yes'],
  output: shape.record({ removed: shape.text('its name') }),
  dry: DRY_CHANGE,
  async run(context, { name }) {
    const { session } = context;
    requireConsent(context);
    const profile = await session.profiles.get(name);
    await warnOfLeftBehind(context, profile, () => ({ tradeUrl: profile.tradeUrl, accessKey: null }));
    if (context.globals.dryRun) return dryChange('profile remove', `Would remove the profile ${name} and its keys.`);
    await confirmRemoval(context, profile);
    await session.profiles.remove(name);
    return { data: { removed: name }, show: () => `Removed ${name}.` };
  },
});
