import { Failure, suggest } from '../../errors.js';
import { concernsMarket, type UnknownWrite, unknownWrites } from '../../trading/settling/unknown-writes.js';
import type { Context } from '../session/command.js';
import type { WriteContext } from './write.js';

/** More are only counted. */
const MAX_NAMED = 5;

/** Warns of each write that this concerns and whose outcome is unknown, with the command that settles it. Returns them. */
export function warnOfUnknown(
  { trading, output }: Pick<Context, 'trading' | 'output'>,
  concerns: (write: UnknownWrite) => boolean,
): Promise<readonly UnknownWrite[]> {
  return warnOf(output, () => trading.unknownWrites(), concerns);
}

/** The same for the writes of a market, in a command that writes there itself. */
export function warnOfUnknownIn(
  { trading: { journal }, output }: WriteContext,
  market: string,
  concerns: (write: UnknownWrite) => boolean = () => true,
): Promise<readonly UnknownWrite[]> {
  const read = async () => unknownWrites(journal, journal.unsettled());
  return warnOf(output, read, (write) => concernsMarket(write, market) && concerns(write));
}

async function warnOf(
  output: Pick<Context['output'], 'warn'>,
  read: () => Promise<readonly UnknownWrite[]>,
  concerns: (write: UnknownWrite) => boolean,
): Promise<readonly UnknownWrite[]> {
  try {
    const found = (await read()).filter(concerns);
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
