import { asItIs, entriesOf, entryRest, hasArrived, openOf, over, wanting } from '../decision-input.js';
import { fits } from '../prices.js';
import type { AlgoEntryKind } from './entry-kind.js';
import type { EntryOf } from './entry-terms.js';

/** One order. When it has closed, the entry is over. */
export const LIMIT: AlgoEntryKind<EntryOf<'limit'>> = {
  followsMarket: false,
  isSplit: false,
  priceOf: ({ price }) => price,
  withPrice: (entry, change) => ({ ...entry, price: change(entry.price) }),
  typeOf: ({ type }) => type,
  mostOpenOf: () => null,
  check: () => undefined,
  largestOf: ({ amount }) => amount,
  plan(input, { type, price }) {
    const entries = entriesOf(input);
    const open = openOf(entries, 'entry');
    if (open !== null) return wanting(asItIs(open));
    if (entries.some((child) => hasArrived(child) && child.state === 'closed')) return over('its order has ended');
    const amount = entryRest(input);
    if (!fits(input.terms.market, price, amount)) return over('it is below the minimum');
    return wanting({ role: 'entry', type, price, amount, notBefore: null });
  },
  parts: () => ({}),
};
