import { Failure } from '../errors.js';
import type { Prompts } from '../terminal/asking/prompts.js';

/** A question that asks for consent. */
interface ConsentQuestion {
  readonly text: string;
  /** What has to be typed. Absent if yes is enough. */
  readonly word?: string | undefined;
  /** The text below the question, computed again while it waits. */
  readonly below?: (() => string) | undefined;
}

/** Whoever is asked before something is done: the person at the terminal or at the market screen. */
export interface Consent {
  /** Whether somebody can answer. */
  readonly available: boolean;
  /** Returns whether consent was given. Whatever needs consent asks for it here. */
  ask(question: ConsentQuestion): Promise<boolean>;
}

/** A time budget that does not run while a person answers. */
interface PausableBudget {
  pausedDuring<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** The person at the terminal. The terminal is not opened before it is needed. */
export function consentAt(openPrompts: () => Prompts, budget: PausableBudget): Consent {
  return {
    get available() {
      return openPrompts().available;
    },
    ask: ({ text, word, below }) => {
      const prompts = openPrompts();
      return budget.pausedDuring(() =>
        word === undefined ? prompts.confirm(text, below) : prompts.confirmTyping(text, word, below),
      );
    },
  };
}

/** What consent depends on: the flags, and somebody to ask. */
interface Asking {
  readonly globals: { readonly yes: boolean; readonly dryRun: boolean };
  readonly consent: Consent;
}

/**
 * Refuses a write that needs confirmation, before any request, without a terminal. A pipe into stdin cannot answer:
 * `echo y |` confirms nothing. Throws Failure `declined`.
 */
export function requireConsent(context: Asking): void {
  const { yes, dryRun } = context.globals;
  if (yes || dryRun || context.consent.available) return;
  throw new Failure('declined', 'This needs confirmation, and there is no terminal to ask on.', {
    hint: 'Add --yes to confirm in a script, or --dry-run to see what it would do.',
  });
}

/**
 * Asks for consent, unless `--yes` was given. Throws Failure `declined` for anything but yes.
 * @param below the text below the prompt, computed again while it waits
 */
export async function confirm(context: Asking, question: string, below?: () => string): Promise<void> {
  if (context.globals.yes || (await context.consent.ask({ text: question, below }))) return;
  throw new Failure('declined', 'Not confirmed; nothing was sent.', { hint: 'Only y or yes confirms.' });
}
