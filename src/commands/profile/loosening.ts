import { confirm } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import type { Profile } from '../../config/profiles.js';
import { checkSetting } from '../../config/settings.js';
import { limitsOfWithdrawals, loosens } from '../../config/withdraw-settings.js';
import { Failure } from '../../errors.js';

/**
 * Asks at a terminal before a limit of withdrawals holds less back than before. No flag answers that: a script that has gone
 * wrong, or somebody else's, could lift what the user has set against it.
 * @param value undefined where the setting is taken away
 * @throws Failure `declined` for anything but the setting's name, and where nobody can type it
 */
export async function confirmLoosening(
  context: Context,
  name: string,
  key: string,
  value: string | undefined,
): Promise<void> {
  const { settings } = await context.session.profiles.get(name);
  const after = value === undefined ? undefined : checkSetting(key, value);
  if (!loosens(key, settings[key], after)) return;
  await requireTyped(context, key, {
    loosens: `This loosens the limit ${key}`,
    warning: `${key} of ${name} is ${settings[key]} now; this holds less back.`,
    question: `Type ${key} to loosen it:`,
  });
}

/**
 * Asks before a profile goes, and where its limits of withdrawals would go with it as {@link confirmLoosening} does: one made
 * again under its name has none.
 * @throws Failure `declined` for anything but yes, or but the profile's name, and where nobody can type that
 */
export async function confirmRemoval(context: Context, { name, builtIn, settings }: Profile): Promise<void> {
  const limits = builtIn ? [] : limitsOfWithdrawals(settings);
  if (limits.length === 0) return confirm(context, `Remove the profile ${name} and its keys?`);
  await requireTyped(context, name, {
    loosens: `This takes away limits of ${name}: ${limits.join(', ')}`,
    warning: `${name} limits withdrawals: ${limits.map((key) => `${key} is ${settings[key]}`).join(', ')}.`,
    question: `Type ${name} to remove it with its limits and keys:`,
  });
}

interface Asked {
  /** What it does, as half a sentence. */
  readonly loosens: string;
  readonly warning: string;
  readonly question: string;
}

async function requireTyped({ prompts, budget, output }: Context, word: string, asked: Asked): Promise<void> {
  if (!prompts.available)
    throw new Failure('declined', `${asked.loosens}, and there is no terminal to ask on.`, {
      hint: 'Only somebody at a terminal can loosen a limit; --yes does not. Making it tighter asks nothing.',
    });
  output.warn(asked.warning);
  if (await budget.outside(() => prompts.confirmTyping(asked.question, word))) return;
  throw new Failure('declined', `${word} was not typed; nothing was changed.`, {
    hint: `Only the word ${word} confirms it.`,
  });
}
