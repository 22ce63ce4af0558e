import { Decimal, formatAmount, formatPrice } from '../../../../domain/decimal.js';
import type { Market } from '../../../../domain/market.js';
import { usage } from '../../../../errors.js';
import { leastAmount } from '../../../orders/terms.js';
import { crosses } from '../../../preview/market-view.js';
import { least, wholeLots } from '../children.js';
import {
  asItIs,
  type DecisionInput,
  entriesOf,
  entryRest,
  newestOf,
  openOf,
  over,
  PACE_MS,
  waiting,
  wanting,
} from '../decision-input.js';
import { fits, hitPrice, isUsable } from '../prices.js';
import type { AlgoTerms } from '../terms.js';
import type { AlgoEntryKind } from './entry-kind.js';
import type { EntryOf } from './entry-terms.js';

type Iceberg = EntryOf<'iceberg'>;

/**
 * Orders at one price, one after the other: a part of the amount rests, and the next one is placed when it has filled, at most one a second.
 * If it is post-only, it waits until the market has moved away from its price.
 * No part is below the minimums of the market. If what is left after a part would be, that part is smaller:
 *
 *     11 in parts of 5, minimum 2   |#####|####.|##...|
 */
export const ICEBERG: AlgoEntryKind<Iceberg> = {
  followsMarket: false,
  isSplit: true,
  priceOf: ({ price }) => price,
  withPrice: (entry, change) => ({ ...entry, price: change(entry.price) }),
  typeOf: ({ type }) => type,
  mostOpenOf: ({ show }) => show,
  largestOf: (_, { show }) => show,
  check: checkParts,
  plan(input, entry) {
    const { market: rules } = input.terms;
    const entries = entriesOf(input);
    const open = openOf(entries, 'entry');
    if (open !== null) return wanting(asItIs(open));
    const rest = entryRest(input);
    const amount = partOf(rules, entry, rest);
    if (!fits(rules, entry.price, amount))
      return over(
        fits(rules, entry.price, rest)
          ? `a part of ${formatAmount(entry.show)} ${rules.base} is below the minimum`
          : 'what is left is below the minimum',
      );
    const { type, price } = entry;
    if (type === 'postOnly' && wouldFill(input, price))
      return { ...waiting('it waits until its price would not fill at once'), needsMarket: true };
    const last = newestOf(entries);
    const notBefore = last === null ? null : last.time + PACE_MS;
    return { ...wanting({ role: 'entry', type, price, amount, notBefore }), until: notBefore };
  },
  parts: ({ show }) => ({ show: show.trimmed().toString() }),
};

/** Whether an order at this price would, or may, fill at once: without a usable book, that is unknown. */
function wouldFill({ terms, market }: DecisionInput, price: Decimal): boolean {
  const hit = hitPrice(market, terms.side);
  return !isUsable(market) || (hit !== null && crosses(terms.side, price, hit));
}

/** How many parts an amount has. At least one. */
export function partCount({ amount }: Pick<AlgoTerms, 'amount'>, { show }: Iceberg): Decimal {
  return amount.dividedBy(show, 0, 'up');
}

/** The next part of what is left: as much as may rest, or less if what follows would otherwise be below the minimums. */
function partOf(rules: Market, { price, show }: Iceberg, rest: Decimal): Decimal {
  const part = wholeLots(show, rules);
  if (rest.compare(part) <= 0 || part.sign <= 0 || price.sign <= 0) return least(rest, part);
  const smallest = leastAmount(rules, price);
  const others = rest.dividedBy(part, 0, 'up').minus(ONE);
  const spare = rest.minus(smallest.times(others));
  return spare.compare(smallest) < 0 ? part : least(part, spare);
}

const ONE = Decimal.of('1');

/** Throws Failure `usage` for parts that no order of the market can have, with the number that works. */
function checkParts({ amount, market: rules }: AlgoTerms, entry: Iceberg): void {
  const { show, price } = entry;
  const { base } = rules;
  if (show.significantScale > rules.amountScale)
    throw usage(
      `The shown amount ${show} has more decimals than ${rules.market} takes.`,
      `At most ${rules.amountScale} decimals: a lot is ${Decimal.fromUnits(1n, rules.amountScale)}.`,
    );
  const smallest = leastAmount(rules, price);
  const minimum = `the minimum of ${formatAmount(smallest)} ${base} at ${formatPrice(price, rules)}`;
  if (show.compare(smallest) < 0)
    throw usage(`The shown amount ${show} is below ${minimum}.`, `Use ${formatAmount(smallest)} or more.`);
  if (show.compare(amount) >= 0)
    throw usage(
      `The shown amount ${show} is not below the amount ${amount}: all of it would rest.`,
      `Show less than ${formatAmount(amount)}. To rest all of it, leave the shown amount out.`,
    );
  const parts = partCount({ amount }, entry);
  const enough = smallest.times(parts);
  if (enough.compare(amount) <= 0) return;
  // fewer parts, each as large as it has to be
  const most = amount.dividedBy(smallest, 0, 'down');
  const larger = amount.dividedBy(most, rules.amountScale, 'up').trimmed();
  const shown = larger.compare(amount) < 0 ? [`Show ${formatAmount(larger)} or more`] : [];
  throw usage(`In parts of up to ${show}, ${amount} ${base} leaves a part below ${minimum}.`, [
    ...shown.map((text) => `${text}.`),
    `Or use an amount of ${formatAmount(enough)} ${base} or more.`,
  ]);
}
