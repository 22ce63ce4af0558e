import { Decimal } from '../../domain/decimal.js';
import { type Bill, balanceAfter } from '../../domain/funds.js';
import { groupBy } from './group-by.js';
import type { MatchedHistory } from './matching/match-bills.js';
import type { Movement } from './matching/movement.js';
import { isLeftOver } from './reconciliation.js';

/** Coins that came in or left without a trade. */
export interface CoinFlow {
  readonly coin: string;
  /** Below zero if they left. */
  readonly amount: Decimal;
  /** In milliseconds since the Unix epoch; minus infinity for a balance. */
  readonly time: number;
  /** Of its bill in the statement; 0 without one. */
  readonly place: number;
  /** `fee`: what a deposit or withdrawal has cost; `balance`: what was there before the oldest bill of the coin. */
  readonly as: 'deposit' | 'withdrawal' | 'fee' | 'other' | 'balance';
  /** When it came in at the latest. */
  readonly by: number;
  /** The ids of its bills. */
  readonly bills: readonly string[];
  /** As that of its deposit or withdrawal. */
  readonly hash: string | null;
}

/** All that came in and left without a trade, in order. Deposits whose moment is unknown are left out. */
export function coinFlows(history: MatchedHistory, readAt: number): CoinFlow[] {
  const { movements, bills } = history;
  const isUnmatched = new Set(history.unmatched);
  const others = [...bills.entries()].filter(([, bill]) => isUnmatched.has(bill) && isLeftOver(history, bill, readAt));
  const flows = [
    ...openingBalances(bills, movements),
    ...movements.filter(({ kind }) => kind === 'deposits').flatMap(depositFlow),
    ...withdrawalFlows(movements.filter(({ kind }) => kind === 'withdrawals')),
    ...others.map(([place, { id, coin, change, time }]) =>
      flowOf('other', { coin, amount: Decimal.of(change), time, place }, [id]),
    ),
  ];
  return flows.sort((one, other) => compareTimes(one.time, other.time) || one.place - other.place);
}

/** Also of two that are minus infinity. */
function compareTimes(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

function flowOf(
  as: CoinFlow['as'],
  { coin, amount, time, place }: Pick<CoinFlow, 'coin' | 'amount' | 'time' | 'place'>,
  bills: readonly string[] = [],
  hash: string | null = null,
): CoinFlow {
  return { coin, amount, time, place, as, by: time, bills, hash };
}

function depositFlow({ coin, amount, time, place, bills, hash }: Movement): CoinFlow[] {
  if (time === null) return [];
  return [flowOf(amount.sign > 0 ? 'deposit' : 'fee', { coin, amount, time, place }, idsOf(bills), hash)];
}

function idsOf(bills: Movement['bills']): string[] {
  return bills.map(({ id }) => id);
}

/** A withdrawal that came back has not left; what the exchange kept of it is a fee, which leaves when the rest comes back. */
function withdrawalFlows(movements: readonly Movement[]): CoinFlow[] {
  const byRecord = groupBy(movements, ({ coin, record }) => `${record} ${coin}`);
  return [...byRecord.values()].flatMap((parts) => {
    const [{ coin, record }] = parts as [Movement];
    const last = parts.at(-1);
    const isBack = record !== null && parts.some(({ amount }) => amount.sign > 0);
    const amount = Decimal.sum(parts.map((part) => part.amount));
    const bills = parts.flatMap((part) => part.bills);
    const moved =
      isBack && last !== undefined ? [{ ...last, amount, fee: amount.sign < 0 ? amount : undefined, bills }] : parts;
    return moved.flatMap(({ amount: change, fee = Decimal.zero, time, place, bills: own, hash }): CoinFlow[] => {
      if (time === null) return [];
      const rest = change.minus(fee);
      const flows = [
        flowOf(rest.sign < 0 ? 'withdrawal' : 'other', { coin, amount: rest, time, place }, idsOf(own), hash),
        flowOf('fee', { coin, amount: fee, time, place }, idsOf(own), hash),
      ];
      return flows.filter((flow) => flow.amount.sign !== 0);
    });
  });
}

/** What each coin had before its oldest bill, apart from what older records without bills explain. */
function openingBalances(bills: readonly Bill[], movements: readonly Movement[]): CoinFlow[] {
  const coins = groupBy(bills, ({ coin }) => coin);
  const start = bills[0]?.time ?? 0;
  return [...coins].flatMap(([coin, own]) => {
    const before = balanceBefore(own);
    const by = own[0]?.time ?? 0;
    if (before === undefined) return [];
    const known = movements.filter((one) => one.coin === coin && one.time !== null && one.time < by);
    const amount = before.minus(Decimal.sum(known.map((one) => one.amount)));
    if (amount.sign === 0) return [];
    if (amount.sign < 0) return [flowOf('other', { coin, amount, time: by, place: -1 })];
    return [{ ...flowOf('balance', { coin, amount, time: Number.NEGATIVE_INFINITY, place: 0 }), by: start }];
  });
}

/**
 * The balance of a coin before its oldest bill. Those of its moment may be in any order, so it is the one balance from which, and
 * to which none of them leads. Undefined if that is none or several.
 */
function balanceBefore(bills: readonly Bill[]): Decimal | undefined {
  const moment = bills.filter(({ time }) => time === bills[0]?.time);
  const after: string[] = [];
  const before: string[] = [];
  for (const bill of moment) {
    const text = balanceAfter(bill);
    if (text === null) return undefined;
    after.push(Decimal.of(text).trimmed().toString());
    before.push(Decimal.of(text).minus(Decimal.of(bill.change)).trimmed().toString());
  }
  for (const balance of after) if (before.includes(balance)) before.splice(before.indexOf(balance), 1);
  const [only, another] = before;
  return only === undefined || another !== undefined ? undefined : Decimal.of(only);
}
