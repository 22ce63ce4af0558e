import { toggle } from '../../cli/definition.js';
import { suggest, usage } from '../../errors.js';
import type { Answer, Live } from '../../terminal/answer.js';
import type { Context } from '../session/command.js';
import type { Streamed } from './watched-answer.js';

/** The flag of every command that can be watched. */
export const WATCH = toggle('--watch', 'show changes as they happen; q or Ctrl-C ends');

/**
 * Throws Failure `usage` for flags that a watch does not take, and for an output that cannot separate its answers.
 * @param excluded the values of the command's own flags that it does not take
 */
export function requireWatchable(
  { globals, output }: Pick<Context, 'globals' | 'output'>,
  excluded: Readonly<Record<string, unknown>> = {},
): void {
  for (const [name, value] of Object.entries(excluded))
    if (value !== undefined && value !== false)
      throw usage(`--watch and ${name} exclude each other.`, 'A watch shows what is now; give one of them.');
  if (globals.format === 'csv')
    throw usage('--watch and --csv exclude each other.', [
      'Each change would repeat all rows.',
      suggest('Print a row for each event instead', 'stream', '--help'),
    ]);
  if (globals.fields !== undefined && !output.canDraw)
    throw usage('--watch takes --fields only on a terminal.', 'JSON has every field; pick from it with jq.');
}

/**
 * Shows a command's answer and keeps it current: over the stream, or by repeating the command within the shared limits.
 *
 * @param read what the command does without `--watch`. Its failure is the command's; a later one is shown until it is over.
 * @param streamed absent if no channel carries the answer
 */
export async function watch(context: Context, read: () => Promise<Answer>, streamed?: Streamed): Promise<Live> {
  const { liveAnswer } = await import('./live-answer.js');
  return liveAnswer(context, read, streamed);
}
