import { define, optional } from '../frame/definition.js';
import { DRY_CHANGE } from '../frame/dry-run.js';
import { oneOf } from '../inputs/numbers.js';
import { apply } from './apply.js';
import { uninstalling } from './changes.js';
import { CHANGED } from './shapes.js';
import { SHELLS, shellMeant } from './shells.js';

export default define({
  summary: 'Take the completion out again; says what it will do, and asks',
  arguments: { shell: optional('bash, zsh or fish; your own when left out', oneOf('The shell', ...SHELLS)) },
  examples: ['completion uninstall', 'completion uninstall bash --yes'],
  output: CHANGED,
  dry: DRY_CHANGE,
  async run(context, { shell: named }) {
    const shell = shellMeant(context.host, named);
    return apply(context, {
      shell,
      operation: 'completion uninstall',
      changes: uninstalling(context.host, shell),
      idle: `There is no completion of pit's for ${shell}.`,
      done: `Took the completion for ${shell} out.`,
    });
  },
});
