import { Decimal } from '../../domain/decimal.js';
import type { Bill, Deposit, Withdrawal } from '../../domain/funds.js';
import type { Side } from '../../domain/order.js';
import { groupBy } from '../pnl/group-by.js';
import type { Fill, MatchedHistory } from '../pnl/match-bills.js';
import type { Movement } from '../pnl/movement.js';
import { type BalanceChange, negated } from './balance-change.js';
import { BillPool } from './bill-pool.js';

/** Where the other side of a change is booked if it is no trade. */
export type Counterpart = 'opening' | 'deposits' | 'withdrawals' | 'other' | 'unexplained';

export type EntryKind = Side | 'opening' | 'fee' | 'deposit' | 'withdrawal' | 'other' | 'unexplained';

/** One coin of a trade. Without a bill, the account did not change by it. */
interface Leg extends BalanceChange {
  readonly hasBill: boolean;
}

/** What happened to an account at one moment, as far as its bills show it. */
export interface LedgerEntry {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly kind: EntryKind;
  readonly trade: { readonly market: string; readonly base: Leg; readonly quote: Leg } | null;
  /** Changes of the account that are neither a trade nor a fee. */
  readonly changes: readonly BalanceChange[];
  readonly counterpart: Counterpart;
  /** What was paid, below zero for a rebate: for trades, or for deposits and withdrawals. */
  readonly fees: readonly BalanceChange[];
  readonly feesOf: 'trades' | 'transfers';
  /** What the exchange calls the bill, of something that pit has no record of. */
  readonly type: string | null;
  /** The ids of its bills; of a moment of which only sums are known, of all that belong to it. */
  readonly bills: readonly string[];
  /** The id of the order that traded; null if several fit, and for anything else. */
  readonly order: string | null;
  readonly deposit: Deposit | null;
  readonly withdrawal: Withdrawal | null;
  /** Whether the bills of its moment can be divided in another way, too. */
  readonly isUncertain: boolean;
  /** Null unless it was asked for. */
  readonly worth: EntryWorth | null;
}

/** What the parts of an entry were worth in one coin when it happened, with the signs of their amounts. Null for what has no price. */
export interface EntryWorth {
  readonly unit: string;
  /** Without a sign. */
  readonly trade: Decimal | null;
  /** Of each change. */
  readonly changes: readonly (Decimal | null)[];
  /** Of each fee. */
  readonly fees: readonly (Decimal | null)[];
}

/** What the exchange lists of an account beside its bills. */
export interface TransferRecords {
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
}

/** An entry with nothing but what is given. */
export function entryOf(given: Partial<LedgerEntry> & Pick<LedgerEntry, 'time' | 'kind' | 'bills'>): LedgerEntry {
  return {
    ...{ trade: null, changes: [], counterpart: 'unexplained', fees: [], feesOf: 'trades', type: null },
    ...{ order: null, deposit: null, withdrawal: null, isUncertain: false, worth: null },
    ...given,
  };
}

/**
 * The entries of all bills, oldest first. Each bill is in an entry, so the changes of a coin add up to the sum of its bills.
 * A trade, fee, deposit or withdrawal without a bill is in none: it has changed no balance that the exchange shows.
 */
export function ledgerEntries(matched: MatchedHistory, records: TransferRecords): readonly LedgerEntry[] {
  const unmatched = new Set(matched.unmatched);
  const pool = new BillPool(matched.bills.filter((bill) => !unmatched.has(bill)));
  const trades = tradeEntries(matched, pool);
  const doubts = new Set(matched.uncertainTransfers.map(({ time, coin }) => `${time} ${coin}`));
  const transfers = transferEntries(matched.movements, records, pool).map((entry) => {
    const isUncertain = [...entry.changes, ...entry.fees].some(({ coin }) => doubts.has(`${entry.time} ${coin}`));
    return { ...entry, isUncertain };
  });
  const isOther = ({ type }: Bill) => type !== null && !matched.matchedTypes.has(type);
  const others = [
    ...matched.unmatched.map((bill) => otherEntry(bill, isOther(bill) ? 'other' : 'unexplained')),
    ...pool.rest().map((bill) => otherEntry(bill, 'unexplained')),
  ];
  const places = new Map(matched.bills.map(({ id }, place) => [id, place]));
  const placeOf = ({ bills: [first = ''] }: LedgerEntry) => places.get(first) ?? 0;
  return [...trades, ...transfers, ...others].sort(
    (one, other) => one.time - other.time || placeOf(one) - placeOf(other),
  );
}

function tradeEntries({ fills, uncertain }: MatchedHistory, pool: BillPool): LedgerEntry[] {
  const doubts = new Set(uncertain.flatMap(({ time, markets }) => markets.map((market) => `${time} ${market}`)));
  const isUncertain = ({ time, market }: Fill) => doubts.has(`${time} ${market}`);
  const entries: LedgerEntry[] = [];
  const pending: Fill[] = [];
  for (const fill of fills) {
    const booked = tradeBills(fill, pool);
    if (booked === undefined) pending.push(fill);
    else entries.push({ ...tradeEntry(fill, booked.fees, booked.bills), isUncertain: isUncertain(fill) });
  }
  const left: Fill[] = [];
  for (const [time, together] of groupBy(pending, (fill) => String(fill.time))) {
    const bills = pool.takeSums(Number(time), together.flatMap(changesOf));
    if (bills === undefined) left.push(...together);
    else
      for (const one of together) {
        const coins = new Set(changesOf(one).map(({ coin }) => coin));
        const own = bills.filter(({ coin }) => coins.has(coin));
        entries.push({ ...tradeEntry(one, paidFees(one), own), isUncertain: isUncertain(one) });
      }
  }
  for (const fill of left) entries.push(...partEntries(fill, pool));
  return entries;
}

interface BookedTrade {
  readonly fees: readonly BalanceChange[];
  readonly bills: readonly Bill[];
}

/** Takes the bills of a trade and of its fees at its moment; undefined if one of its coins has none. */
function tradeBills(fill: Fill, pool: BillPool): BookedTrade | undefined {
  const { time, side, base, quote } = fill;
  const received = side === 'buy' ? base : quote;
  const [legs, fees] = [legsOf(fill), paidFees(fill)];
  const [inside, outside] = [
    fees.filter(({ coin }) => coin === received),
    fees.filter(({ coin }) => coin !== received),
  ];
  const withOwn = pool.find(time, [...legs, ...fees.map(negated)]);
  if (withOwn !== undefined) return { fees, bills: pool.take(withOwn) };
  const paid = Decimal.sum(inside.map(({ amount }) => amount));
  const net = legs.map((leg) => (leg.coin === received ? { ...leg, amount: leg.amount.minus(paid) } : leg));
  for (const [changes, certain] of [
    [net, inside],
    [legs, []],
  ] as const) {
    const found = pool.find(time, changes);
    if (found === undefined) continue;
    const bills = [...pool.take(found)];
    const booked = [...certain];
    for (const fee of certain === inside ? outside : fees) {
      const own = pool.find(time, [negated(fee)]);
      if (own === undefined) continue;
      booked.push(fee);
      bills.push(...pool.take(own));
    }
    return { fees: booked, bills };
  }
  return undefined;
}

/** A trade whose two coins are not booked at one moment: each that has a bill, at the moment of that. */
function partEntries(fill: Fill, pool: BillPool): LedgerEntry[] {
  const [base, quote] = legsOf(fill) as [BalanceChange, BalanceChange];
  const [ofBase, ofQuote] = [base, quote].map((leg) => pool.takeNearest(leg, fill.time));
  const whole = tradeEntry(fill, [], []);
  const entries: LedgerEntry[] = [];
  if (ofBase !== undefined)
    entries.push({
      ...{ ...whole, time: ofBase.time, bills: [ofBase.id] },
      trade: { market: fill.market, base: { ...base, hasBill: true }, quote: { ...quote, hasBill: false } },
    });
  if (ofQuote !== undefined)
    entries.push({ ...whole, time: ofQuote.time, bills: [ofQuote.id], trade: null, changes: [quote] });
  return entries;
}

function tradeEntry(fill: Fill, fees: readonly BalanceChange[], bills: readonly Bill[]): LedgerEntry {
  const [base, quote] = legsOf(fill) as [BalanceChange, BalanceChange];
  const trade = { market: fill.market, base: { ...base, hasBill: true }, quote: { ...quote, hasBill: true } };
  const { time, side: kind, order } = fill;
  return entryOf({ time, kind, trade, fees, order, bills: idsOf(bills) });
}

/** Several bills may have one id. */
function idsOf(bills: readonly Bill[]): readonly string[] {
  return [...new Set(bills.map(({ id }) => id))];
}

/** The changes by the trade itself: of the base coin and of the quote coin. */
function legsOf({ side, base, quote, amount, value }: Fill): readonly BalanceChange[] {
  const isBuy = side === 'buy';
  return [
    { coin: base, amount: isBuy ? amount : amount.negated() },
    { coin: quote, amount: isBuy ? value.negated() : value },
  ];
}

function paidFees({ fees }: Fill): readonly BalanceChange[] {
  return fees.flatMap(({ coin, amount }) => (coin === null || amount.sign === 0 ? [] : [{ coin, amount }]));
}

function changesOf(fill: Fill): readonly BalanceChange[] {
  return [...legsOf(fill), ...paidFees(fill).map(negated)];
}

/** Deposits, withdrawals, and the fees whose bills stand apart from those of their trades. */
function transferEntries(movements: readonly Movement[], records: TransferRecords, pool: BillPool): LedgerEntry[] {
  const deposits = new Set(records.deposits.filter(({ state }) => state === 'success'));
  return movements.flatMap((movement): LedgerEntry[] => {
    const { kind, time, amount, coin, hasBill } = movement;
    if (!hasBill || time === null || kind === 'fills') return [];
    if (kind === 'withdrawals') return withdrawalEntry(movement, time, records.withdrawals, pool);
    const found = pool.find(time, [{ coin, amount }]);
    if (found === undefined) return [];
    const bills = idsOf(pool.take(found));
    if (kind === 'fees' || amount.sign < 0) {
      const feesOf = kind === 'fees' ? 'trades' : 'transfers';
      return [entryOf({ time, kind: 'fee', fees: [{ coin, amount: amount.negated() }], feesOf, bills })];
    }
    const deposit = nearest([...deposits], time, (one) => one.coin === coin && Decimal.of(one.amount).equals(amount));
    if (deposit !== undefined) deposits.delete(deposit);
    const changes = [{ coin, amount }];
    return [entryOf({ time, kind: 'deposit', counterpart: 'deposits', changes, bills, deposit: deposit ?? null })];
  });
}

function withdrawalEntry(
  { coin, amount, record: id, fee = Decimal.zero }: Movement,
  time: number,
  records: readonly Withdrawal[],
  pool: BillPool,
): LedgerEntry[] {
  const record = nearest(records, time, (one) => one.coin === coin && one.id === id);
  const change = (part: Decimal): BalanceChange => ({ coin, amount: part });
  const cost = Decimal.of(record?.fee ?? '0');
  const rest = amount.minus(amount.sign < 0 ? cost.negated() : cost);
  // two bills; one; or that of its rest, if that of its fee is missing
  const ways = [[change(amount.minus(fee)), change(fee)], [change(amount)], [change(rest)]];
  const found = ways.map((changes) => pool.find(time, changes)).find((bills) => bills !== undefined);
  if (found === undefined) return [];
  const bills = pool.take(found);
  const entry = { time, bills: idsOf(bills), feesOf: 'transfers' } as const;
  const fees = fee.sign === 0 ? [] : [change(fee.negated())];
  if (fee.equals(amount)) return [entryOf({ ...entry, kind: 'fee', fees })];
  const booked = Decimal.sum(bills.map((bill) => Decimal.of(bill.change)));
  const changes = [change(booked.minus(fee))];
  const withdrawal = record ?? null;
  return [entryOf({ ...entry, changes, fees, kind: 'withdrawal', counterpart: 'withdrawals', withdrawal })];
}

function nearest<Row extends { readonly time: number | null }>(
  records: readonly Row[],
  time: number,
  suits: (record: Row) => boolean,
): Row | undefined {
  const far = (record: Row) => Math.abs((record.time ?? Number.POSITIVE_INFINITY) - time);
  return records.filter(suits).sort((one, other) => far(one) - far(other) || 0)[0];
}

function otherEntry({ id, coin, change, time, type }: Bill, kind: 'other' | 'unexplained'): LedgerEntry {
  const changes = [{ coin, amount: Decimal.of(change) }];
  return entryOf({ time, kind, counterpart: kind, changes, type, bills: [id] });
}
