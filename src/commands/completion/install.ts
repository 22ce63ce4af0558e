import { installing } from './changes.js';
import { changing } from './changing.js';

export default changing({
  operation: 'completion install',
  summary: 'Put the completion where a shell looks; says what it will do, and asks',
  examples: ['completion install', 'completion install zsh --dry-run', 'completion install bash --yes'],
  changes: installing,
  idle: (shell) => `The completion for ${shell} is there already.`,
  done: (shell) => `Installed the completion for ${shell}; a new ${shell} has it.`,
});
