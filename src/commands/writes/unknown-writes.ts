import { failureOnly, type Hint, suggest } from '../../errors.js';
import { zonedTime } from '../../terminal/time.js';
import {
  concernsMarket,
  type UnknownWrite,
  unknownWrites,
  unknownWritesAdvice,
} from '../../trading/settling/unknown-writes.js';
import type { Context } from '../session/command.js';
import type { WriteContext } from './write.js';

/**
 * The command that asks for the outcome of a write again, and from when on that may decide it.
 * @param expiry when its requests expire by this machine's clock; null if that is over
 */
export function askAgain(note: string, expiry: number | null, ...argv: readonly string[]): Hint {
  const when = expiry === null ? '' : ` after ${zonedTime(expiry)}, when its request should have expired`;
  return suggest(`${note}${when}`, 'resolve', ...argv);
}

/** Warns in one line of the writes that this concerns and whose outcome is unknown, with the command that settles them. Returns them. */
export function warnOfUnknown(
  { session, output }: Pick<Context, 'session' | 'output'>,
  concerns: (write: UnknownWrite) => boolean,
): Promise<readonly UnknownWrite[]> {
  return warnOf(output, () => session.unknownWrites(), concerns);
}

/** The same for the writes of a market, in a command that writes there itself. */
export function warnOfUnknownIn(
  { trading: { journal }, output }: WriteContext,
  market: string,
): Promise<readonly UnknownWrite[]> {
  const read = async () => unknownWrites(journal, journal.unsettled());
  return warnOf(output, read, (write) => concernsMarket(write, market));
}

async function warnOf(
  output: Pick<Context['output'], 'warn'>,
  read: () => Promise<readonly UnknownWrite[]>,
  concerns: (write: UnknownWrite) => boolean,
): Promise<readonly UnknownWrite[]> {
  try {
    const found = (await read()).filter(concerns);
    const advice = unknownWritesAdvice(found);
    if (advice !== undefined) output.warn(advice, { inOneLine: true });
    return found;
  } catch (error) {
    const { message, hints } = failureOnly(error);
    output.warn([`Writes with an unknown outcome cannot be listed: ${message}`, ...hints]);
    return [];
  }
}
