import type { Context } from '../cli/context.js';
import { Failure } from '../errors.js';

/** A market that the exchange no longer lists must not hide the others: it is warned of, and undefined. */
export async function unlessUnlisted<Value>({ output }: Context, read: Promise<Value>): Promise<Value | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    output.warn(`${error.message} Skipping it.`);
    return undefined;
  }
}

/** Which markets were read because none was named. */
export function journalMarketsText(markets: readonly string[], toDo: string): string {
  if (markets.length === 0) return `pit has not placed any orders yet. Name a market ${toDo}`;
  return `Markets in which pit placed orders lately: ${markets.join(', ')}. Name another market ${toDo}`;
}
