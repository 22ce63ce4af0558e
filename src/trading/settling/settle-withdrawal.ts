import type { Withdrawal } from '../../domain/funds.js';
import type { Refusal } from '../../domain/refusal.js';
import { Failure, tryRead } from '../../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { TradingContext } from '../trading-context.js';
import { namedIdOf } from './open-writes.js';
import { certainAt, pollUntilSettled } from './poll-until-settled.js';
import { candidatesText, type Finding, readRecordList, settleRecords } from './reconcile-withdrawals.js';
import { isSameRefusal } from './same-refusal.js';
import { REFUSED_AND_ABSENT, type Unknown, uncheckedRefusalText } from './settle-order.js';

/** Its outcome is unknown. */
export interface UnknownWithdrawal extends Unknown {
  /** If its request has expired and no later read can decide: the records that may be it. The user settles it. */
  readonly candidates?: readonly Withdrawal[];
}

/** What the records have shown of a withdrawal. */
export type FoundWithdrawal =
  | { readonly outcome: 'placed'; readonly id: string; readonly duplicates: readonly string[] }
  | { readonly outcome: 'refused' | 'notSent' }
  | UnknownWithdrawal;

/** Why a withdrawal counts as not sent. */
export const ABSENT = 'the request has expired and the exchange has no such withdrawal';

interface Known {
  /** With which the exchange rejected it. A proxy may have repeated the request: the first one was executed. */
  readonly refusal?: Refusal | undefined;
  /** Why no answer came, as a part of a sentence: it is named if the records do not say more. */
  readonly whyUnanswered?: string;
}

/**
 * Looks up an unanswered withdrawal in the records for as long as the budget lasts, and records what they show. A rejected one
 * that they do not show was rejected. Any other counts as not sent once the request has expired; a transfer within the exchange
 * may be on no list, and so stays unknown. It is never sent again.
 */
export async function findWithdrawal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  { refusal, whyUnanswered }: Known = {},
): Promise<FoundWithdrawal> {
  const { reqTime, terms } = entry.write;
  const mayBeUnlisted = terms.internal && refusal === undefined;
  let finding: Finding | undefined;
  const request = { reqTime, of: { coin: terms.coin } };
  const { settled, unproven } = await pollUntilSettled<FoundWithdrawal>(trading, request, async (isExpired) => {
    const now = await readFinding(trading, entry, refusal?.code);
    finding = now ?? finding;
    if (now?.kind === 'found') return { outcome: 'placed', id: now.id, duplicates: now.duplicates };
    if (now?.kind === 'contradicted') {
      noteContradicted(trading, entry);
      return 'none';
    }
    if (now?.kind === 'none' && refusal !== undefined) return settleAbsent(entry, 'refused');
    if (now === undefined || !isExpired) return now && 'none';
    if (now.kind === 'unclear') return leftToUser(now.candidates);
    const namedId = namedIdOf(entry);
    if (namedId !== undefined) return { ...settleAsAnswered(entry, namedId), duplicates: [] };
    return mayBeUnlisted ? leftToUser([]) : settleAbsent(entry, 'notSent');
  });
  if (settled !== undefined && settled.outcome !== 'unknown') return settled;
  entry.release();
  const id = namedIdOf(entry) ?? null;
  if (settled !== undefined) return withRefusal({ ...settled, id }, refusal);
  // a read without an answer takes back nothing that an earlier one has shown
  if (finding?.kind === 'unclear')
    return withRefusal(
      { outcome: 'unknown', reason: candidatesText(finding.candidates), id, certainAt: null },
      refusal,
    );
  const reason = whyUnanswered ?? unproven ?? 'the exchange shows no such withdrawal, but the request may still arrive';
  const certain = mayBeUnlisted ? null : certainAt(trading, entry.write);
  return withRefusal({ outcome: 'unknown', reason, id, certainAt: certain }, refusal);
}

/** One read of the exchange's records; undefined if it could not be asked, which proves nothing. */
export async function readFinding(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  refusal?: number | null,
): Promise<Finding | undefined> {
  const { id, terms } = entry.write;
  const finding = await tryRead(async () => {
    try {
      const list = await readRecordList(trading, terms.coin);
      return list && settleRecords(trading, list, entry).findings.get(id);
    } catch (error) {
      // a lookup that is refused like the withdrawal shows that there is none
      if (error instanceof Failure && isSameRefusal(error, refusal)) return { kind: 'none' } as const;
      throw error;
    }
  });
  if (finding === undefined) entry.note('read the withdrawals: no answer');
  return finding;
}

/** Believes an answer: no record shows the withdrawal that it names, and none contradicts it. */
export function settleAsAnswered(entry: JournalEntry<'withdraw'>, id: string) {
  entry.settle({ outcome: 'placed', id, duplicates: [] }, `placed: ${id}`);
  return { outcome: 'placed', id } as const;
}

/** Notes that the answer named something else: from then on only the records count. */
export function noteContradicted(trading: TradingContext, entry: JournalEntry<'withdraw'>): void {
  const what = `withdrawal ${namedIdOf(entry)}, which is a different withdrawal`;
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
  return { outcome: 'unknown', reason, id: null, certainAt: null, candidates };
}

function settleAbsent(entry: JournalEntry<'withdraw'>, outcome: 'notSent' | 'refused'): FoundWithdrawal {
  entry.settle(
    { outcome, id: null, duplicates: [] },
    outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${ABSENT}`,
  );
  return { outcome };
}
