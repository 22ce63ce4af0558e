import { Decimal, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type { Order, Side } from '../../domain/order.js';
import type { CancelledAll } from '../../trading/cancel/cancel-all.js';

/** How many orders of a side are open, and what they are worth. */
export function openText(market: string, side: Side, open: readonly Order[]): string {
  if (open.length === 0) return 'none open';
  const { base = '', quote = '' } = splitMarket(market) ?? {};
  const sizes = open.map(({ amount, filled }) => Decimal.of(amount).minus(Decimal.of(filled)));
  const values = open.map(({ price }, index) => Decimal.of(price).times(sizes[index] ?? Decimal.zero));
  const worth = `${totalText(values)} ${quote}`;
  return `${open.length} open, ${side === 'buy' ? `for ${worth}` : `${totalText(sizes)} ${base}, for ${worth}`}`;
}

/** The orders of a market that were not cancelled, and what is known of them. */
export interface LeftOrders {
  readonly ids: readonly string[];
  /** Of orders that could not be read after they were cancelled, nothing is known. */
  readonly state: 'still open' | 'may still be open';
}

export function leftOrders({ attempts, stillOpen, failure }: Omit<CancelledAll, 'orders'>): LeftOrders {
  if (failure === null) return { ids: stillOpen, state: 'still open' };
  // they were read before these were cancelled
  const cancelled = new Set(attempts.flatMap((attempt) => (attempt.failure === null ? attempt.result.id : [])));
  return { ids: stillOpen.filter((id) => !cancelled.has(id)), state: 'may still be open' };
}

function totalText(values: readonly Decimal[]): string {
  return grouped(Decimal.sum(values).trimmed().toString());
}
