import { Failure } from '../errors.js';
import type { Prompts } from '../terminal/asking/prompts.js';
import type { Globals } from './context.js';

/** What consent depends on: the flags, and somebody to ask. */
interface Asking {
  readonly globals: Pick<Globals, 'yes' | 'dryRun'>;
  readonly prompts: Pick<Prompts, 'available' | 'confirm'>;
}

/**
 * Refuses a write that needs confirmation, before any request, without a terminal. A pipe into stdin cannot answer:
 * `echo y |` confirms nothing. Throws Failure `declined`.
 */
export function requireConsent(context: Asking): void {
  const { yes, dryRun } = context.globals;
  if (yes || dryRun || context.prompts.available) return;
  throw new Failure('declined', 'This needs confirmation, and there is no terminal to ask on.', {
    hint: 'Add --yes to confirm in a script, or --dry-run to see what it would do.',
  });
}

/** A time budget that does not run while a person answers. */
interface PausableBudget {
  pausedDuring<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * Asks on a terminal, unless `--yes` was given. Throws Failure `declined` for anything but yes.
 * @param below the text below the prompt, computed again while it waits
 */
export async function confirm(
  context: Asking & { readonly budget: PausableBudget },
  question: string,
  below?: () => string,
): Promise<void> {
  if (context.globals.yes || (await context.budget.pausedDuring(() => context.prompts.confirm(question, below))))
    return;
  throw new Failure('declined', 'Not confirmed; nothing was sent.', { hint: 'Only y or yes confirms.' });
}
