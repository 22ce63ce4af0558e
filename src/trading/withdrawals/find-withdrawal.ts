import { formatAmount } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import { tryRead } from '../../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { isKind, type RecordedWrite, type Settled } from '../journal/write.js';
import { isSameRefusal } from '../same-refusal.js';
import type { TradingContext } from '../trading-context.js';
import { isNewer, recordsAfter } from './records.js';
import { fitOf } from './terms.js';

/** How far a record's date may be from its request: clocks differ, and a review may date it. */
export const DATE_SLACK_MS = 60_000;

/**
 * How long before a withdrawal was recorded the archive is searched for others. Only those settled later can have its records,
 * but the clock of another machine may be wrong.
 */
export const ARCHIVE_SLACK_MS = 86_400_000;

/** What the exchange's records show of a withdrawal. */
export type Finding =
  | { readonly kind: 'found'; readonly id: string }
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

/**
 * Reads the records once, to their end.
 * @throws Failure `usage` if the journal cannot be read; `unreachable`, `limited`, `refused`, `credentials`, `partial` or
 *   `internal` if the records cannot
 */
export async function readNewRecords(trading: TradingContext, write: RecordedWrite<'withdraw'>): Promise<NewRecords> {
  const { terms } = write;
  const records = await recordsAfter(trading.client, terms.coin, terms.before.record);
  // after the list, so that the journal covers all that is listed
  const since = { operation: 'withdraw', coin: terms.coin } as const;
  const { unsettled, settled } = trading.journal.writesSince(write.time - ARCHIVE_SLACK_MS, since);
  const known = idsOf(settled, write.id);
  const others = unsettled
    .map((one) => one.write)
    .filter((other) => isKind(other, 'withdraw') && other.id !== write.id && other.terms.coin === terms.coin);
  const all = records.filter(({ id }) => !known.has(id)).reverse();
  return {
    all,
    ...fittingRecords(trading, write, all),
    isContested: (record) => others.some((other) => isKind(other, 'withdraw') && fitsExactly(trading, record, other)),
  };
}

/** The records that may be a withdrawal, and those of them that fit in everything. */
export function fittingRecords(
  trading: TradingContext,
  write: RecordedWrite<'withdraw'>,
  records: readonly Withdrawal[],
): Pick<NewRecords, 'fitting' | 'exact'> {
  const { terms } = write;
  const fitting = records.filter(
    (record) => isNewer(record.id, terms.before.record) && fitOf(record, terms) !== undefined,
  );
  return { fitting, exact: fitting.filter((record) => fitsExactly(trading, record, write)) };
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

/** The record ids of all settled withdrawals, but of one. */
export function idsOf(settled: readonly Settled[], but?: string): Set<string> {
  const others = settled.filter(({ write }) => isKind(write, 'withdraw') && write.id !== but);
  return new Set(others.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]));
}

/**
 * One read of the exchange's records; undefined if it could not be asked, which proves nothing.
 * @param refusal the code with which the withdrawal was refused: a lookup that is refused with it counts as `none`
 */
export async function findSentWithdrawal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  refusal?: number | null,
): Promise<Finding | undefined> {
  const finding = await tryRead(async () => {
    try {
      return findingOf(await readNewRecords(trading, entry.write));
    } catch (error) {
      if (isSameRefusal(error, refusal)) return { kind: 'none' } as const;
      throw error;
    }
  });
  entry.note(`read the withdrawals: ${findingText(finding)}`);
  return finding;
}

/** It is found if exactly one record fits in everything, and nothing else can have made that. */
export function findingOf({ fitting, exact, isContested }: NewRecords): Finding {
  const [only, ...more] = exact;
  if (only !== undefined && more.length === 0 && !isContested(only)) return { kind: 'found', id: only.id };
  const candidates = exact.length > 0 ? exact : fitting;
  return candidates.length > 0 ? { kind: 'unclear', candidates } : { kind: 'none' };
}

function findingText(finding: Finding | undefined): string {
  if (finding === undefined) return 'no answer';
  if (finding.kind === 'none') return 'not found';
  return finding.kind === 'found' ? `found ${finding.id}` : candidatesText(finding.candidates);
}

/** `it may be withdrawal 2 (1 btc, 2018-10-23T11:59:56.557Z), or none of these` */
export function candidatesText(candidates: readonly Withdrawal[]): string {
  const all = candidates.map(
    ({ id, amount, coin, time }) => `${id} (${formatAmount(amount)} ${coin}, ${new Date(time).toISOString()})`,
  );
  return `it may be withdrawal ${all.join(' or ')}, or none of these`;
}
