import type { Answer } from '../../terminal/answer.js';
import { confirm, requireConsent } from '../frame/consent.js';
import type { Context } from '../frame/context.js';
import { dryChange } from '../frame/dry-run.js';
import { type Change, carryOut } from './changes.js';
import type { Shell } from './shells.js';

interface Intended {
  readonly operation: string;
  readonly shell: Shell;
  readonly changes: readonly Change[];
  /** What is said where nothing is to be done. */
  readonly idle: string;
  readonly done: string;
}

/** Says what is to be done, asks, and does it. Throws Failure `declined`, or `usage` where a file cannot be written. */
export async function apply(context: Context, { operation, shell, changes, idle, done }: Intended): Promise<Answer> {
  const words = changes.map((change) => change.words);
  if (context.globals.dryRun)
    return dryChange(operation, ...(words.length === 0 ? [idle] : words.map((each) => `Would ${each}.`)));
  const data = { shell, changes: changes.map(({ file, text }) => ({ file, removed: text === null })) };
  if (changes.length === 0) return { data, show: () => idle };
  requireConsent(context);
  for (const each of words) context.output.note(`This will ${each}.`);
  await confirm(context, 'Go on?');
  carryOut(changes);
  return { data, show: () => done };
}
