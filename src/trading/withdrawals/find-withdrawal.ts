import { Decimal } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import { tryRead } from '../../errors.js';
import { isSameRefusal } from '../../exchange/observed-codes.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import { isKind, type RecordedWrite, type Settled } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { type BillList, billsAfter, billsBetween, isNewer, recordsAfter } from './records.js';
import { type Fit, fitOf, fitOfAmount } from './terms.js';

/** How far a record's date may be from its request: clocks differ, and a review may date it. */
export const DATE_SLACK_MS = 60_000;

/**
 * How long before a withdrawal was recorded the archive is searched for others. Only those settled later can have its records,
 * but the clock of another machine may be wrong.
 */
export const ARCHIVE_SLACK_MS = 86_400_000;

/** Bills of one event have the same date; those of two events sometimes. */
const MOMENT_MS = 2_000;
/** A record and its bill are made together, by one clock. */
const SLACK_MS = 60_000;
/** How far back other uses of a type are checked: as far as the exchange's own recent bills go, "data within 48 h". */
const RECENT_MS = 48 * 3_600_000;

/** A withdrawal on the exchange: the ids of its record and of its duplicates, or the id of a bill if no record shows it. */
export type FoundWithdrawal =
  | { readonly ids: readonly [string, ...string[]]; readonly bill: null }
  | { readonly ids: readonly []; readonly bill: string };

/** A record that may be the withdrawal or something else. Only the user can decide, on the exchange. */
interface NeedsUser {
  /** What was found, and why it settles nothing, in words. */
  readonly needsUser: string;
  /** Ids of records among it, the oldest first. */
  readonly records: readonly string[];
}

/** Whether a search found the withdrawal itself. */
export function isFound(found: FoundWithdrawal | NeedsUser | 'none' | undefined): found is FoundWithdrawal {
  return typeof found === 'object' && 'bill' in found;
}

/**
 * One read of the exchange's records: `none` if there is no such withdrawal, `needsUser` if a record may belong to something
 * else, undefined if it could not be asked. The last two prove nothing.
 * @param refusal the code with which the withdrawal was refused: a lookup that is refused with it counts as `none`
 */
export async function findSentWithdrawal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  refusal?: number | null,
): Promise<FoundWithdrawal | NeedsUser | 'none' | undefined> {
  const found = await tryRead(() => search(trading, entry.write, refusal));
  entry.note(`read the withdrawals: ${wordsOf(found)}`);
  return found;
}

function wordsOf(found: FoundWithdrawal | NeedsUser | 'none' | undefined): string {
  if (found === undefined) return 'no answer';
  if (found === 'none') return 'not found';
  if (!isFound(found)) return found.needsUser;
  return found.bill === null ? `found ${found.ids.join(' and ')}` : `found in the bills as ${found.bill}`;
}

async function search(
  trading: TradingContext,
  write: RecordedWrite<'withdraw'>,
  refusal?: number | null,
): Promise<FoundWithdrawal | NeedsUser | 'none'> {
  try {
    const records = await recordsAfter(trading.client, write.terms.coin, write.terms.before.record);
    // after the list, so that the journal covers all that is listed
    const { open, placed, known } = accountOfOthers(trading.journal, write);
    const fitWith = (record: Withdrawal, of: RecordedWrite<'withdraw'>) => fitOfRecord(trading, record, of);
    const fitting = recordsOf(trading, write, records, known);
    const own = unambiguous(fitting, write, open, fitWith);
    if (own === 'ambiguous') return ambiguousRecords(fitting);
    const [first, ...duplicates] = own;
    if (first !== undefined) return { ids: [first.id, ...duplicates.map(({ id }) => id)], bill: null };
    return await inBills(trading, write, [...open, ...placed], records);
  } catch (error) {
    if (isSameRefusal(error, refusal)) return 'none';
    throw error;
  }
}

function ambiguousRecords(records: readonly Withdrawal[]): NeedsUser {
  const ids = records.map(({ id }) => id);
  return {
    needsUser: `withdrawal ${ids.join(' and ')} may belong to another request with an unknown outcome`,
    records: ids,
  };
}

/** The coin's other withdrawals in the journal. */
function accountOfOthers(journal: Journal, { id, time, terms }: RecordedWrite<'withdraw'>) {
  const { unsettled, settled } = journal.writesSince(time - ARCHIVE_SLACK_MS, {
    operation: 'withdraw',
    coin: terms.coin,
  });
  const isOther = (write: RecordedWrite): write is RecordedWrite<'withdraw'> =>
    isKind(write, 'withdraw') && write.id !== id && write.terms.coin === terms.coin;
  const done = settled.filter(({ outcome, duplicates }) => outcome === 'placed' || duplicates.length > 0);
  const others = (writes: readonly { readonly write: RecordedWrite }[]) =>
    writes.map(({ write }) => write).filter(isOther);
  return { open: others(unsettled), placed: others(done), known: idsOf(settled, id) };
}

/** The records that match a withdrawal best, oldest first, except those of other withdrawals. */
export function recordsOf(
  trading: TradingContext,
  write: RecordedWrite<'withdraw'>,
  records: readonly Withdrawal[],
  known: ReadonlySet<string>,
): Withdrawal[] {
  const fitting = records.filter((one) => !known.has(one.id) && fitOfRecord(trading, one, write) !== undefined);
  const exact = fitting.filter((one) => fitOfRecord(trading, one, write) === 'exactly');
  return (exact.length > 0 ? exact : fitting).reverse();
}

/**
 * How well a record fits a withdrawal that was sent when it was, after the records that there were before.
 * @param longest for how many milliseconds after its `reqTime` it may have been executed
 */
export function fitOfRecord(
  trading: TradingContext,
  record: Withdrawal,
  write: RecordedWrite<'withdraw'>,
  longest?: number,
): Fit {
  const isAfter = isNewer(record.id, write.terms.before.record) && isInTime(trading, write, record.time, longest);
  return isAfter ? fitOf(record, write.terms) : undefined;
}

/** Whether a request can have made something at this time: the exchange executes it only while it accepts its `reqTime`. */
function isInTime(
  { requestLifetime }: TradingContext,
  { reqTime }: RecordedWrite,
  time: number,
  longest = requestLifetime.measuredMs ?? Number.POSITIVE_INFINITY,
): boolean {
  return time >= reqTime - DATE_SLACK_MS && time <= reqTime + longest + DATE_SLACK_MS;
}

/** The record ids of all other settled withdrawals. */
export function idsOf(settled: readonly Settled[], but?: string): Set<string> {
  const others = settled.filter(({ write }) => isKind(write, 'withdraw') && write.id !== but);
  return new Set(others.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]));
}

/** @param others other withdrawals of the journal that were sent, or may have been */
async function inBills(
  trading: TradingContext,
  write: RecordedWrite<'withdraw'>,
  others: readonly RecordedWrite<'withdraw'>[],
  records: readonly Withdrawal[],
) {
  const { terms, reqTime } = write;
  if (terms.before.bill === null) return 'none';
  const bills = await billsAfter(trading.client, terms.coin, terms.before.bill, reqTime - DATE_SLACK_MS);
  const fitWith = (bill: Bill, of: RecordedWrite<'withdraw'>) => fitOfBill(trading, bill, of);
  const fitting = bills.filter((bill) => fitWith(bill, write) !== undefined).reverse();
  return findInBills(trading, fitting, { write, others, records, fitOf: fitWith });
}

/** Whether a bill fits a withdrawal. Earlier bills are noted for internal transfers only; other withdrawals have bills too. */
function fitOfBill(trading: TradingContext, { id, change, time }: Bill, write: RecordedWrite<'withdraw'>): Fit {
  const { terms } = write;
  const amount = Decimal.of(change).negated();
  const isAfter = isNewer(id, terms.before.bill ?? '0') && isInTime(trading, write, time);
  return isAfter && amount.sign > 0 ? fitOfAmount(amount.toString(), terms) : undefined;
}

/**
 * The records that match an unknown withdrawal and cannot belong to another open one. An exact match is excluded if it
 * matches another exactly as well; a match except for the fee is excluded if it matches another at all. If all of them may
 * belong to others, the result is `ambiguous` and none is taken: one withdrawal would count as found, and the other would be
 * sent again.
 *
 * @param found oldest first
 * @param fitOf how well a record matches a withdrawal
 */
function unambiguous<Found>(
  found: readonly Found[],
  own: RecordedWrite<'withdraw'>,
  others: readonly RecordedWrite<'withdraw'>[],
  fitOf: (one: Found, of: RecordedWrite<'withdraw'>) => Fit,
): readonly Found[] | 'ambiguous' {
  const isAnothers = (one: Found) => {
    const fits = others.map((other) => fitOf(one, other));
    return fits.includes('exactly') || (fitOf(one, own) !== 'exactly' && fits.includes('exceptFee'));
  };
  const left = found.filter((one) => !isAnothers(one));
  if (left.length > 0 || found.length === 0) return left;
  return takeInOrder(found, own, others, fitOf) ?? 'ambiguous';
}

/** If each has an exact match and nothing else distinguishes them, the withdrawal that was sent first gets the oldest. */
function takeInOrder<Found>(
  found: readonly Found[],
  own: RecordedWrite<'withdraw'>,
  others: readonly RecordedWrite<'withdraw'>[],
  fitOf: (one: Found, of: RecordedWrite<'withdraw'>) => Fit,
): readonly Found[] | undefined {
  const alike = [own, ...others.filter((other) => found.some((one) => fitOf(one, other) === 'exactly'))];
  const isEnough = found.length >= alike.length;
  const fitsAll = found.every((one) => alike.every((lost) => fitOf(one, lost) === 'exactly'));
  if (!isEnough || !fitsAll) return undefined;
  const place = alike.sort((one, other) => one.reqTime - other.reqTime || (one.id < other.id ? -1 : 1)).indexOf(own);
  return found.slice(place, place + 1);
}

type Bill = BillList[number];

/** What a bill is compared with. */
interface Explanations {
  /** The withdrawal to find. */
  readonly write: RecordedWrite<'withdraw'>;
  /** Other withdrawals of the coin that were sent, or may have been. */
  readonly others: readonly RecordedWrite<'withdraw'>[];
  /** The coin's withdrawals in the exchange's list, whoever made them. */
  readonly records: readonly Withdrawal[];
  readonly fitOf: (bill: Bill, of: RecordedWrite<'withdraw'>) => Fit;
}

/**
 * A transfer within the exchange need not be listed as a withdrawal, but it has a bill. No document gives the type of such a
 * bill, so its words prove nothing: it counts only if nothing else that is known can have made it. A trade of the same
 * amount, or a transfer to a margin account, has an identical bill.
 *
 * @param fitting the bills of the right amount and time, oldest first
 * @throws Failure `usage` if the journal cannot be read; `unreachable`, `limited`, `refused`, `credentials` or `internal` if
 *   the bills cannot
 */
async function findInBills(
  trading: TradingContext,
  fitting: readonly Bill[],
  explanations: Explanations,
): Promise<FoundWithdrawal | NeedsUser | 'none'> {
  const { write, others, fitOf } = explanations;
  const [oldest] = fitting;
  if (oldest === undefined) return 'none';
  const own = unambiguous(fitting, write, others, fitOf);
  if (own === 'ambiguous') return needsUserBecause(oldest, 'another withdrawal has the same amount');
  const [bill = oldest, ...more] = own;
  const why =
    more.length > 0 ? `bill ${more[0]?.id} has the same amount` : await otherExplanation(trading, bill, explanations);
  return why === undefined ? { ids: [], bill: bill.id } : needsUserBecause(bill, why);
}

function needsUserBecause({ id, type, time }: Bill, why: string): NeedsUser {
  const facts = `${type ?? 'without a type'}, ${new Date(time).toISOString()}`;
  return { needsUser: `bill ${id} (${facts}) has this amount but may belong to something else: ${why}`, records: [] };
}

/** What else may have made a bill, as a part of a sentence; undefined if nothing can. */
async function otherExplanation(trading: TradingContext, bill: Bill, of: Explanations): Promise<string | undefined> {
  const { client, journal } = trading;
  const { coin } = of.write.terms;
  if (bill.type === null) return 'the exchange reports no type for it';
  const record = of.records.find((one) => mayHaveMade(one, bill));
  if (record !== undefined) return `it may belong to withdrawal ${record.id}`;
  const market = journal.markets().find((name) => name.split('_').includes(coin));
  if (market !== undefined) return `it may belong to a trade in ${market}`;
  const around = await billsBetween(client, bill.time - RECENT_MS, bill.time + SLACK_MS);
  return around === undefined ? 'there are too many bills to check' : amongBills(bill, around, of);
}

/** Whoever withdrew it: a record for another address explains a bill as well. */
function mayHaveMade({ amount, fee, time: submitted }: Withdrawal, { change, time }: Bill): boolean {
  const taken = Decimal.of(change).negated().toString();
  const terms = { amount, fee: fee ?? '0' };
  return Math.abs(submitted - time) <= SLACK_MS && fitOfAmount(taken, terms) !== undefined;
}

/** A trade brings something in return, and a type that other bills have is probably not that of withdrawals. */
function amongBills(bill: Bill, around: readonly Bill[], { others, fitOf }: Explanations): string | undefined {
  const neighbours = around.filter(({ id }) => id !== bill.id);
  const brought = neighbours.find(
    ({ change, time }) => Decimal.of(change).sign > 0 && Math.abs(time - bill.time) <= MOMENT_MS,
  );
  if (brought !== undefined) return `bill ${brought.id} brought ${brought.coin} at the same moment, as a trade does`;
  const isOfOther = (one: Bill) => one.coin === bill.coin && others.some((other) => fitOf(one, other) !== undefined);
  const alike = neighbours.find((one) => one.type === bill.type && !isOfOther(one));
  return alike === undefined ? undefined : `bill ${alike.id} has the same type and belongs to no known withdrawal`;
}
