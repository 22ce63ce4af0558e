import { Decimal } from '../../protocol/decimal.js';
import { splitMarket } from '../../protocol/words.js';
import type { Intent, Operation, OrderTerms } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';

const DAY_MS = 86_400_000;

/**
 * What the orders of the UTC day come to in a quote coin, by the journal: those that were placed, whatever became of them
 * since, and those that may have been.
 *
 * @param now milliseconds since the Unix epoch
 */
export function writtenToday(journal: Pick<Journal, 'archive' | 'open'>, quote: string, now: number): Decimal {
  const midnight = now - (now % DAY_MS);
  const placed = journal.archive
    .since(midnight)
    .filter(({ outcome }) => outcome === 'placed')
    .map(({ intent, duplicates }) => ({ intent, times: 1 + duplicates.length }));
  const open = journal.open().map(({ intent }) => ({ intent, times: 1 }));
  return [...placed, ...open]
    .filter(({ intent }) => intent.time >= midnight && splitMarket(intent.terms.market)?.quote === quote)
    .reduce((sum, { intent, times }) => sum.plus(notionalOf(intent).times(Decimal.of(String(times)))), Decimal.zero);
}

/** What a write may move of the market's quote coin. */
function notionalOf(intent: Intent): Decimal {
  const read = NOTIONALS[intent.operation] as (terms: Intent['terms']) => Decimal;
  return read(intent.terms);
}

/** Every operation of the journal says here what it comes to. */
const NOTIONALS: { readonly [Name in Operation]: (terms: Intent<Name>['terms']) => Decimal } = {
  order: worth,
  cancelOrder: () => Decimal.zero,
  // until its order is cancelled; then it is an order
  replace: ({ wanted }) => worth(wanted),
};

function worth({ price, amount }: OrderTerms): Decimal {
  return Decimal.of(price).times(Decimal.of(amount));
}
