import type { Decimal } from '../../../domain/decimal.js';
import type { BookedTrade, OrdersToMatch } from './orders-to-match.js';
import { type Line, magnitude, type Statement } from './statement.js';

/** How an exchange writes the bills of a trade, one after the other, if it does so always in one way. */
export interface BillOrder {
  /** What was sent comes before what was received. */
  readonly isSentFirst: boolean;
  /** The fee comes before the trade. */
  readonly isFeeFirst: boolean;
}

const BILL_ORDERS: readonly BillOrder[] = [
  { isSentFirst: true, isFeeFirst: false },
  { isSentFirst: false, isFeeFirst: false },
  { isSentFirst: true, isFeeFirst: true },
  { isSentFirst: false, isFeeFirst: true },
];

/** Of the moments with one trade, at most this part may contradict an order of the bills that is tried. */
const MOST_CONTRADICTIONS = 0.1;

/**
 * The orders in which the bills of the statement may stand, by the moments with two or three bills that only one trade explains. To
 * try an order takes as long as to match the statement.
 */
export function possibleOrders(statement: Statement): readonly BillOrder[] {
  const contradictions = new Map(BILL_ORDERS.map((order) => [order, 0]));
  let count = 0;
  for (const lines of statement.moments()) {
    const seen = lines.length > 3 ? undefined : orderOfTrade(lines);
    if (seen === undefined) continue;
    count += 1;
    for (const order of BILL_ORDERS)
      if (order.isSentFirst !== seen.isSentFirst || order.isFeeFirst !== (seen.isFeeFirst ?? order.isFeeFirst))
        contradictions.set(order, (contradictions.get(order) ?? 0) + 1);
  }
  return BILL_ORDERS.filter((order) => (contradictions.get(order) ?? 0) <= count * MOST_CONTRADICTIONS);
}

/** How the bills of one trade stand, with one of a fee in the coin that was received or without; undefined if they are others. */
function orderOfTrade(lines: readonly Line[]): Partial<BillOrder> | undefined {
  const received = lines.findIndex(({ change }) => change.sign > 0);
  const coin = lines[received]?.coin;
  const sent = lines.findIndex((line) => line.coin !== coin);
  const others = lines.filter((_, index) => index !== received && index !== sent);
  if (received < 0 || sent < 0 || others.some((line) => line.coin !== coin)) return undefined;
  if (lines.some(({ change }, index) => index !== received && change.sign > 0)) return undefined;
  const isSentFirst = sent < received;
  return others.length === 0 ? { isSentFirst } : { isSentFirst, isFeeFirst: lines.indexOf(others[0] as Line) === 0 };
}

/** So many trades, each in one moment with others, do not add up with all orders by chance if their bills are in no order. */
export const ENOUGH_TRADES = 20;

interface Pair {
  readonly side: OrdersToMatch;
  readonly base: Line;
  readonly quote: Line;
  readonly amount: Decimal;
  readonly value: Decimal;
}

/**
 * Reads the bills of one moment in the order in which they stand: those of a trade are neighbours. The coins of its two bills and
 * their signs name its market and its side. Returns the number of trades.
 */
export function readMoment(
  statement: Statement,
  lines: readonly Line[],
  open: readonly OrdersToMatch[],
  { isSentFirst, isFeeFirst }: BillOrder,
): number {
  const sides = new Map(
    open.map((side) => [side.isBuy ? `${side.quote} ${side.base}` : `${side.base} ${side.quote}`, side]),
  );
  const pairAt = (index: number): Pair | undefined => {
    const [first, second] = [lines[index], lines[index + 1]];
    if (first === undefined || second === undefined) return undefined;
    const [sent, received] = isSentFirst ? [first, second] : [second, first];
    const side = sides.get(`${sent.coin} ${received.coin}`);
    if (side === undefined || sent.change.sign >= 0 || received.change.sign <= 0) return undefined;
    const [base, quote] = side.isBuy ? [received, sent] : [sent, received];
    const [amount, value] = [magnitude(base), magnitude(quote)];
    return side.mayTrade(amount, value) ? { side, base, quote, amount, value } : undefined;
  };
  let count = 0;
  let fees: Line[] = [];
  let last: { readonly side: OrdersToMatch; readonly trade: BookedTrade } | undefined;
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as Line;
    const pair = pairAt(index);
    if (pair === undefined) {
      if (isFeeFirst) fees.push(line);
      else if (last !== undefined) payFee(statement, last.side, last.trade, line);
      index += 1;
      continue;
    }
    const { side, base, quote, amount, value } = pair;
    for (const one of [base, quote]) statement.take(one);
    const { time, place } = line;
    last = { side, trade: side.add({ time, place, amount, value, bills: { base: [base], quote: [quote] } }) };
    for (const fee of fees) payFee(statement, side, last.trade, fee);
    fees = [];
    count += 1;
    index += 2;
  }
  return count;
}

/** A bill of a coin in which the trade pays no fee is one of something else. */
function payFee(statement: Statement, side: OrdersToMatch, trade: BookedTrade, line: Line): void {
  const owed = side.feeCoinOf(line.coin);
  if (owed === undefined) return;
  statement.take(line);
  side.addFee(trade, { coin: line.coin, amount: line.change.negated(), time: line.time, bills: [line] }, owed);
}
