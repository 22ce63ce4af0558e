import { Decimal } from '../../domain/decimal.js';
import type { Bill, Deposit, Withdrawal } from '../../domain/funds.js';
import type { Side } from '../../domain/order.js';
import type { Fill, MatchedHistory } from '../pnl/matching/match-bills.js';
import type { BookedFee } from '../pnl/matching/orders-to-match.js';
import type { Line } from '../pnl/matching/statement.js';
import type { BalanceChange } from './balance-change.js';

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
  const known = [...tradeEntries(matched), ...transferEntries(matched, records)];
  const named = new Set(known.flatMap(({ bills }) => bills.map(({ place }) => place)));
  const rest = matched.bills.flatMap((bill, place) =>
    named.has(place) ? [] : [{ place, entry: otherEntry(bill, matched) }],
  );
  const placed = known.map(({ bills, ...entry }) => {
    const ids = bills.flatMap(({ place }) => matched.bills[place]?.id ?? []);
    // several bills may have one id
    return { place: bills[0]?.place ?? 0, entry: entryOf({ ...entry, bills: [...new Set(ids)] }) };
  });
  return [...placed, ...rest]
    .sort((one, other) => one.entry.time - other.entry.time || one.place - other.place)
    .map(({ entry }) => entry);
}

/** An entry with its bills. */
type BilledEntry = Partial<Omit<LedgerEntry, 'bills'>> &
  Pick<LedgerEntry, 'time' | 'kind'> & { readonly bills: readonly Line[] };

function tradeEntries({ fills, uncertain }: MatchedHistory): BilledEntry[] {
  const doubts = new Set(uncertain.flatMap(({ time, markets }) => markets.map((market) => `${time} ${market}`)));
  return fills.flatMap((fill) => entriesOf(fill, doubts.has(`${fill.time} ${fill.market}`)));
}

/**
 * A trade whose two coins are booked at one moment, with its fees of that moment; otherwise each coin that has a bill, at the moment of
 * that. A fee of another moment stands apart.
 */
function entriesOf(fill: Fill, isUncertain: boolean): BilledEntry[] {
  const { market, side: kind, order, bills } = fill;
  const [base, quote] = legsOf(fill);
  const hasBills = { base: bills.base.length > 0, quote: bills.quote.length > 0 };
  const trade = { market, base: { ...base, hasBill: true }, quote: { ...quote, hasBill: true } };
  const moments = new Set([...bills.base, ...bills.quote].map(({ time }) => time));
  const isWhole =
    moments.size === 1 && (hasBills.base || base.amount.sign === 0) && (hasBills.quote || quote.amount.sign === 0);
  const parts = isWhole
    ? [{ bills: [...bills.base, ...bills.quote], trade }]
    : [
        { bills: bills.base, trade: { ...trade, quote: { ...quote, hasBill: false } } },
        { bills: bills.quote, changes: [quote] },
      ];
  const entries = parts.flatMap((part): BilledEntry[] => {
    const [first] = part.bills;
    return first === undefined ? [] : [{ ...part, time: first.time, kind, order, isUncertain }];
  });
  return fill.fees.reduce(withFee, entries);
}

/** The entries of a trade with one of its fees: in that of its moment or, of a trade in parts, in that of the bill that it is inside of. */
function withFee(entries: readonly BilledEntry[], { coin, amount, bills }: BookedFee): BilledEntry[] {
  if (coin === null || amount.sign === 0 || bills === 'sum') return [...entries];
  const [first] = bills;
  if (first === undefined) return [...entries];
  const fee = { coin, amount };
  const trade = entries.find((entry) => entry.kind !== 'fee' && (entries.length === 1 || entry.bills.includes(first)));
  if (trade?.time !== first.time) return [...entries, { time: first.time, kind: 'fee', fees: [fee], bills }];
  const own = bills.filter((bill) => !trade.bills.includes(bill));
  const paid = { ...trade, fees: [...(trade.fees ?? []), fee], bills: [...trade.bills, ...own] };
  return entries.map((entry) => (entry === trade ? paid : entry));
}

/** The changes by the trade itself: of the base coin and of the quote coin. */
function legsOf({ side, base, quote, amount, value }: Fill): readonly [BalanceChange, BalanceChange] {
  const isBuy = side === 'buy';
  return [
    { coin: base, amount: isBuy ? amount : amount.negated() },
    { coin: quote, amount: isBuy ? value.negated() : value },
  ];
}

/** Deposits, withdrawals, and the bills that sum the fees of several trades. */
function transferEntries(
  { movements, uncertainTransfers }: MatchedHistory,
  { deposits, withdrawals }: TransferRecords,
): BilledEntry[] {
  const doubts = new Set(uncertainTransfers.map(({ time, coin }) => `${time} ${coin}`));
  return movements.flatMap(({ kind, coin, amount, market, record: id, bills, fee = Decimal.zero }): BilledEntry[] => {
    const [first] = bills;
    // those of a market are of its trades
    if (market !== null || first === undefined) return [];
    const { time } = first;
    const isUncertain = doubts.has(`${time} ${coin}`);
    const isFee = kind === 'fees' || fee.equals(amount);
    const feesOf = kind === 'fees' ? 'trades' : 'transfers';
    const fees = isFee ? [{ coin, amount: amount.negated() }] : fee.sign === 0 ? [] : [{ coin, amount: fee.negated() }];
    if (isFee) return [{ time, kind: 'fee', fees, feesOf, bills, isUncertain }];
    const booked = Decimal.sum(bills.map(({ change }) => change));
    const isRecorded = (one: Deposit | Withdrawal) => one.coin === coin && one.id === id;
    const entry = {
      time,
      changes: [{ coin, amount: booked.minus(fee) }],
      fees,
      feesOf,
      bills,
      isUncertain,
    } as const;
    return kind === 'deposits'
      ? [{ ...entry, kind: 'deposit', counterpart: 'deposits', deposit: deposits.find(isRecorded) ?? null }]
      : [
          {
            ...entry,
            kind: 'withdrawal',
            counterpart: 'withdrawals',
            withdrawal: withdrawals.find(isRecorded) ?? null,
          },
        ];
  });
}

/** A bill that no order, deposit or withdrawal accounts for. */
function otherEntry({ id, coin, change, time, type }: Bill, { matchedTypes }: MatchedHistory): LedgerEntry {
  const kind = type !== null && !matchedTypes.has(type) ? 'other' : 'unexplained';
  const changes = [{ coin, amount: Decimal.of(change) }];
  return entryOf({ time, kind, counterpart: kind, changes, type, bills: [id] });
}
