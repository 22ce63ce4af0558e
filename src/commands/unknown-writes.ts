import { Failure, suggest } from '../errors.js';
import type { UnknownWrite } from '../trading/unknown-writes.js';
import type { Context } from './command.js';

/** More are only counted. */
const MAX_NAMED = 5;

/** Warns of each write that this concerns and whose outcome is unknown, with the command that settles it. Returns them. */
export async function warnOfUnknown(
  { trading, output }: Pick<Context, 'trading' | 'output'>,
  concerns: (write: UnknownWrite) => boolean,
): Promise<readonly UnknownWrite[]> {
  try {
    const found = (await trading.unknownWrites()).filter(concerns);
    for (const { advice } of found.slice(0, MAX_NAMED)) output.warn(advice);
    const others = found.length - MAX_NAMED;
    if (others > 0) output.warn([`${others} more writes have an unknown outcome.`, suggest('Find out', 'resolve')]);
    return found;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    output.warn([`Writes with an unknown outcome cannot be listed: ${error.message}`, ...error.hints]);
    return [];
  }
}
