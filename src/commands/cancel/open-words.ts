import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { type Side, splitMarket } from '../../domain/words.js';
import { grouped } from '../../terminal/numbers.js';

/** How many orders of a side are open, and what they hold: quote coin for buys, base coin for sells. */
export function openWords(market: string, side: Side, open: readonly Order[]): string {
  if (open.length === 0) return 'none open';
  const { base = '', quote = '' } = splitMarket(market) ?? {};
  const sizes = open.map(({ amount, filled }) => left(amount, filled));
  const values = open.map(({ price }, index) => Decimal.of(price).times(sizes[index] ?? Decimal.zero));
  const worth = `${shown(values)} ${quote}`;
  return `${open.length} open, ${side === 'buy' ? `for ${worth}` : `${shown(sizes)} ${base}, for ${worth}`}`;
}

function left(amount: string, filled: string): Decimal {
  return Decimal.of(amount).minus(Decimal.of(filled));
}

function shown(values: readonly Decimal[]): string {
  return grouped(
    values
      .reduce((sum, value) => sum.plus(value), Decimal.zero)
      .trimmed()
      .toString(),
  );
}
