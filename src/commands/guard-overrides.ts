import { confirm } from '../cli/consent.js';
import { repeated, withCompletion } from '../cli/definition.js';
import { Failure, suggest } from '../errors.js';
import type { Breach, GuardReport } from '../trading/guards/guards.js';
import {
  GUARDS,
  type GuardName,
  guardLimits,
  parseGuards,
  requireDayNotional,
  SETTING_OF,
} from '../trading/guards/limits.js';
import type { RecordOptions } from '../trading/orders/place.js';
import type { WriteContext } from './write.js';

/** `--override price-band`, for every command that places orders. */
export const overrideFlag = repeated(
  '--override <guard>',
  `send it although this guard blocks it: ${GUARDS.join(', ')}`,
  withCompletion({ of: 'words', words: GUARDS, joined: true }, parseGuards),
);

/** Which guards a command line overrides. */
export function overriddenBy(given: readonly (readonly GuardName[])[]): readonly GuardName[] {
  return GUARDS.filter((guard) => given.some((guards) => guards.includes(guard)));
}

/** The breaches that are not overridden. */
export function notOverridden(breaches: readonly Breach[], overridden: readonly GuardName[]): readonly Breach[] {
  return breaches.filter(({ guard }) => !overridden.includes(guard));
}

/** A breach as a line of a preview; says if it is overridden. */
export function breachText({ guard, message }: Breach, overridden: readonly GuardName[]): string {
  return `${guard}${overridden.includes(guard) ? ' (overridden)' : ''}: ${message}`;
}

/**
 * What to record with the write, and the check of the day limit to repeat after recording. If the limit was overridden, there
 * is no check.
 * @param quote the coin that the limit is in
 */
export async function recordOptionsOf(
  { session, trading }: WriteContext,
  quote: string,
  { breaches, bestBid }: Pick<GuardReport, 'breaches' | 'bestBid'>,
  overridden: readonly GuardName[],
): Promise<RecordOptions> {
  if (overridden.includes('day-notional') || breaches.some(({ guard }) => guard === 'day-notional')) return { bestBid };
  const limits = guardLimits((await session.profile.connection()).settings);
  return { bestBid, requireWithinDayLimit: () => requireDayNotional(trading, quote, limits) };
}

/**
 * Asks the usual question, or whether to send a write that guards block. A guard is overridden by `--override`, which is
 * reported, or by typing its name, which answers the usual question as well; `--yes` overrides none.
 *
 * @param below the text below the prompt, computed again while it waits
 * @throws Failure `usage`, or why a guard could not be checked, without a terminal; `declined` for any other answer
 */
export async function confirmGuarded(
  context: WriteContext,
  question: string,
  breaches: readonly Breach[],
  overridden: readonly GuardName[],
  below?: () => string,
): Promise<void> {
  const { output, budget } = context;
  const blocked = notOverridden(breaches, overridden);
  for (const { guard, message } of breaches)
    if (overridden.includes(guard)) output.warn(`Overridden ${guard}: ${message}.`);
  if (blocked.length === 0) return confirm(context, question, below);
  const { prompts } = context;
  if (!prompts.available) throw await blockedFailure(context, blocked, breaches);
  for (const { guard, message } of blocked) {
    output.warn(`${guard} blocks this: ${message}.`);
    const promptText = `${question} ${guard} blocks this. Type ${guard} to send it anyway:`;
    const typed = await budget.pausedDuring(() => prompts.confirmTyping(promptText, guard, below));
    if (!typed)
      throw new Failure('declined', `${guard} was not typed; nothing was sent.`, {
        hint: 'To override a guard, type its name exactly.',
      });
  }
}

async function blockedFailure(
  { session }: WriteContext,
  blocked: readonly Breach[],
  breaches: readonly Breach[],
): Promise<Failure> {
  const failures = blocked.flatMap(({ failure }) => failure ?? []);
  const kind = failures.length === blocked.length ? failures[0]?.kind : undefined;
  const messages = blocked.map(({ guard, message }) => `${guard} blocks this: ${message}.`);
  const names = breaches.map(({ guard }) => guard).join(',');
  const override = `If you mean it, add --override ${names}.`;
  if (kind !== undefined)
    return new Failure(kind, `${messages.join(' ')} Nothing was sent.`, { hint: ['Try again in a moment.', override] });
  const { profile } = await session.profile.connection();
  const settings = blocked.map(({ guard }) =>
    suggest('Change the limit', 'profile', 'set', profile, SETTING_OF[guard], 'VALUE'),
  );
  return new Failure('usage', `${messages.join(' ')} Nothing was sent.`, { hint: [override, ...settings] });
}
