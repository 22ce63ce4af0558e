import { Decimal } from '../../../domain/decimal.js';
import type { Side } from '../../../domain/order.js';
import type { AlgoFacts } from '../record/facts.js';
import { kindOfEntry } from './entries/entry-kinds.js';
import { type AlgoTerms, EXIT_PRICES, exitSideOf, mapExitPrices } from './terms.js';

/** The terms with the rules that the market has now: each price of an order is rounded to the safe side, and a distance stays what it was. */
export function currentTerms({ began: { terms }, rules }: Pick<AlgoFacts, 'began' | 'rules'>): AlgoTerms {
  if (rules === null) return terms;
  const { market } = rules;
  const rounded = (side: Side, price: Decimal): Decimal =>
    price.rescaled(market.priceScale, side === 'buy' ? 'down' : 'up').trimmed();
  const roundedOrNull = (side: Side, price: Decimal | null) => (price === null ? null : rounded(side, price));
  const { entry, exits, side } = terms;
  const exitSide = exitSideOf(terms);
  return {
    ...terms,
    market,
    entry: entry && kindOfEntry(entry).withPrice(entry, (price) => rounded(side, price)),
    exits: exits && {
      ...exits,
      ...mapExitPrices((name) => (EXIT_PRICES[name].isOfOrder ? roundedOrNull(exitSide, exits[name]) : exits[name])),
      trail:
        exits.trail?.unit === 'ticks'
          ? { unit: 'price', value: exits.trail.value.times(Decimal.of(terms.market.tickSize)) }
          : exits.trail,
    },
  };
}
