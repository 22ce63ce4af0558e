import type { Withdrawal } from '../../../domain/funds.js';
import type { Refusal } from '../../../domain/refusal.js';
import { Failure, tryRead } from '../../../errors.js';
import type { JournalEntry } from '../../journal/entry.js';
import { isKind } from '../../journal/write.js';
import type { TradingContext } from '../../trading-context.js';
import { uncheckedRefusalText } from '../find-order.js';
import { localExpiry, pollUntilFound } from '../poll-until-found.js';
import { isSameRefusal } from '../same-refusal.js';
import { candidatesText, type Finding, readRecordList, reconcileRecords } from './reconcile-withdrawals.js';
import type { FoundWithdrawal, PlacedWithdrawal, UnknownWithdrawal } from './settle-withdrawal.js';

/**
 * Looks up an unanswered withdrawal in the records for as long as the budget lasts. A rejected one
 * that they do not show was rejected. Any other counts as not sent once the request has expired; a transfer within the exchange
 * may be on no list, and so stays unknown. It is never sent again.
 *
 * @param whyUnanswered why no answer came, as a part of a sentence: it is named if the records do not say more
 */
export async function findWithdrawalOutcome(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  whyUnanswered?: string,
): Promise<FoundWithdrawal> {
  const { refusal, write } = entry;
  const { reqTime, terms } = write;
  const mayBeUnlisted = terms.internal && refusal === undefined;
  let finding: Finding | undefined;
  const request = { reqTime, of: { coin: terms.coin } };
  const { found, unproven } = await pollUntilFound<FoundWithdrawal>(trading, request, async (isExpired) => {
    const now = await readFinding(trading, entry);
    finding = now ?? finding;
    if (now?.kind === 'found') return { outcome: 'placed', id: now.id, duplicates: now.duplicates };
    if (now?.kind === 'contradicted') {
      noteContradicted(trading, entry);
      return 'none';
    }
    if (now?.kind === 'none' && refusal !== undefined) return { outcome: 'refused', refusal };
    if (now === undefined || !isExpired) return now && 'none';
    if (now.kind === 'unclear') return leftToUser(now.candidates);
    const { namedId } = entry;
    if (namedId !== undefined) return { outcome: 'placed', id: namedId, duplicates: [] };
    return mayBeUnlisted ? leftToUser([]) : { outcome: 'notSent' };
  });
  if (found !== undefined && found.outcome !== 'unknown') return found;
  const id = entry.namedId ?? null;
  if (found !== undefined) return withRefusal({ ...found, id }, refusal);
  // a read without an answer takes back nothing that an earlier one has shown
  if (finding?.kind === 'unclear')
    return withRefusal(
      { outcome: 'unknown', reason: candidatesText(finding.candidates), id, localExpiry: null },
      refusal,
    );
  const reason = whyUnanswered ?? unproven ?? 'the exchange shows no such withdrawal, but the request may still arrive';
  const certain = mayBeUnlisted ? null : localExpiry(trading, entry.write);
  return withRefusal({ outcome: 'unknown', reason, id, localExpiry: certain }, refusal);
}

/** One read of the exchange's records; undefined if it could not be asked, which proves nothing. */
async function readFinding(trading: TradingContext, entry: JournalEntry<'withdraw'>): Promise<Finding | undefined> {
  const { id, terms } = entry.write;
  const finding = await tryRead(async () => {
    try {
      const list = await readRecordList(trading, terms.coin);
      return list && reconcileRecords(trading, list, entry).findings.get(id);
    } catch (error) {
      // a lookup that is refused like the withdrawal shows that there is none
      if (error instanceof Failure && isSameRefusal(error, entry.refusal?.code)) return { kind: 'none' } as const;
      throw error;
    }
  });
  if (finding === undefined) entry.note('read the withdrawals: no answer');
  return finding;
}

/**
 * Looks up a withdrawal that the exchange has accepted. The network may have repeated the request; and the answer may be the
 * stale one of another request: then only the records count, and undefined is returned. An id that no record shows is believed
 * at once if no other withdrawal of the journal waits for its answer, and otherwise once the request has expired.
 */
export async function findAcceptedWithdrawal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  id: string,
): Promise<PlacedWithdrawal | undefined> {
  const { reqTime, terms } = entry.write;
  const request = { reqTime, of: { coin: terms.coin } };
  const { found } = await pollUntilFound<PlacedWithdrawal | 'contradicted'>(trading, request, async (isExpired) => {
    const finding = await readFinding(trading, entry);
    if (finding?.kind === 'found') return { outcome: 'placed', id, duplicates: finding.duplicates };
    if (finding?.kind === 'contradicted') return 'contradicted';
    if (!isExpired && isAnotherOpen(trading, entry)) return finding && 'none';
    return { outcome: 'placed', id, duplicates: finding === undefined ? null : [] };
  });
  if (found !== 'contradicted') return found ?? { outcome: 'placed', id, duplicates: null };
  noteContradicted(trading, entry);
  return undefined;
}

/** Whether the journal has another withdrawal whose answer has not come: this may be it. */
function isAnotherOpen({ journal }: TradingContext, { write: { id } }: JournalEntry<'withdraw'>): boolean {
  return journal.unsettledEntries().some(({ write }) => isKind(write, 'withdraw') && write.id !== id);
}

/** Notes that the answer named something else: from then on only the records count. */
function noteContradicted(trading: TradingContext, entry: JournalEntry<'withdraw'>): void {
  const what = `withdrawal ${entry.namedId}, which is a different withdrawal`;
  entry.note(`the answer names ${what}`, { isContradicted: true });
  trading.reportProgress(`The answer names ${what}. Looking it up; it is not sent again.`);
}

function withRefusal(unknown: UnknownWithdrawal, refusal: Refusal | undefined): UnknownWithdrawal {
  return refusal === undefined ? unknown : { ...unknown, reason: uncheckedRefusalText(refusal, unknown.reason) };
}

function leftToUser(candidates: readonly Withdrawal[]): UnknownWithdrawal {
  const reason =
    candidates.length > 0
      ? candidatesText(candidates)
      : 'the exchange shows no such withdrawal, but it may not list transfers within the exchange';
  return { outcome: 'unknown', reason, id: null, localExpiry: null, candidates };
}
