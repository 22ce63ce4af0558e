import { quotation } from '../../domain/quotation.js';
import { Failure } from '../../errors.js';
import type { LeftOutMarket } from '../../exchange/exchange.js';

/** The failure of a list of markets that lacks some of the exchange; undefined if it lacks none. */
export function leftOutFailure(markets: readonly LeftOutMarket[]): Failure | undefined {
  if (markets.length === 0) return undefined;
  return new Failure('partial', `The list lacks markets that the exchange names: ${leftOutText(markets)}.`, {
    hint: 'The rest of the list is whole.',
  });
}

/** Which markets are left out and why, as part of a sentence. */
export function leftOutText(markets: readonly LeftOutMarket[]): string {
  const shown = markets.slice(0, MOST_NAMED).map(({ name, why }) => `${quotation(name)} ${why}`);
  const more = markets.length > MOST_NAMED ? [`and ${markets.length - MOST_NAMED} more`] : [];
  return [...shown, ...more].join('; ');
}

const MOST_NAMED = 5;
