import { define, required } from '../definition.js';
import { word } from '../inputs/words.js';
import { changed } from '../profile-rows.js';

export default define({
  summary: 'Use a profile from now on',
  arguments: { name: required('the profile', word) },
  examples: ['profile use overseas', 'profile use sandbox'],
  async run({ session: { profiles } }, { name }) {
    await profiles.use(name);
    return changed(await profiles.get(name), profiles, `Using ${name} from now on.`);
  },
});
