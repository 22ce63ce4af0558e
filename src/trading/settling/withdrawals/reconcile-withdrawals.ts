import { formatAmount } from '../../../domain/decimal.js';
import type { Withdrawal } from '../../../domain/funds.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { ClosedAs } from '../../journal/list-marks.js';
import { absentOutcome, isKind, type RecordedWrite, type Settled } from '../../journal/write.js';
import type { TradingContext } from '../../trading-context.js';
import { isNewer, recordsAfter } from '../../withdrawals/records.js';
import { fitOf } from '../../withdrawals/terms.js';
import { closingOf } from '../close-write.js';
import { datedRead } from '../dated-read.js';
import type { DuplicateWithdrawals } from '../duplicates.js';
import { expiresAt, SLACK_MS } from '../reconcile.js';
import { settleWithdrawal } from './settle-withdrawal.js';

/** How far a record's date may be from its request: clocks differ, and a review may date it. */
const DATE_SLACK_MS = 60_000;

/**
 * How long before a withdrawal was recorded the archive is searched for others. Only those settled later can have its records,
 * but the clock of another machine may be wrong.
 */
const ARCHIVE_SLACK_MS = 86_400_000;

type WithdrawalEntry = JournalEntry & { readonly write: RecordedWrite<'withdraw'> };

/** The withdrawals of a coin, as the exchange lists them. */
export interface RecordList {
  readonly coin: string;
  /** All that are newer than `after`, newest first. */
  readonly records: readonly Withdrawal[];
  readonly after: string;
  /** When reading began, by the exchange's clock. */
  readonly began: number;
}

/** What the records show of a withdrawal whose outcome is unknown. */
export type Finding =
  | { readonly kind: 'found'; readonly id: string; readonly duplicates: readonly string[] }
  /** Its answer named the record of something else. */
  | { readonly kind: 'contradicted' }
  /** Records that may be it or something else: only the user can decide that, on the exchange. */
  | { readonly kind: 'unclear'; readonly candidates: readonly Withdrawal[] }
  | { readonly kind: 'none' };

/** The records that are newer than a withdrawal's request and belong to no other settled withdrawal, the oldest first. */
export interface NewRecords {
  readonly all: readonly Withdrawal[];
  /** Those that may be the withdrawal. */
  readonly fitting: readonly Withdrawal[];
  /** Those of them that fit in everything. */
  readonly exact: readonly Withdrawal[];
  /** Whether a record fits another withdrawal with an unknown outcome in everything too. */
  readonly isContested: (record: Withdrawal) => boolean;
}

/** What a list has shown. */
export interface FundsFindings {
  /** Of each unsettled withdrawal that the list goes back to, by the id of its write; those of other commands that were found are settled. */
  readonly findings: ReadonlyMap<string, Finding>;
  readonly newRecords: ReadonlyMap<string, NewRecords>;
  /** Duplicates of settled withdrawals, that were reported. */
  readonly duplicates: readonly DuplicateWithdrawals[];
}

const NOTHING_OPEN: FundsFindings = { findings: new Map(), newRecords: new Map(), duplicates: [] };

/**
 * Reads the withdrawals of a coin back to what every open withdrawal needs. Undefined if none is open.
 * @throws Failure `unreachable`, `limited`, `refused`, `credentials`, `partial` or `internal`
 */
export async function readRecordList(trading: TradingContext, coin: string): Promise<RecordList | undefined> {
  const { settled, unsettled } = openWithdrawals(trading, coin);
  const isWaiting = (entry: WithdrawalEntry) => !entry.isClosed || mayComeLate(entry) || lacksRecord(entry);
  const [after] = [...unsettled, ...settled.filter(isWaiting)]
    .map(({ write }) => write.terms.before.record)
    .sort((one, other) => (isNewer(one, other) ? 1 : -1));
  if (after === undefined) return undefined;
  const { value: records, began } = await datedRead(trading, () => recordsAfter(trading.client, coin, after));
  return { coin, records, after, began };
}

/**
 * Reads the records of a coin, settles its withdrawals and closes those that are over. Reads nothing if none is open.
 * @throws Failure `usage` if the journal cannot be read; `unreachable`, `limited`, `refused`, `credentials` or `internal` if the
 *   records cannot
 */
export async function closeCoin(trading: TradingContext, coin: string): Promise<readonly DuplicateWithdrawals[]> {
  const list = await readRecordList(trading, coin);
  return list === undefined ? [] : reconcileRecords(trading, list).duplicates;
}

/**
 * Compares a list of the records of a coin with every withdrawal that is open, and settles and closes what that shows.
 *
 * A withdrawal is found if exactly one new record fits its coin, address, amount and fee, and no other unknown withdrawal has
 * these terms. Anything else stays unknown, and the user may settle it.
 *
 * @param mine the withdrawal that this command works on: it settles that itself
 * @throws Failure `usage` if the journal cannot be read
 */
export function reconcileRecords(
  trading: TradingContext,
  list: RecordList,
  mine?: JournalEntry<'withdraw'>,
): FundsFindings {
  // after the list, so that the journal covers all that is listed
  const open = openWithdrawals(trading, list.coin);
  const others = open.unsettled.filter(({ write }) => write.id !== mine?.write.id);
  const isMineOpen = mine !== undefined && open.settled.every(({ write }) => write.id !== mine.write.id);
  const unsettled = isMineOpen ? [mine as WithdrawalEntry, ...others] : others;
  // another command may have closed the last of them since the list was asked for
  if (unsettled.length === 0 && open.settled.length === 0) return NOTHING_OPEN;
  const oldest = Math.min(...[...unsettled, ...open.settled].map(({ write }) => write.time));
  const archived = trading.journal.archive.since(oldest - ARCHIVE_SLACK_MS, { operation: 'withdraw' });
  const findings = new Map<string, Finding>();
  const newRecords = new Map<string, NewRecords>();
  const reserved = new Set<string>();
  for (const entry of unsettled) {
    const { id } = entry.write;
    if (isNewer(list.after, entry.write.terms.before.record)) continue;
    const known = idsOf(archived, id);
    const seen = recordsFor(trading, list, entry, unsettled, known);
    const finding = findingOf(entry, seen, known);
    newRecords.set(id, seen);
    findings.set(id, finding);
    for (const record of seen.exact.length > 0 ? seen.exact : seen.fitting) reserved.add(record.id);
    // an answer may have named one that does not fit in everything
    if (finding.kind === 'found') reserved.add(finding.id);
    const isMine = id === mine?.write.id;
    if (isMine) entry.note(`read the withdrawals: ${findingText(finding)}`);
    if (finding.kind === 'found' && !isMine && entry.claim())
      settleWithdrawal(trading, entry as JournalEntry<'withdraw'>, { ...finding, outcome: 'placed' });
  }
  return { findings, newRecords, duplicates: closeWithdrawals(trading, list, open.settled, idsOf(archived), reserved) };
}

function openWithdrawals({ journal }: TradingContext, coin: string) {
  const isHere = (entry: JournalEntry): entry is WithdrawalEntry =>
    isKind(entry.write, 'withdraw') && entry.write.terms.coin === coin;
  // in this order: a withdrawal that is settled meanwhile is in both
  const unsettled = journal.unsettledEntries().filter(isHere);
  const settled = journal.settledEntries({ coin }).filter(isHere);
  const ids = new Set(settled.map(({ write }) => write.id));
  // a process was killed after it had archived one of these, and before it had deleted the record
  const left = new Set(unsettled.flatMap(({ write }) => (journal.isUnsettled(write.id) ? write.id : [])));
  return {
    unsettled: unsettled.filter(({ write }) => left.has(write.id) || !ids.has(write.id)),
    settled: settled.filter(({ write }) => !left.has(write.id)),
  };
}

function recordsFor(
  trading: TradingContext,
  { records }: RecordList,
  { write }: WithdrawalEntry,
  unsettled: readonly WithdrawalEntry[],
  known: ReadonlySet<string>,
): NewRecords {
  const { before } = write.terms;
  const all = records.filter(({ id }) => !known.has(id) && isNewer(id, before.record)).toReversed();
  const fitting = all.filter((record) => fitOf(record, write.terms) !== undefined);
  const others = unsettled.filter((other) => other.write.id !== write.id);
  return {
    all,
    fitting,
    exact: fitting.filter((record) => fitsExactly(trading, record, write)),
    isContested: (record) => others.some((other) => fitsExactly(trading, record, other.write)),
  };
}

/** Whether a record has the terms of a withdrawal, and was made while the exchange accepted its request. */
function fitsExactly(
  { requestLifetimeMs }: TradingContext,
  record: Withdrawal,
  { terms, reqTime }: RecordedWrite<'withdraw'>,
): boolean {
  const isInTime = record.time >= reqTime - DATE_SLACK_MS && record.time <= reqTime + requestLifetimeMs + DATE_SLACK_MS;
  return isInTime && isNewer(record.id, terms.before.record) && fitOf(record, terms) === 'exactly';
}

/** The record ids of settled withdrawals, but of one. */
function idsOf(settled: readonly Settled[], but?: string): Set<string> {
  const others = settled.filter(({ write }) => write.id !== but);
  return new Set(others.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]));
}

/**
 * It is found if an answer named its record, or if exactly one record fits in everything, and nothing else can have made that.
 * @param known the records of other withdrawals
 */
function findingOf(
  entry: WithdrawalEntry,
  { all, fitting, exact, isContested }: NewRecords,
  known: ReadonlySet<string>,
): Finding {
  const { namedId } = entry;
  if (namedId !== undefined) {
    const { terms } = entry.write;
    const named = all.find(({ id }) => id === namedId);
    // a transfer within the exchange may not be numbered like the records
    const isEarlier = !terms.internal && !isNewer(namedId, terms.before.record);
    const isOther = named === undefined ? exact.length > 0 : fitOf(named, terms) === undefined;
    if (isOther || isEarlier || known.has(namedId)) return { kind: 'contradicted' };
    if (named === undefined) return { kind: 'none' };
    const equal = exact.filter((record) => record.id !== namedId && !isContested(record));
    return { kind: 'found', id: namedId, duplicates: equal.map(({ id }) => id) };
  }
  const [only, ...more] = exact;
  if (only !== undefined && more.length === 0 && !isContested(only))
    return { kind: 'found', id: only.id, duplicates: [] };
  const candidates = exact.length > 0 ? exact : fitting;
  return candidates.length > 0 ? { kind: 'unclear', candidates } : { kind: 'none' };
}

function findingText(finding: Finding): string {
  if (finding.kind === 'none') return 'not found';
  if (finding.kind === 'contradicted') return 'the answer named a different withdrawal';
  return finding.kind === 'found' ? `found ${finding.id}` : candidatesText(finding.candidates);
}

/** `it may be withdrawal 2 (1 btc, 2018-10-23T11:59:56.557Z), or none of these` */
export function candidatesText(candidates: readonly Withdrawal[]): string {
  const all = candidates.map(
    ({ id, amount, coin, time }) => `${id} (${formatAmount(amount)} ${coin}, ${new Date(time).toISOString()})`,
  );
  return `it may be withdrawal ${all.join(' or ')}, or none of these`;
}

/** What a list shows of a settled withdrawal. */
interface Shown {
  readonly entry: WithdrawalEntry;
  /** The record of one that lacked it. */
  readonly found: Withdrawal | undefined;
  /** The records that its request made beside its own; undefined if there are none. */
  readonly report: DuplicateWithdrawals | undefined;
  /** Whether a record that another withdrawal may have made is a duplicate of this one if it turns out not to be the other's. */
  readonly isReserved: boolean;
}

/**
 * Reports what the list shows of settled withdrawals beyond their own records, and closes those that are over. One that lacks its
 * record gets the nearest that fits, without a report.
 */
function closeWithdrawals(
  trading: TradingContext,
  list: RecordList,
  settled: readonly WithdrawalEntry[],
  known: ReadonlySet<string>,
  reserved: ReadonlySet<string>,
): readonly DuplicateWithdrawals[] {
  const shown = recordsOf(trading, list, settled, known, reserved);
  const reports = shown.flatMap(({ report }) => report ?? []);
  // before they are recorded: if this process is killed in between, they are reported twice rather than never
  if (reports.length > 0) trading.reportDuplicateWithdrawals(reports);
  for (const { entry, found } of shown) if (found !== undefined) entry.noteFound([], found.id);
  for (const { entry, report } of shown) {
    if (report === undefined) continue;
    const [record, ...others] = report.ids;
    if (report.recordedOutcome === undefined) entry.noteFound(report.ids);
    else entry.noteFound(others, record);
  }
  const closings = new Map<string, ClosedAs>();
  for (const { entry, isReserved } of shown) {
    const closing = closingOf(trading, entry, {
      lastReqTime: entry.write.reqTime,
      areOver: (isOver(trading, list, entry) || lacksRecord(entry)) && !isReserved,
      isAbsent: entry.settlement?.outcome !== 'placed' || lacksRecord(entry),
    });
    if (closing !== undefined) closings.set(entry.write.id, closing);
  }
  trading.journal.close({ coin: list.coin }, closings);
  return reports;
}

/** Gives each record to the settled withdrawal that it fits best. */
function recordsOf(
  trading: TradingContext,
  { records }: RecordList,
  settled: readonly WithdrawalEntry[],
  known: ReadonlySet<string>,
  reserved: ReadonlySet<string>,
): Shown[] {
  const listed = new Map(records.map((record) => [record.id, record]));
  const windowMs = executedWithinMs(trading) + SLACK_MS;
  const fits = new Map(records.map((record) => [record, bestFit(record, settled, listed, windowMs)]));
  // of one that was settled while this machine's clock was behind, the archive may not have shown the record
  const accountedFor = new Set([...known, ...reserved, ...settled.flatMap(({ settlement }) => settlement?.id ?? [])]);
  return settled.map((entry) => {
    const fitting = records.filter((record) => fits.get(record) === entry).toReversed();
    const fresh = fitting.filter(({ id }) => !accountedFor.has(id));
    const gap = ({ time }: Withdrawal) => Math.abs(time - entry.write.reqTime);
    const [nearest] = fresh.toSorted((one, other) => gap(one) - gap(other));
    const found = lacksRecord(entry) ? nearest : undefined;
    const more = fresh.filter((record) => record !== found).map(({ id }) => id);
    const report = more.length === 0 ? undefined : reportOf(entry, found, more);
    return { entry, found, report, isReserved: fitting.some(({ id }) => reserved.has(id)) };
  });
}

/** @param ids the records beside its own, oldest first */
function reportOf(
  { write, settlement }: WithdrawalEntry,
  found: Withdrawal | undefined,
  ids: readonly string[],
): DuplicateWithdrawals {
  const id = found?.id ?? settlement?.id ?? null;
  return { writeId: write.id, terms: write.terms, id, ids, recordedOutcome: absentOutcome(settlement?.outcome) };
}

/** Whether the list was read after its request had expired, and shows its record. */
function isOver(trading: TradingContext, { records, began }: RecordList, entry: WithdrawalEntry): boolean {
  const id = entry.settlement?.id ?? null;
  const isShown = id === null || records.some((record) => record.id === id);
  return isShown && began > expiresAt(entry.write.reqTime, executedWithinMs(trading));
}

/** For how long after its request a withdrawal is executed, unless late, in milliseconds. */
function executedWithinMs({ requestLifetimeMs }: TradingContext): number {
  return requestLifetimeMs + DATE_SLACK_MS;
}

/**
 * The withdrawal that a record fits best, and the nearest in time of those that fit equally; undefined if it fits none.
 * @param windowMs for how long after its request a withdrawal is executed, unless late
 */
function bestFit(
  record: Withdrawal,
  entries: readonly WithdrawalEntry[],
  listed: ReadonlyMap<string, Withdrawal>,
  windowMs: number,
): WithdrawalEntry | undefined {
  const gap = ({ write: { reqTime }, settlement }: WithdrawalEntry) => {
    const madeAt = listed.get(settlement?.id ?? '')?.time ?? reqTime;
    return Math.min(Math.abs(record.time - reqTime), Math.abs(record.time - madeAt));
  };
  const fitting = entries.filter(
    (entry) =>
      fitOf(record, entry.write.terms) !== undefined &&
      isNewer(record.id, entry.write.terms.before.record) &&
      entry.settlement?.ruledOut?.includes(record.id) !== true &&
      (mayComeLate(entry) || gap(entry) <= windowMs),
  );
  const exact = fitting.filter(({ write }) => fitOf(record, write.terms) === 'exactly');
  const [nearest] = (exact.length > 0 ? exact : fitting).sort((one, other) => gap(one) - gap(other));
  return nearest;
}

/** Whether no answer came and it counts as not sent: the exchange may still execute it, long after its time limit. */
function mayComeLate(entry: WithdrawalEntry): boolean {
  return entry.wasLost && entry.settlement?.outcome === 'notSent';
}

/** Whether the user settled it as placed without naming its record, and none has appeared since. */
function lacksRecord({ settlement }: WithdrawalEntry): boolean {
  return settlement?.outcome === 'placed' && settlement.id === null;
}
