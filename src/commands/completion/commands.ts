import { confirm, requireConsent } from '../../cli/consent.js';
import { optional, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { oneOf } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import {
  applyChanges,
  type FileChange,
  installChanges,
  SHELLS,
  type Shell,
  scriptText,
  shellToUse,
  uninstallChanges,
} from './installation.js';

const shellName = oneOf('The shell', ...SHELLS);

export const print = define({
  summary: 'Print the completion script of a shell',
  arguments: { shell: required(SHELLS.join(', '), shellName) },
  examples: ['completion bash', 'completion zsh --json'],
  output: shape.object({ shell: shape.enumOf(SHELLS, ''), script: shape.text('its text') }),
  async run({ host }, { shell }) {
    const script = scriptText(host, shell);
    return { data: { shell, script }, show: () => script.trimEnd() };
  },
});

const CHANGED = shape.object({
  shell: shape.enumOf(SHELLS, ''),
  changes: shape.array(
    shape.object({ file: shape.text(''), removed: shape.boolean('false if it was written') }),
    'empty if nothing had to change',
  ),
});

const shellArgument = { shell: optional('bash, zsh or fish (default: your shell)', shellName) };

export const install = define({
  summary: 'Install completion for a shell; asks',
  arguments: shellArgument,
  examples: ['completion install', 'completion install zsh --dry-run', 'completion install bash --yes'],
  output: CHANGED,
  dryRunOutput: DRY_CHANGE,
  run(context, { shell: requested }) {
    const shell = shellToUse(context.host, requested);
    return change(context, shell, {
      operation: 'completion install',
      changes: installChanges(context.host, shell),
      unchanged: `Completion for ${shell} is already installed.`,
      done: `Installed completion for ${shell}. Start a new ${shell} to use it.`,
    });
  },
});

export const uninstall = define({
  summary: 'Uninstall completion for a shell; asks',
  arguments: shellArgument,
  examples: ['completion uninstall', 'completion uninstall bash --yes'],
  output: CHANGED,
  dryRunOutput: DRY_CHANGE,
  run(context, { shell: requested }) {
    const shell = shellToUse(context.host, requested);
    return change(context, shell, {
      operation: 'completion uninstall',
      changes: uninstallChanges(context.host, shell),
      unchanged: `Completion for ${shell} is not installed.`,
      done: `Uninstalled completion for ${shell}.`,
    });
  },
});

interface Plan {
  readonly operation: string;
  readonly changes: readonly FileChange[];
  readonly unchanged: string;
  readonly done: string;
}

async function change(context: Context, shell: Shell, { operation, changes, unchanged, done }: Plan) {
  const actions = changes.map(({ action }) => action);
  if (context.globals.dryRun)
    return dryChange(operation, ...(actions.length === 0 ? [unchanged] : actions.map((action) => `Would ${action}.`)));
  const data = { shell, changes: changes.map(({ file, text }) => ({ file, removed: text === null })) };
  if (changes.length === 0) return { data, show: () => unchanged };
  requireConsent(context);
  for (const action of actions) context.output.note(`This will ${action}.`);
  await confirm(context, 'Go on?');
  applyChanges(changes);
  return { data, show: () => done };
}
