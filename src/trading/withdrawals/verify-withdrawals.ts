import { datedRead } from '../../exchange/exchange-clock.js';
import type { DuplicateWithdrawals } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import { absentOutcome, isKind, type RecordedWrite, writeKey } from '../journal/write.js';
import { closeOrRetain } from '../orders/verify-orders.js';
import { type Attempt, reconcile } from '../reconcile.js';
import { assumedRequestLifetime } from '../request-lifetime.js';
import type { TradingContext } from '../trading-context.js';
import { ARCHIVE_SLACK_MS, DATE_SLACK_MS, fitOfRecord, idsOf, recordsOf } from './find-withdrawal.js';
import { isNewer, recordsAfter } from './records.js';

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
  for (const { write } of since.unsettled)
    if (isKind(write, 'withdraw') && write.terms.coin === coin)
      for (const { id } of recordsOf(trading, write, records, known)) known.add(id);
  const settled = verifying();
  const writes = new Map(settled.map((entry) => [writeKey(entry), entry.write]));
  const isLate = new Set(settled.filter(mayComeLate).map(writeKey));
  const listed = new Map(records.map((record) => [record.id, record]));
  const attempts = settled.map(attemptOf);
  const list = {
    rows: records.map(({ id, time }) => ({ id, matchKey: coin, time })),
    began,
    since: Number.NEGATIVE_INFINITY,
  };
  const { duplicates, closed } = reconcile(attempts, list, {
    accountedFor: known,
    requestLifetime: assumedRequestLifetime(trading) + DATE_SLACK_MS,
    matchCost: (row, name) => {
      const [record, write] = [listed.get(row), writes.get(name)];
      const late = write !== undefined && isLate.has(name);
      const fit = record && write && fitOfRecord(trading, record, write, late ? Number.POSITIVE_INFINITY : undefined);
      return fit === undefined ? undefined : fit === 'exactly' ? 0 : 1;
    },
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
  for (const [index, entry] of settled.entries())
    closeOrRetain(trading, entry, attempts.slice(index, index + 1), closed);
  return reports;
}

/** Whether no answer came and it counts as not sent: the exchange may still execute it, long after its time limit. */
function mayComeLate(entry: WithdrawalEntry): boolean {
  return entry.wasLost && entry.settlement?.outcome === 'notSent';
}

function attemptOf(entry: WithdrawalEntry): Attempt {
  const { settlement, write } = entry;
  const name = writeKey(entry);
  const isPlaced = settlement?.outcome === 'placed';
  const order = isPlaced ? settlement.id : null;
  return {
    id: name,
    writeKey: name,
    items: [{ id: name, matchKey: write.terms.coin, rowId: order, state: isPlaced ? 'placed' : 'absent' }],
    response: mayComeLate(entry) ? 'lost' : 'decided',
    responseIds: [],
    reqTime: write.reqTime,
    isOlderRow: (record) => !isNewer(record, write.terms.before.record),
  };
}
