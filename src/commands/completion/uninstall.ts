import { uninstalling } from './changes.js';
import { changing } from './changing.js';

export default changing({
  operation: 'completion uninstall',
  summary: 'Take the completion out again; says what it will do, and asks',
  examples: ['completion uninstall', 'completion uninstall bash --yes'],
  changes: uninstalling,
  idle: (shell) => `There is no completion of pit's for ${shell}.`,
  done: (shell) => `Took the completion for ${shell} out.`,
});
