import { Failure } from '../../errors.js';
import type { Context } from './context.js';

/**
 * Does something on the trade host, which decides what markets there are: a cancellation must get through while the
 * market-data host is away. Only a refusal is looked into: the name may be wrong, and the catalogue knows the right ones.
 * Throws Failure `usage` for a market that the exchange does not list, otherwise what was thrown.
 */
export async function onMarket<Value>(
  { session }: Context,
  market: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.kind === 'refused') await explain(session, market);
    throw error;
  }
}

async function explain(session: Context['session'], market: string): Promise<void> {
  try {
    await (await session.markets()).find(market);
  } catch (error) {
    // a catalogue that cannot be had explains nothing
    if (error instanceof Failure && error.kind === 'usage') throw error;
  }
}
