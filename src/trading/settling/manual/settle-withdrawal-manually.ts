import { suggest, tryRead, usage } from '../../../errors.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { TradingContext } from '../../trading-context.js';
import { acceptsReqTime } from '../poll-until-found.js';
import { type NewRecords, readRecordList, reconcileRecords } from '../withdrawals/reconcile-withdrawals.js';
import { settleWithdrawal } from '../withdrawals/settle-withdrawal.js';
import { type ManualOutcome, requireClaimed, requireExpired } from './manual-outcome.js';

/**
 * Settles a withdrawal as the user reports it. What the exchange shows takes precedence, and nothing counts while the
 * request may still be executed.
 * @throws Failure `usage` if it may be, or if the report does not say which record it is; what a read throws that fails after the
 *   records have shown nothing
 */
export async function settleWithdrawalManually(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  manual: ManualOutcome,
): Promise<void> {
  const { write } = entry;
  const { id: writeId, terms, reqTime } = write;
  const seen = await tryRead(async () => {
    const list = await readRecordList(trading, terms.coin);
    return list && reconcileRecords(trading, list, entry);
  });
  const finding = seen?.findings.get(writeId);
  if (finding?.kind === 'found') {
    requireClaimed(entry);
    settleWithdrawal(trading, entry, { ...finding, outcome: 'placed' });
    if (manual.id !== finding.id) trading.reportProgress('The exchange lists this withdrawal, so --as is ignored.');
    return;
  }
  requireExpired(trading, writeId, write, manual);
  const request = { reqTime, of: { coin: terms.coin } };
  if (finding?.kind === 'none' && !terms.internal && !(await acceptsReqTime(trading, request))) {
    trading.reportProgress('The exchange lists no such withdrawal, so --as is ignored.');
    return;
  }
  const records = seen?.newRecords.get(writeId);
  const fitting = (records?.fitting ?? []).map(({ id }) => id);
  if (manual.outcome === 'notSent') {
    requireClaimed(entry);
    const ruledOut = fitting.length > 0 ? { ruledOut: fitting } : {};
    entry.settle({ outcome: 'notSent', id: null, duplicates: [], ...ruledOut }, 'not sent, as the user says');
    return;
  }
  const id = manual.id === null ? onlyRecord(entry, fitting) : requireListed(entry, manual.id, records);
  requireClaimed(entry);
  entry.settle({ outcome: 'placed', id, duplicates: [] }, `placed${id === null ? '' : `: ${id}`}, as the user says`);
}

/** The record that a withdrawal without a named one is; null if none may be it. Throws Failure `usage` if several may. */
function onlyRecord({ write: { id, terms } }: JournalEntry<'withdraw'>, fitting: readonly string[]): string | null {
  const [only = null, ...more] = fitting;
  if (more.length === 0) return only;
  throw usage(`Several records may be withdrawal ${id}: ${fitting.join(', ')}.`, [
    suggest('See them', 'withdrawals', terms.coin),
    suggest('Name the one that it is', 'resolve', id, '--as', `placed=${only}`),
  ]);
}

/** Throws Failure `usage` if the exchange does not list the record, or it belongs to another withdrawal. */
function requireListed(
  { write: { id, terms } }: JournalEntry<'withdraw'>,
  record: string,
  seen: NewRecords | undefined,
): string {
  if (seen?.all.some((one) => one.id === record)) return record;
  const why = seen === undefined ? 'The withdrawals could not be read' : 'The exchange lists no such withdrawal';
  throw usage(`${why}, so ${record} was not recorded as ${id}. It has to be newer than ${id} and not another one.`, [
    suggest('See the withdrawals', 'withdrawals', terms.coin),
  ]);
}
