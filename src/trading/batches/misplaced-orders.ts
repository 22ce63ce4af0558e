import { counted } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { suggest } from '../../errors.js';
import { orderKey } from '../orders/terms.js';
import type { TradingContext } from '../trading-context.js';
import type { Job } from './job.js';
import { lineKey } from './lines.js';

/** A line, and the order that an answer named for it. */
interface Misplaced {
  readonly line: number;
  readonly id: string;
  readonly key: string;
}

/**
 * The orders that are listed as another line than the one they were named for. An answer names orders only by their
 * position, and nothing guarantees that the exchange or the network keeps the order of the pairs. An order that matches no
 * line is not included: the exchange has changed it.
 */
export function misplacedIn(job: Job, listed: readonly Order[]): readonly Misplaced[] {
  const { side, lines } = job.terms;
  const named = new Map(
    job.results.flatMap((result, line) => (result?.outcome === 'placed' ? [[result.id, line]] : [])),
  );
  const unlike = listed.flatMap((order): Misplaced[] => {
    const { id } = order;
    const line = named.get(id);
    const key = orderKey(order, side);
    const pair = line === undefined ? undefined : lines[line];
    if (line === undefined || key === undefined || pair === undefined || key === lineKey(pair)) return [];
    return [{ line, id, key }];
  });
  const keys = new Set(unlike.length === 0 ? [] : job.keys);
  return unlike.filter(({ key }) => keys.has(key));
}

/**
 * Assigns these orders to their lines, by price and amount. If that is impossible, the list does not show all of them or the
 * exchange has changed one: then their lines are unknown.
 *
 * @param isAll whether the list shows all of the job's orders, so that no later one would show more
 */
export function assignByTerms(trading: TradingContext, job: Job, listed: readonly Order[], isAll: boolean): void {
  const misplaced = misplacedIn(job, listed);
  if (misplaced.length === 0) return;
  const free = new Map<string, number[]>();
  for (const { line } of misplaced) {
    const key = job.keys[line] ?? '';
    free.set(key, [...(free.get(key) ?? []), line]);
  }
  const orders = misplaced.flatMap(({ id, key }): (readonly [line: number, id: string])[] => {
    const line = free.get(key)?.shift();
    return line === undefined ? [] : [[line, id]];
  });
  const orderCount = counted(misplaced.length, 'order');
  if (orders.length === misplaced.length)
    job.record(`${orderCount} had been named in another order`, { kind: 'found', orders });
  else if (isAll) warnOf(trading, job, orderCount);
}

function warnOf({ warn }: TradingContext, { terms: { market, side } }: Job, orders: string): void {
  warn([
    `The exchange's answers gave ${orders} the wrong ids.`,
    suggest('Compare the ids', 'orders', market, '--side', side, '--state', 'all'),
  ]);
}
