import type { Withdrawal } from '../../domain/funds.js';
import { datedRead } from '../dated-read.js';
import type { DuplicateWithdrawals } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import { absentOutcome, isKind, type RecordedWrite, writeKey } from '../journal/write.js';
import { closeOrRetain } from '../orders/verify-orders.js';
import { type Attempt, reconcile, SLACK_MS } from '../reconcile.js';
import type { TradingContext } from '../trading-context.js';
import { ARCHIVE_SLACK_MS, DATE_SLACK_MS, fittingRecords, idsOf } from './find-withdrawal.js';
import { isNewer, recordsAfter } from './records.js';
import { fitOf } from './terms.js';

type WithdrawalEntry = JournalEntry & { readonly write: RecordedWrite<'withdraw'> };

/**
 * Compares the records of a coin with all withdrawals that the network may have repeated: reports duplicates once, and
 * closes expired requests. Reads nothing if there is none.
 * @throws Failure `usage` if the journal cannot be read; `unreachable`, `limited`, `refused`, `credentials` or `internal` if
 *   the records cannot
 */
export async function verifyWithdrawals(
  trading: TradingContext,
  coin: string,
): Promise<readonly DuplicateWithdrawals[]> {
  const { client, journal } = trading;
  const isWithdrawal = (entry: JournalEntry): entry is WithdrawalEntry => isKind(entry.write, 'withdraw');
  const verifying = () => journal.settledButUnexpired({ coin }).filter(isWithdrawal);
  const before = verifying();
  const [lowest] = before
    .filter((entry) => !entry.isRetained || mayComeLate(entry))
    .map(({ write }) => write.terms.before.record)
    .sort((one, other) => (isNewer(one, other) ? 1 : -1));
  if (lowest === undefined) return [];
  const { value: records, began } = await datedRead(trading, () => recordsAfter(client, coin, lowest));
  // after the list, so that the journal covers all that is listed
  const begun = Math.min(...before.map(({ write }) => write.time));
  const since = journal.writesSince(begun - ARCHIVE_SLACK_MS, { operation: 'withdraw', coin });
  const known = idsOf(since.settled);
  const unknown = records.filter(({ id }) => !known.has(id));
  const reserved = new Set(
    since.unsettled.flatMap(({ write }) =>
      isKind(write, 'withdraw') && write.terms.coin === coin ? mayBelongTo(trading, write, unknown) : [],
    ),
  );
  const settled = verifying();
  const attempts = settled.map(attemptOf);
  const listed = new Map(records.map((record) => [record.id, record]));
  const requestLifetime = trading.requestLifetimeMs + DATE_SLACK_MS;
  const keyOf = (record: Withdrawal) => {
    const entry = bestFit(record, settled, listed, requestLifetime + SLACK_MS);
    return entry === undefined ? '' : writeKey(entry);
  };
  const list = {
    rows: records.map((record) => ({ id: record.id, matchKey: keyOf(record), time: record.time })),
    began,
    since: Number.NEGATIVE_INFINITY,
  };
  const { duplicates, closed } = reconcile(attempts, list, {
    accountedFor: new Set([...known, ...reserved]),
    requestLifetime,
  });
  const found = duplicates.flatMap(({ item, rows }) => {
    const entry = settled.find((one) => writeKey(one) === item.id);
    return entry === undefined ? [] : { entry, id: item.rowId, ids: rows.map(({ id }) => id) };
  });
  const reports = found.map(({ entry, id, ids }): DuplicateWithdrawals => {
    const recordedOutcome = id === null ? absentOutcome(entry.settlement?.outcome) : undefined;
    const report = { writeId: entry.write.id, terms: entry.write.terms, id, ids };
    return recordedOutcome === undefined ? report : { ...report, recordedOutcome };
  });
  // before they are recorded: if this process is killed in between, they are reported twice rather than never
  if (reports.length > 0) trading.reportDuplicateWithdrawals(reports);
  for (const { entry, id, ids } of found) {
    const isAbsent = id === null && absentOutcome(entry.settlement?.outcome) !== undefined;
    entry.noteFound(isAbsent ? ids.slice(1) : ids, isAbsent ? ids[0] : null);
  }
  for (const entry of settled) {
    const key = writeKey(entry);
    // a record that another withdrawal may have made is a duplicate of this one if it turns out not to be the other's
    const isReserved = unknown.some((record) => reserved.has(record.id) && keyOf(record) === key);
    const isAbsent = entry.settlement?.outcome !== 'placed';
    closeOrRetain(trading, entry, {
      lastReqTime: entry.write.reqTime,
      areClosed: closed.has(key) && !isReserved,
      isAbsent,
    });
  }
  return reports;
}

/** The ids of the records that an unsettled withdrawal may have made. */
function mayBelongTo(
  trading: TradingContext,
  write: RecordedWrite<'withdraw'>,
  records: readonly Withdrawal[],
): string[] {
  const { exact, fitting } = fittingRecords(trading, write, records);
  return (exact.length > 0 ? exact : fitting).map(({ id }) => id);
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

function attemptOf(entry: WithdrawalEntry): Attempt {
  const { settlement, write } = entry;
  const key = writeKey(entry);
  const isPlaced = settlement?.outcome === 'placed';
  return {
    id: key,
    writeKey: key,
    items: [{ id: key, matchKey: key, rowId: isPlaced ? settlement.id : null, state: isPlaced ? 'placed' : 'absent' }],
    response: mayComeLate(entry) ? 'lost' : 'decided',
    responseIds: [],
    reqTime: write.reqTime,
    isOlderRow: (record) => !isNewer(record, write.terms.before.record),
  };
}
