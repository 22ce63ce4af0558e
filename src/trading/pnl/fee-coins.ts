import { Decimal } from '../../domain/decimal.js';
import type { FilledOrder } from './account-history.js';
import { groupBy } from './group-by.js';
import type { OrdersToMatch } from './orders-to-match.js';
import type { Line, Statement } from './statement.js';

/**
 * The coin of each order's fee whose bill is in another coin than the order says: an order shows a number only, and its coin is what
 * exchanges usually take. A bill left over at the moments of the order, or all of them together, has exactly its amount.
 */
export function billedFeeCoins(
  orders: readonly FilledOrder[],
  statement: Statement,
  sides: readonly OrdersToMatch[],
): ReadonlyMap<FilledOrder, string> {
  const lacking = sides.filter((side) => side.lacksFeesIn(side.received));
  if (lacking.length === 0) return new Map();
  const times = new Map<string, Set<number>>();
  for (const side of lacking) {
    const ids = side.ordersOfTrades();
    for (const [index, { time }] of side.trades.entries()) {
      const id = ids[index];
      if (id != null) times.set(id, (times.get(id) ?? new Set()).add(time));
    }
  }
  const taken = new Set<Line>();
  const found = new Map<FilledOrder, string>();
  for (const order of orders) {
    const side = lacking.find(({ market, side: own }) => market === order.market && own === order.side);
    const change = Decimal.of(order.fee ?? '0').negated();
    if (side === undefined || order.feeCoin !== side.received || change.sign === 0) continue;
    const moments = [...(times.get(order.id) ?? [])].map((time) => statement.at(time));
    const left = moments
      .flat()
      .filter((line) => line.coin !== side.received && !statement.isTaken(line.place) && !taken.has(line))
      .filter((line) => line.change.sign === change.sign);
    const ways = [...groupBy(left, ({ coin }) => coin)].flatMap(([coin, lines]) => {
      const one = lines.find((line) => line.change.equals(change));
      const isSum = Decimal.sum(lines.map((line) => line.change)).equals(change);
      return one === undefined && !isSum ? [] : [{ coin, lines: one === undefined ? lines : [one] }];
    });
    const [way, another] = ways;
    if (way === undefined || another !== undefined) continue;
    for (const line of way.lines) taken.add(line);
    found.set(order, way.coin);
  }
  return found;
}
