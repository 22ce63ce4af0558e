import { define, optional } from '../frame/definition.js';
import { DRY_CHANGE } from '../frame/dry-run.js';
import { oneOf } from '../inputs/numbers.js';
import { apply } from './apply.js';
import { installing } from './changes.js';
import { CHANGED } from './shapes.js';
import { SHELLS, shellMeant } from './shells.js';

export default define({
  summary: 'Put the completion where a shell looks; says what it will do, and asks',
  arguments: { shell: optional('bash, zsh or fish; your own when left out', oneOf('The shell', ...SHELLS)) },
  examples: ['completion install', 'completion install zsh --dry-run', 'completion install bash --yes'],
  output: CHANGED,
  dry: DRY_CHANGE,
  async run(context, { shell: named }) {
    const shell = shellMeant(context.host, named);
    return apply(context, {
      shell,
      operation: 'completion install',
      changes: installing(context.host, shell),
      idle: `The completion for ${shell} is there already.`,
      done: `Installed the completion for ${shell}; a new ${shell} has it.`,
    });
  },
});
