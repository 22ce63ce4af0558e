import { Decimal } from '../../../domain/decimal.js';
import { shareOf } from '../lots.js';
import { type Movement, movementOf } from './movement.js';
import type { BookedFee, OrderFee, OrdersToMatch } from './orders-to-match.js';
import type { Line, Statement } from './statement.js';

/** The fee of an order whose bill, a sum of several fees, has not come yet. */
export interface DueFee {
  readonly coin: string;
  readonly amount: Decimal;
  readonly market: string;
  /** When the order was filled, in milliseconds since the Unix epoch. */
  readonly time: number;
}

export interface SummedFees {
  /** One for each bill. */
  readonly movements: readonly Movement[];
  readonly due: readonly DueFee[];
}

/** Fees and bills of one coin that have the same sum. */
interface SummedMatch {
  readonly fees: readonly OrderFee[];
  readonly lines: readonly Line[];
  /** The fees after them, if no bill of their kind came later. */
  readonly next: readonly OrderFee[];
  /** The longest time between the fill of an order and the bill of its fee, in ms. */
  readonly longestMs: number;
}

const NOTHING_MATCHED: SummedMatch = { fees: [], lines: [], next: [], longestMs: 0 };

/** Fees that are summed are booked once a day, or more often. */
const DAY_MS = 86_400_000;

/**
 * Finds the bills that each sum the fees of several orders, one after the other. Whenever the sum of all bills so far is exactly
 * that of the fees of all orders so far, by the time of their fills, these bills are of these orders. An order that fills before
 * and after a bill has a part of its fee in each, and an order may have paid fees and received rebates: only the sum matters.
 */
export function matchSummedFees(statement: Statement, sides: readonly OrdersToMatch[]): SummedFees {
  const fees = sides
    .flatMap((side) => side.summedFees())
    .sort(({ last: one }, { last: other }) => one.time - other.time || one.place - other.place);
  if (fees.length === 0) return { movements: [], due: [] };
  const left = new Set(fees);
  const movements: Movement[] = [];
  const due: DueFee[] = [];
  const matchIn = (coin: string, of: readonly OrderFee[]) => {
    const found = bestMatch(statement, of, linesOf(statement, coin));
    for (const fee of found.fees) shareFee(fee, coin, 'sum');
    for (const line of found.lines) {
      statement.take(line);
      movements.push(movementOf('fees', line));
    }
    const waitedMs = ({ last }: OrderFee) => (statement.lines.at(-1)?.time ?? 0) - last.time;
    const young = found.next.filter((fee) => waitedMs(fee) < Math.max(found.longestMs, DAY_MS));
    for (const fee of young) {
      shareFee(fee, coin, 'sum');
      due.push({ coin, amount: fee.amount, market: fee.market, time: fee.last.time });
    }
    for (const fee of [...found.fees, ...young]) left.delete(fee);
  };
  const unnamed = fees.filter(({ coin }) => coin === null);
  const own = unnamed.length === 0 ? undefined : coinOf(statement, fees);
  if (own !== undefined)
    matchIn(
      own,
      fees.filter(({ coin }) => coin === null || coin === own),
    );
  for (const coin of new Set(fees.flatMap((fee) => fee.coin ?? [])))
    matchIn(
      coin,
      [...left].filter((fee) => fee.coin === coin),
    );
  for (const fee of left) shareFee(fee, fee.coin, []);
  return { movements, due };
}

/** Divides a fee among the trades that it may belong to. */
function shareFee({ trades, amount }: OrderFee, coin: string | null, bills: BookedFee['bills']): void {
  let [feeLeft, valueLeft] = [amount, Decimal.sum(trades.map(({ value }) => value))];
  for (const { value, time, fees } of trades) {
    const part = shareOf(feeLeft, value, valueLeft);
    [feeLeft, valueLeft] = [feeLeft.minus(part), valueLeft.minus(value)];
    if (part.sign !== 0) fees.push({ coin, amount: part, time, bills });
  }
}

/** The coin whose bills match the most fees that orders do not name the coin of; undefined if there is none. */
function coinOf(statement: Statement, fees: readonly OrderFee[]): string | undefined {
  const coins = new Set(statement.lines.filter(({ place }) => !statement.isTaken(place)).map(({ coin }) => coin));
  const counts = [...coins].map((coin) => {
    const own = fees.filter((fee) => fee.coin === null || fee.coin === coin);
    const { fees: matched } = bestMatch(statement, own, linesOf(statement, coin));
    return { coin, count: matched.filter((fee) => fee.coin === null).length };
  });
  const [most] = counts.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  return most?.coin;
}

/** The bills of a coin that are left: all, and those of each type. */
function linesOf(statement: Statement, coin: string): readonly (readonly Line[])[] {
  const all = statement.lines.filter((line) => line.coin === coin && !statement.isTaken(line.place));
  const types = new Set(all.map(({ type }) => type));
  return [all, ...[...types].map((type) => all.filter((line) => line.type === type))];
}

/** What matches the most fees: with the bills of one type or of all, and with rebates in bills of their own or not. */
function bestMatch(
  statement: Statement,
  fees: readonly OrderFee[],
  choices: readonly (readonly Line[])[],
): SummedMatch {
  const matches = choices.flatMap((lines) => {
    const [paid, received] = [1, -1].map((sign) =>
      matchSums(
        statement,
        fees.filter(({ amount }) => amount.sign === sign),
        lines.filter(({ change }) => change.sign === -sign),
      ),
    ) as [SummedMatch, SummedMatch];
    return [together(paid, received), matchSums(statement, fees, lines)];
  });
  return matches.reduce((best, one) => (one.fees.length > best.fees.length ? one : best), NOTHING_MATCHED);
}

function together(one: SummedMatch, other: SummedMatch): SummedMatch {
  return {
    fees: [...one.fees, ...other.fees],
    lines: [...one.lines, ...other.lines],
    next: [...one.next, ...other.next],
    longestMs: Math.max(one.longestMs, other.longestMs),
  };
}

/** Whether the exchange lists the bills of the trade; it may not list old ones. */
function isListed({ last: { bills } }: OrderFee): boolean {
  return bills.base.length + bills.quote.length > 0;
}

/** Adds up the bills, and the fees until these have the same sum. Orders whose bills are no longer listed may come before. */
function matchSums(statement: Statement, fees: readonly OrderFee[], lines: readonly Line[]): SummedMatch {
  const [first] = lines;
  if (first === undefined) return NOTHING_MATCHED;
  const sums = [Decimal.zero];
  for (const { amount } of fees) sums.push((sums.at(-1) ?? Decimal.zero).plus(amount));
  const places = new Map<string, number[]>();
  for (const [place, sum] of sums.entries()) places.set(sumKey(sum), [...(places.get(sumKey(sum)) ?? []), place]);
  const unlisted = fees.findIndex(isListed);
  const starts = sums.slice(0, unlisted < 0 ? 1 : unlisted + 1).flatMap((sum, start) => {
    return start === 0 || places.has(sumKey(sum.minus(first.change))) ? [start] : [];
  });
  for (const start of starts) {
    let [reached, count, longestMs] = [start, 0, 0];
    let sum = sums[start] ?? Decimal.zero;
    for (const [index, line] of lines.entries()) {
      sum = sum.minus(line.change);
      const from = reached;
      const place = places.get(sumKey(sum))?.find((one) => one > from);
      if (place === undefined) continue;
      const some = fees.slice(reached, place);
      if (!some.every(({ placed }) => statement.isSince(placed)(line))) continue;
      const longest = Math.max(...some.map(({ last }) => line.time - last.time));
      [reached, count, longestMs] = [place, index + 1, Math.max(longestMs, longest)];
    }
    if (count === 0) continue;
    const next = count === lines.length ? fees.slice(reached) : [];
    return { fees: fees.slice(start, reached), lines: lines.slice(0, count), next, longestMs };
  }
  return NOTHING_MATCHED;
}

function sumKey(sum: Decimal): string {
  return sum.trimmed().toString();
}
