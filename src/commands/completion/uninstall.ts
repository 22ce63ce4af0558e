import { define } from '../../cli/definition.js';
import { apply, CHANGING } from './apply.js';
import { uninstalling } from './changes.js';

export default define({
  ...CHANGING,
  summary: 'Take the completion out again; says what it will do, and asks',
  examples: ['completion uninstall', 'completion uninstall bash --yes'],
  run: (context, { shell: named }) =>
    apply(context, named, {
      operation: 'completion uninstall',
      changes: uninstalling,
      idle: (shell) => `There is no completion of pit's for ${shell}.`,
      done: (shell) => `Took the completion for ${shell} out.`,
    }),
});
