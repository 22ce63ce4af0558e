import { define, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { profileName } from '../inputs/words.js';
import { changed, WHOLE_PROFILE } from './rows.js';

export default define({
  summary: 'Use a profile from now on',
  arguments: { name: required('the profile', profileName) },
  examples: ['profile use overseas', 'profile use sandbox'],
  output: WHOLE_PROFILE,
  dry: DRY_CHANGE,
  async run({ session: { profiles }, globals }, { name }) {
    const profile = await profiles.get(name);
    if (globals.dryRun) return dryChange('profile use', `Would use ${name} from now on.`);
    await profiles.use(name);
    return changed(profile, profiles, `Using ${name} from now on.`);
  },
});
