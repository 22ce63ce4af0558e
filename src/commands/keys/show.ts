import { define } from '../../cli/definition.js';
import { Failure, suggest } from '../../errors.js';
import { record } from '../../terminal/table.js';
import { profileMeant } from '../profile/rows.js';
import { KEYS, shownKeys } from './shown-keys.js';

export default define({
  summary: "The last four characters of a profile's keys",
  examples: ['keys show', 'keys show --profile overseas --json'],
  output: KEYS,
  async run(context) {
    const { session } = context;
    const { name, builtIn } = await profileMeant(context);
    const pair = builtIn ? await session.sandbox() : await session.keys.get(name);
    if (pair === null)
      throw new Failure('credentials', `The profile ${name} has no keys.`, {
        hint: suggest('Store them', 'keys', 'set', '--profile', name),
      });
    const shown = shownKeys(name, pair);
    return {
      data: shown,
      show: (screen) =>
        record(screen, [
          ['profile', name],
          ['access key', shown.accessKey],
          ['secret key', shown.secretKey],
        ]),
    };
  },
});
