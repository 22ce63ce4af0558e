import { ANY_MARKET, Failure, type Hint } from '../../errors.js';
import { TimeBudget } from '../../platform/time-budget.js';
import type { WriteContext } from '../writes/write.js';

/**
 * Runs work on the trade host. If the exchange rejects it because there is no such market, throws Failure `usage` with the
 * nearest names; otherwise what the work threw. The catalogue is read only then: a cancellation must get through while the
 * market-data host is unreachable.
 */
export async function explainUnknownMarket<Value>(
  { session }: Pick<WriteContext, 'session'>,
  market: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
    await ignoringReadFailures(async () => (await session.exchange.markets()).find(market));
    throw error.hinting(error.hints.map((hint) => withMarket(hint, market)));
  }
}

/** A command that helps in any market, filled in. */
function withMarket(hint: string | Hint, market: string): string | Hint {
  if (typeof hint === 'string') return hint;
  return { ...hint, argv: hint.argv.map((word) => (word === ANY_MARKET ? market : word)) };
}

/** How long to wait for a newer list of markets. */
const PATIENCE_MS = 1_500;

/**
 * Throws Failure `usage` for a market that the exchange does not list, as far as that is known at once: a name that was
 * listed before needs no request, and an unreachable market-data host delays the command only briefly.
 */
export async function refuseUnknownMarket(
  { session, host }: Pick<WriteContext, 'session' | 'host'>,
  market: string,
): Promise<void> {
  await ignoringReadFailures(async () => {
    if (!(await session.exchange.markets()).wasMissing(market)) return;
    await (await session.exchange.markets(new TimeBudget(PATIENCE_MS, host.monotonic))).find(market);
  });
}

/** Runs a read of the catalogue. Without the catalogue, there is nothing to explain. */
async function ignoringReadFailures(read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'usage') throw error;
  }
}
