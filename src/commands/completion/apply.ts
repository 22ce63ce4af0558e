import { confirm, requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import { optional } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import type { Host } from '../../platform/host.js';
import type { Answer } from '../../terminal/answer.js';
import { oneOf } from '../inputs/numbers.js';
import { type Change, carryOut } from './changes.js';
import { CHANGED } from './shapes.js';
import { SHELLS, type Shell, shellMeant } from './shells.js';

/** What the commands have in common that change what a shell finds of pit's completion. */
export const CHANGING = {
  arguments: { shell: optional('bash, zsh or fish; your own when left out', oneOf('The shell', ...SHELLS)) },
  output: CHANGED,
  dry: DRY_CHANGE,
} as const;

interface Intended {
  readonly operation: string;
  readonly changes: (host: Host, shell: Shell) => readonly Change[];
  /** What is said where nothing is to be done. */
  readonly idle: (shell: Shell) => string;
  readonly done: (shell: Shell) => string;
}

/**
 * Says what is to be done, asks, and does it. Throws Failure `declined`, or `usage` where a file cannot be written.
 * @param named the shell that was named; the user's own where none was
 */
export async function apply(context: Context, named: Shell | undefined, intended: Intended): Promise<Answer> {
  const { operation, idle, done } = intended;
  const shell = shellMeant(context.host, named);
  const changes = intended.changes(context.host, shell);
  const words = changes.map((change) => change.words);
  if (context.globals.dryRun)
    return dryChange(operation, ...(words.length === 0 ? [idle(shell)] : words.map((each) => `Would ${each}.`)));
  const data = { shell, changes: changes.map(({ file, text }) => ({ file, removed: text === null })) };
  if (changes.length === 0) return { data, show: () => idle(shell) };
  requireConsent(context);
  for (const each of words) context.output.note(`This will ${each}.`);
  await confirm(context, 'Go on?');
  carryOut(changes);
  return { data, show: () => done(shell) };
}
