import { asItIs, entriesOf, entryRest, newestOf, openOf, over, PACE_MS, waiting, wanting } from '../decision-input.js';
import { fits, isWorse, noWorse, onTick, restingPrice } from '../prices.js';
import type { AlgoEntryKind } from './entry-kind.js';
import type { EntryOf } from './entry-terms.js';

/**
 * One post-only order for the rest at the best price of its side, which moves only when others outbid it, never beyond the bound, and at most once
 * a second. Alone at the top it stays: its own order does not count, so it never outbids itself.
 */
export const CHASE: AlgoEntryKind<EntryOf<'chase'>> = {
  followsMarket: true,
  isSplit: false,
  priceOf: ({ bound }) => bound,
  withPrice: ({ bound, ...entry }, change) => ({ ...entry, bound: bound && change(bound) }),
  typeOf: () => 'postOnly',
  mostOpenOf: () => null,
  check: () => undefined,
  largestOf: ({ amount }) => amount,
  plan(input, { bound }) {
    const { terms, market } = input;
    const { side, market: rules } = terms;
    const entries = entriesOf(input);
    const open = openOf(entries, 'entry');
    const rest = entryRest(input);
    const best = restingPrice(market, side);
    const price = best === null ? null : onTick(rules, side, noWorse(side, best, bound));
    const last = newestOf(entries);
    const mayMoveAt = last === null ? null : last.time + PACE_MS;
    if (open === null) {
      if (price === null) return waiting('the market shows no price to join');
      if (!fits(rules, price, rest)) return over('what is left is below the minimum');
      const wanted = { role: 'entry', type: 'postOnly', price, amount: rest, notBefore: mayMoveAt } as const;
      return { ...wanting(wanted), until: mayMoveAt };
    }
    const keep = wanting(asItIs(open));
    // what the market would not take again stays where it is
    if (price === null || !isWorse(side, price, open.price) || !fits(rules, price, rest)) return keep;
    if (mayMoveAt !== null && market.now < mayMoveAt) return { ...keep, until: mayMoveAt };
    return wanting({ role: 'entry', type: 'postOnly', price, amount: rest, notBefore: null });
  },
  parts: () => ({}),
};
