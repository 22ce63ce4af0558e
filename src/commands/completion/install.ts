import { define } from '../../cli/definition.js';
import { apply, CHANGING } from './apply.js';
import { installing } from './changes.js';

export default define({
  ...CHANGING,
  summary: 'Put the completion where a shell looks; says what it will do, and asks',
  examples: ['completion install', 'completion install zsh --dry-run', 'completion install bash --yes'],
  run: (context, { shell: named }) =>
    apply(context, named, {
      operation: 'completion install',
      changes: installing,
      idle: (shell) => `The completion for ${shell} is there already.`,
      done: (shell) => `Installed the completion for ${shell}; a new ${shell} has it.`,
    }),
});
