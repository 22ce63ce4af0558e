import { define, required } from '../../cli/definition.js';
import { oneOf } from '../inputs/numbers.js';
import { SCRIPT } from './shapes.js';
import { SHELLS, scriptText } from './shells.js';

export default define({
  summary: 'Print the script that completes command lines in a shell',
  arguments: { shell: required(SHELLS.join(', '), oneOf('The shell', ...SHELLS)) },
  examples: ['completion bash', 'completion zsh --json'],
  output: SCRIPT,
  async run({ host }, { shell }) {
    const script = scriptText(host, shell);
    return { data: { shell, script }, show: () => script.trimEnd() };
  },
});
