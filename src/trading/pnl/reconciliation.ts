import { Decimal } from '../../domain/decimal.js';
import { type Bill, balanceAfter } from '../../domain/funds.js';
import { groupBy } from './group-by.js';
import type { MatchedHistory } from './matching/match-bills.js';
import { MOVEMENT_KINDS, type Movement, type MovementKind } from './matching/movement.js';

/** In milliseconds since the Unix epoch: `from <= time < to`. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** An amount of a coin by which the bills differ from the records: above zero if the bills have more. */
export interface UnexplainedAmount {
  readonly coin: string;
  readonly amount: Decimal;
}

/** The bills of a coin that no record accounts for, under the exchange's name for them. */
interface OtherBills {
  readonly type: string;
  readonly amount: Decimal;
}

/** How the bills of a coin in a window come about: they are the sum of everything else. Below zero if coins went away. */
export interface CoinBalance extends Readonly<Record<MovementKind, Decimal>> {
  readonly coin: string;
  readonly bills: Decimal;
  readonly other: readonly OtherBills[];
  readonly unexplained: Decimal;
}

interface Reconciliation {
  /** By coin. */
  readonly coins: readonly CoinBalance[];
  /** Deposits that may have been in the window or not, and are left out. */
  readonly undated: readonly Movement[];
  /** What the bills of the orders of a market lack. */
  readonly lacking: (market: string) => readonly UnexplainedAmount[];
}

/**
 * Compares the bills of each coin in a window with the records. Bills without a record are named by their type, unless the records
 * of orders, deposits and withdrawals have bills of this type: then a record is missing, and they are unexplained.
 * @param readAt later bills of orders without a record are left to the next comparison: their order was read before
 */
export function reconcile(history: MatchedHistory, window: Window, readAt: number): Reconciliation {
  const isInWindow = ({ time }: { readonly time: number }) => time >= window.from && time < window.to;
  const start = startOfBills(history.bills);
  const isWhole = Math.max(window.from, start) === Number.NEGATIVE_INFINITY && window.to === Number.POSITIVE_INFINITY;
  const isCounted = ({ time, bills }: Movement) =>
    time === null ? isWhole : isInWindow({ time }) && (bills.length > 0 || time >= start);
  const movements = history.movements.filter(isCounted);
  const unmatched = new Set(history.unmatched);
  const bills = history.bills.filter(
    (bill) => isInWindow(bill) && (!unmatched.has(bill) || isLeftOver(history, bill, readAt)),
  );
  const other = bills.filter((bill) => unmatched.has(bill) && isOther(history, bill));
  const billsByCoin = byCoin(bills);
  const movementsByCoin = byCoin(movements);
  const otherByCoin = byCoin(other);
  const coins = [...new Set([...billsByCoin.keys(), ...movementsByCoin.keys()])].sort();
  const balances = coins.map((coin) =>
    balanceOf(coin, billsByCoin.get(coin) ?? [], movementsByCoin.get(coin) ?? [], otherByCoin.get(coin) ?? []),
  );
  const wrong = new Set(balances.filter(({ unexplained }) => unexplained.sign !== 0).map(({ coin }) => coin));
  const missing = movements.filter(({ bills, coin }) => bills.length === 0 && wrong.has(coin));
  return {
    coins: balances,
    undated: isWhole ? [] : history.movements.filter(({ time }) => time === null),
    lacking: (market) =>
      [...byCoin(missing.filter((movement) => movement.market === market))].map(([coin, lacking]) => ({
        coin,
        amount: Decimal.sum(lacking.map(({ amount }) => amount)).negated(),
      })),
  };
}

/** Whether a bill is named by its type: no record has bills of this type. */
function isOther({ matchedTypes }: MatchedHistory, { type }: Bill): boolean {
  return type !== null && !matchedTypes.has(type);
}

/** Whether a bill without a record counts: the order of a later one may not have been read yet. */
export function isLeftOver(history: MatchedHistory, bill: Bill, readAt: number): boolean {
  return bill.time <= readAt || isOther(history, bill);
}

/**
 * From when on the bills are complete, as far as they show. If the oldest one begins with an empty balance, there is none before
 * it; otherwise the exchange does not list what is older.
 */
function startOfBills([oldest]: readonly Bill[]): number {
  const after = oldest === undefined ? null : balanceAfter(oldest);
  if (oldest === undefined || after === null) return Number.NEGATIVE_INFINITY;
  const before = Decimal.of(after).minus(Decimal.of(oldest.change));
  return before.sign === 0 ? Number.NEGATIVE_INFINITY : oldest.time;
}

function balanceOf(
  coin: string,
  bills: readonly Bill[],
  movements: readonly Movement[],
  others: readonly Bill[],
): CoinBalance {
  const total = Decimal.sum(bills.map(({ change }) => Decimal.of(change)));
  const sums = Object.fromEntries(
    MOVEMENT_KINDS.map((kind) => [
      kind,
      Decimal.sum(movements.filter((movement) => movement.kind === kind).map(({ amount }) => amount)),
    ]),
  ) as Record<MovementKind, Decimal>;
  const other = new Map<string, Decimal>();
  for (const { type, change } of others)
    other.set(type ?? '', (other.get(type ?? '') ?? Decimal.zero).plus(Decimal.of(change)));
  const explained = Decimal.sum([...Object.values(sums), ...other.values()]);
  return {
    coin,
    bills: total,
    ...sums,
    other: [...other].map(([type, amount]) => ({ type, amount })),
    unexplained: total.minus(explained),
  };
}

function byCoin<Entry extends { readonly coin: string }>(entries: readonly Entry[]): Map<string, Entry[]> {
  return groupBy(entries, ({ coin }) => coin);
}
