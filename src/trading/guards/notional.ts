import type { Decimal } from '../../domain/decimal.js';
import { type Breach, breaking, broken } from './breach.js';
import type { GuardLimits } from './limits.js';

/**
 * Holds notionals in a quote coin against the limits of one order and of one day.
 * @param today what the day's earlier orders come to
 */
export function checkNotionals(
  notionals: readonly Decimal[],
  quote: string,
  limits: Pick<GuardLimits, 'orderNotional' | 'dayNotional'>,
  today: Decimal,
): Breach[] {
  const [perOrder, perDay] = [limits.orderNotional.get(quote), limits.dayNotional.get(quote)];
  const [largest] = notionals.toSorted((left, right) => right.compare(left));
  const day = notionals.reduce((sum, notional) => sum.plus(notional), today);
  const inCoin = (amount: Decimal) => `${amount.trimmed()} ${quote}`;
  const breaches: Breach[] = [];
  if (perOrder !== undefined && largest !== undefined && largest.compare(perOrder) > 0) {
    const which = notionals.length === 1 ? 'the order' : 'the largest order';
    const words = `${which} comes to ${inCoin(largest)}, and the limit for one order is ${inCoin(perOrder)}`;
    const those = breaking(notionals, (notional) => notional.compare(perOrder) > 0, largest);
    breaches.push(broken('order-notional', words, those));
  }
  if (perDay !== undefined && day.compare(perDay) > 0) {
    const words = `the orders of this UTC day would come to ${inCoin(day)}, and the limit is ${inCoin(perDay)}`;
    breaches.push(broken('day-notional', words));
  }
  return breaches;
}
