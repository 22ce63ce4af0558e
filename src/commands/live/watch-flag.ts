import { toggle } from '../../cli/definition.js';
import { usage } from '../../errors.js';
import type { Answer, Live } from '../../terminal/answer.js';
import type { Context } from '../session/command.js';
import type { Streamed } from './watched-answer.js';

/**
 * The flag of a command that can be watched. In CSV, each change would repeat all rows.
 * @param excluded the flags of the command that a watch, which shows what is now, does not take
 */
export function watchFlag(...excluded: readonly string[]) {
  return toggle('--watch', 'show changes as they happen; q or Ctrl-C ends', { excludes: [...excluded, '--csv'] });
}

/** Throws Failure `usage` for an output that cannot separate the answers of a watch. */
export function requireWatchable({ globals, output }: Pick<Context, 'globals' | 'output'>): void {
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
