import { Decimal, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type { Order, Side } from '../../domain/order.js';

/** How many orders of a side are open, and what they are worth. */
export function openText(market: string, side: Side, open: readonly Order[]): string {
  if (open.length === 0) return 'none open';
  const { base = '', quote = '' } = splitMarket(market) ?? {};
  const sizes = open.map(({ amount, filled }) => Decimal.of(amount).minus(Decimal.of(filled)));
  const values = open.map(({ price }, index) => Decimal.of(price).times(sizes[index] ?? Decimal.zero));
  const worth = `${totalText(values)} ${quote}`;
  return `${open.length} open, ${side === 'buy' ? `for ${worth}` : `${totalText(sizes)} ${base}, for ${worth}`}`;
}

function totalText(values: readonly Decimal[]): string {
  return grouped(Decimal.sum(values).trimmed().toString());
}
