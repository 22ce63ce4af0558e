import { checkSetting } from '../../config/settings.js';
import { loosens } from '../../config/withdraw-settings.js';
import { Failure } from '../../errors.js';
import type { Context } from '../frame/context.js';

/**
 * Asks at a terminal before a limit of withdrawals holds less back than before. No flag answers that: a script that has gone
 * wrong, or somebody else's, could lift what the user has set against it.
 * @param value undefined where the setting is taken away
 * @throws Failure `declined` for anything but the setting's name, and where nobody can type it
 */
export async function confirmLoosening(
  { session, prompts, budget, output }: Context,
  name: string,
  key: string,
  value: string | undefined,
): Promise<void> {
  const { settings } = await session.profiles.get(name);
  const after = value === undefined ? undefined : checkSetting(key, value);
  if (!loosens(key, settings[key], after)) return;
  if (!prompts.available)
    throw new Failure('declined', `This loosens the limit ${key}, and there is no terminal to ask on.`, {
      hint: 'Only somebody at a terminal can loosen it; --yes does not. Making it tighter asks nothing.',
    });
  output.warn(`${key} of ${name} is ${settings[key]} now; this holds less back.`);
  if (await budget.outside(() => prompts.confirmTyping(`Type ${key} to loosen it:`, key))) return;
  throw new Failure('declined', `${key} was not typed; nothing was changed.`, { hint: 'Only its name loosens it.' });
}
