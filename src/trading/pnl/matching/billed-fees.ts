import { Decimal } from '../../../domain/decimal.js';
import type { FilledOrder } from '../account-history.js';
import { groupBy } from '../group-by.js';
import type { BookedTrade, OrdersToMatch } from './orders-to-match.js';
import type { Line, Statement } from './statement.js';

/**
 * Orders with the coins and parts of their fees as bills show them. An order has a number only: its coin is a guess, and it may be a
 * fee minus a rebate. The bills are those that are left at the moments of the order: one of exactly the amount, or all of a coin that
 * have this sum with what was found before.
 *
 * @returns the same orders if bills show nothing else
 */
export function ordersAsBilled(
  orders: readonly FilledOrder[],
  statement: Statement,
  sides: readonly OrdersToMatch[],
): readonly FilledOrder[] {
  const lacking = sides.filter(({ lacksFees }) => lacksFees);
  const trades = tradesOfOrders(lacking);
  const taken = new Set<Line>();
  let isSame = true;
  const billed = orders.map((order) => {
    const own = trades.get(order.id);
    const fee = Decimal.of(order.fee ?? '0');
    if (own === undefined || fee.sign === 0) return order;
    const moments = [...new Set(own.map(({ time }) => time))].map((time) => statement.at(time));
    const left = moments.flat().filter((line) => !statement.isTaken(line.place) && !taken.has(line));
    const ways = [...groupBy(left, ({ coin }) => coin)].flatMap(([coin, lines]) => {
      const one = lines.find(({ change }) => change.equals(fee.negated()));
      if (one !== undefined && coin !== order.feeCoin) return [{ coin, lines: [one], parts: [fee] }];
      const before = own.flatMap(({ fees }) =>
        fees.filter((paid) => paid.coin === coin && paid.bills !== 'sum' && paid.bills.length > 0),
      );
      const amounts = [...before.map(({ amount }) => amount), ...lines.map(({ change }) => change.negated())];
      if (!Decimal.sum(amounts).equals(fee)) return [];
      const parts = [1, -1].map((sign) => Decimal.sum(amounts.filter((amount) => amount.sign === sign)));
      return [{ coin, lines, parts }];
    });
    const [way, another] = ways;
    if (way === undefined || another !== undefined) return order;
    isSame = false;
    for (const line of way.lines) taken.add(line);
    return { ...order, feeCoin: order.feeCoin && way.coin, feeParts: way.parts };
  });
  return isSame ? orders : billed;
}

/** By the id of the order. */
function tradesOfOrders(sides: readonly OrdersToMatch[]): ReadonlyMap<string, readonly BookedTrade[]> {
  const found = sides.flatMap((side) => {
    const ids = side.ordersOfTrades();
    return side.trades.map((trade, index) => ({ trade, id: ids[index] ?? null }));
  });
  const byId = groupBy(
    found.filter(({ id }) => id !== null),
    ({ id }) => id ?? '',
  );
  return new Map([...byId].map(([id, own]) => [id, own.map(({ trade }) => trade)]));
}
