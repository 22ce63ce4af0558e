import type { Coin } from '../../domain/account.js';
import { Decimal } from '../../domain/decimal.js';
import { type Bill, balanceAfter } from '../../domain/funds.js';
import type { Window } from '../pnl/reconciliation.js';
import type { BalanceChange } from './balance-change.js';
import { entryOf, type LedgerEntry } from './entries.js';

/** The balances before the oldest bill. */
export interface OpeningBalances {
  readonly balances: readonly BalanceChange[];
  /** The coins with bills of which none says what was there before. */
  readonly unknown: readonly string[];
  /** By how much the account has more of a coin than opening balance and bills add up to. */
  readonly missing: readonly BalanceChange[];
}

/**
 * What an account had before its oldest bill: as the first bill of each coin says or, of a coin without bills, what it still has.
 *
 * @param before the account before the bills were read, @param after and after that: a coin that changed meanwhile is not compared
 */
export function openingBalances(
  bills: readonly Bill[],
  before: readonly Coin[],
  after: readonly Coin[],
): OpeningBalances {
  const sums = new Map<string, Decimal>();
  const first = new Map<string, Decimal | null>();
  for (const bill of bills) {
    const { coin } = bill;
    const change = Decimal.of(bill.change);
    sums.set(coin, (sums.get(coin) ?? Decimal.zero).plus(change));
    if (first.has(coin)) continue;
    const left = balanceAfter(bill);
    first.set(coin, left === null ? null : Decimal.of(left).minus(change));
  }
  const [held, stillHeld] = [totals(before), totals(after)];
  const opening = new Map([...first].map(([coin, amount]) => [coin, amount ?? Decimal.zero]));
  for (const [coin, amount] of stillHeld) if (!first.has(coin)) opening.set(coin, amount);
  const missing = [...stillHeld].flatMap(([coin, amount]) => {
    const explained = (opening.get(coin) ?? Decimal.zero).plus(sums.get(coin) ?? Decimal.zero);
    const isSettled = held.get(coin)?.equals(amount) === true;
    return isSettled && !explained.equals(amount) ? [{ coin, amount: amount.minus(explained) }] : [];
  });
  return {
    balances: changesOf(opening),
    unknown: [...first].flatMap(([coin, amount]) => (amount === null ? [coin] : [])),
    missing,
  };
}

function totals(coins: readonly Coin[]): ReadonlyMap<string, Decimal> {
  return new Map(coins.map(({ coin, available, frozen }) => [coin, Decimal.of(available).plus(Decimal.of(frozen))]));
}

/**
 * The entries of a window, after one with the balances at its beginning, if there are any: the ledger of a window stands alone.
 */
export function ledgerOf(
  entries: readonly LedgerEntry[],
  opening: readonly BalanceChange[],
  { from, to }: Window,
): readonly LedgerEntry[] {
  const balances = new Map(opening.map(({ coin, amount }) => [coin, amount]));
  const shown = entries.filter((entry) => {
    const isEarlier = entry.time < from;
    if (isEarlier)
      for (const { coin, amount } of assetChanges(entry))
        balances.set(coin, (balances.get(coin) ?? Decimal.zero).plus(amount));
    return !isEarlier && entry.time < to;
  });
  const changes = changesOf(balances);
  const time = Number.isFinite(from) ? from : entries[0]?.time;
  if (changes.length === 0 || time === undefined) return shown;
  return [entryOf({ time, kind: 'opening', counterpart: 'opening', changes, bills: [] }), ...shown];
}

/**
 * By how much an entry changes the balances of the account.
 *
 * @internal for its test
 */
export function assetChanges({ trade, changes, fees }: LedgerEntry): readonly BalanceChange[] {
  const legs = trade === null ? [] : [trade.base, trade.quote].filter(({ hasBill }) => hasBill);
  return [...legs, ...changes, ...fees.map(({ coin, amount }) => ({ coin, amount: amount.negated() }))];
}

/** By coin, without those that are zero. */
function changesOf(sums: ReadonlyMap<string, Decimal>): readonly BalanceChange[] {
  return [...sums]
    .map(([coin, amount]) => ({ coin, amount }))
    .filter(({ amount }) => amount.sign !== 0)
    .sort((one, other) => (one.coin < other.coin ? -1 : 1));
}
