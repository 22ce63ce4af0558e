import { confirm } from '../../cli/consent.js';
import { repeated, withCompletion } from '../../cli/definition.js';
import type { Decimal } from '../../domain/decimal.js';
import { type Advice, Failure, suggest } from '../../errors.js';
import type { CheckLines } from '../../trading/batches/batch-sender.js';
import type { Breach, GuardReport } from '../../trading/guards/guards.js';
import {
  GUARDS,
  type GuardLimits,
  type GuardName,
  guardLimits,
  ordersToSend,
  parseGuards,
  requireDayNotional,
  requireOrderNotional,
  SETTING_OF,
  unsentText,
} from '../../trading/guards/limits.js';
import type { BatchLine, RecordedWrite } from '../../trading/journal/write.js';
import type { RecordOptions } from '../../trading/orders/place.js';
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

/**
 * The limits of the guards as they are now: those of the profile and those of the agent, if one sends. Throws Failure as
 * {@link Session.currentSettings}.
 */
export async function limitsOf(
  { session, agent }: Pick<WriteContext, 'session' | 'agent'>,
  isRest = false,
): Promise<GuardLimits> {
  const limits = guardLimits(await session.currentSettings(unsentText(isRest)));
  return agent === undefined ? limits : agent.limits.within(limits);
}

/** What orders are recorded with, and what checks them while they are sent. */
export interface SendOptions extends RecordOptions {
  /** For a job: before each of its requests. */
  readonly checkLines: CheckLines;
}

/**
 * What to record with the write, and the checks of the limits to repeat after recording. A limit that was overridden is not
 * checked.
 * @param quote the coin that the limit is in
 */
export function sendOptionsOf(
  context: WriteContext,
  quote: string,
  { breaches, bestBid }: Pick<GuardReport, 'breaches' | 'bestBid'>,
  overridden: readonly GuardName[],
): SendOptions {
  const { trading, agent } = context;
  const lifted = new Set([...overridden, ...breaches.map(({ guard }) => guard)]);
  /** The limit of the day that the write is within: it is counted in full, so only a lower limit can change that. */
  let checkedDay: Decimal | undefined;
  const requireLimits = async (write: RecordedWrite, lines: readonly BatchLine[] | undefined, isRest: boolean) => {
    const limits = await limitsOf(context, isRest);
    const refusing = { isRest, hint: agent?.ifBlocked };
    if (!lifted.has('order-notional'))
      requireOrderNotional(ordersToSend(write, lines), quote, limits, bestBid, refusing);
    const day = limits.dayNotional.get(quote);
    const isChecked = day === undefined || (checkedDay !== undefined && day.compare(checkedDay) >= 0);
    if (lifted.has('day-notional') || isChecked) return;
    requireDayNotional(trading, quote, limits, refusing);
    checkedDay = day;
  };
  return {
    bestBid,
    requireWithinLimits: async (write, lines) => {
      await requireLimits(write, lines, false);
      await agent?.limits.requireRoom(trading, write);
    },
    checkLines: ({ entry, requests }, lines) => requireLimits(entry.write, lines, requests > 0),
  };
}

/**
 * Asks the usual question, or whether to send a write that guards block. A guard is overridden by `--override`, which is
 * reported, or by typing its name, which answers the usual question as well; `--yes` overrides none, and nothing does for an agent.
 *
 * @param below the text below the prompt, computed again while it waits
 * @throws Failure `usage`, or why a guard could not be checked, without a terminal or for an agent; `declined` for any other answer
 */
export async function confirmGuarded(
  context: WriteContext,
  question: string,
  breaches: readonly Breach[],
  overridden: readonly GuardName[],
  below?: () => string,
): Promise<void> {
  const { output, consent, agent } = context;
  if (agent !== undefined && breaches.length > 0) throw blockedBy(breaches, agent.ifBlocked);
  const blocked = notOverridden(breaches, overridden);
  for (const { guard, message } of breaches)
    if (overridden.includes(guard)) output.warn(`Overridden ${guard}: ${message}.`);
  if (blocked.length === 0) return confirm(context, question, below);
  if (!consent.available) throw await blockedFailure(context, blocked, breaches);
  for (const { guard, message } of blocked) {
    output.warn(`${guard} blocks this: ${message}.`);
    const promptText = `${question} ${guard} blocks this. Type ${guard} to send it anyway:`;
    if (!(await consent.ask({ text: promptText, word: guard, below })))
      throw new Failure('declined', `${guard} was not typed; nothing was sent.`, {
        hint: 'To override a guard, type its name exactly.',
      });
  }
}

/** The failure of a write that guards block. Its kind is that of what kept them from being checked, if that is all. */
export function blockedBy(blocked: readonly Breach[], hint: Advice): Failure {
  const failures = blocked.flatMap(({ failure }) => failure ?? []);
  const kind = failures.length === blocked.length ? failures[0]?.kind : undefined;
  const messages = blocked.map(({ guard, message }) => `${guard} blocks this: ${message}.`);
  return new Failure(kind ?? 'usage', `${messages.join(' ')} Nothing was sent.`, { hint });
}

async function blockedFailure(
  { session }: WriteContext,
  blocked: readonly Breach[],
  breaches: readonly Breach[],
): Promise<Failure> {
  const names = breaches.map(({ guard }) => guard).join(',');
  const override = `If you mean it, add --override ${names}.`;
  if (blocked.every(({ failure }) => failure !== null)) return blockedBy(blocked, ['Try again in a moment.', override]);
  const { profile } = await session.connection();
  const settings = blocked.flatMap(({ guard }) => {
    const setting = SETTING_OF[guard];
    return setting === undefined ? [] : suggest('Change the limit', 'profile', 'set', profile, setting, 'VALUE');
  });
  return blockedBy(blocked, [override, ...settings]);
}
