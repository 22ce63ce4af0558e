import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { BatchLine } from '../journal/intent.js';
import { checkOrder } from '../orders/rules.js';
import { BadLines } from './bad-lines.js';

/** Refuses orders that the market's scales and minimums would refuse, all of them at once. Throws Failure `usage`. */
export function checkLines(market: Market, lines: readonly BatchLine[], what: 'Line' | 'Order'): void {
  const bad = new BadLines(what);
  for (const [number, price, amount] of lines)
    bad.try(number, () => checkOrder(market, Decimal.of(price), Decimal.of(amount)));
  bad.refuse();
}
