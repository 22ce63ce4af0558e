import type { Withdrawal } from '../../domain/funds.js';
import type { JournalEntry } from '../journal/entry.js';
import { type NotSent, REFUSED_AND_ABSENT, type Unknown } from '../orders/settle-order.js';
import { certainAt, pollUntilSettled } from '../poll-until-settled.js';
import type { TradingContext } from '../trading-context.js';
import { candidatesText, type Finding, findSentWithdrawal } from './find-withdrawal.js';

interface Placed {
  readonly outcome: 'placed';
  /** The record's id; null if no record shows it. */
  readonly id: string | null;
  /** Duplicate records of the same withdrawal; null if they could not be looked up. */
  readonly duplicates: readonly string[] | null;
}

/** Its outcome is unknown. */
export interface UnknownWithdrawal extends Unknown {
  /** If its request has expired and no later read can decide: the records that may be it. The user settles it. */
  readonly candidates?: readonly Withdrawal[];
}

/** The outcome of a withdrawal that was sent. */
export type WithdrawalOutcome = Placed | NotSent | UnknownWithdrawal;

interface LookupOptions {
  /** What to record if it provably does not exist: `refused` if the exchange answered so. */
  readonly absentAs?: 'notSent' | 'refused';
  /** Why no answer came, as a part of a sentence: it is named if the records do not say more. */
  readonly whyUnanswered?: string;
}

/**
 * Looks up an unanswered withdrawal in the records for as long as the budget lasts. If it is missing, it counts as not sent
 * once the request has expired; a transfer within the exchange may be on no list, and so stays unknown. It is never sent again.
 */
export async function findWithdrawalOutcome(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  { absentAs = 'notSent', whyUnanswered }: LookupOptions = {},
): Promise<WithdrawalOutcome> {
  const { reqTime, terms } = entry.write;
  const mayBeUnlisted = terms.internal && absentAs === 'notSent';
  let finding: Finding | undefined;
  const { settled, unproven } = await pollUntilSettled<WithdrawalOutcome>(
    trading,
    { reqTime, of: { coin: terms.coin } },
    async () => {
      const now = await findSentWithdrawal(trading, entry);
      if (now?.kind === 'found') return settlePlaced(trading, entry, now.id, [], `placed: ${now.id}`);
      finding = now ?? finding;
      return now === undefined ? undefined : 'none';
    },
    async () => {
      if (finding?.kind === 'unclear') return leftToUser(finding.candidates);
      return mayBeUnlisted ? leftToUser([]) : settleAbsent(entry, absentAs);
    },
  );
  if (settled !== undefined && settled.outcome !== 'unknown') return settled;
  entry.release();
  if (settled !== undefined) return settled;
  // a read without an answer takes back nothing that an earlier one has shown
  if (finding?.kind === 'unclear')
    return { outcome: 'unknown', reason: candidatesText(finding.candidates), certainAt: null };
  const reason = whyUnanswered ?? unproven ?? 'the exchange shows no such withdrawal, but the request may still arrive';
  return { outcome: 'unknown', reason, certainAt: mayBeUnlisted ? null : certainAt(trading, entry.write) };
}

function leftToUser(candidates: readonly Withdrawal[]): UnknownWithdrawal {
  const reason =
    candidates.length > 0
      ? candidatesText(candidates)
      : 'the exchange shows no such withdrawal, but it may not list transfers within the exchange';
  return { outcome: 'unknown', reason, certainAt: null, candidates };
}

/** @param duplicates null if they could not be looked up */
export function settlePlaced(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  id: string | null,
  duplicates: readonly string[] | null,
  event: string,
): Placed {
  const { id: write, terms } = entry.write;
  const ids = duplicates ?? [];
  // before it is recorded: if the process dies in between, it is reported twice rather than never
  if (ids.length > 0) trading.reportDuplicateWithdrawals([{ writeId: write, terms, id, ids }]);
  entry.settle(
    { outcome: 'placed', id, duplicates: ids },
    `${event}${ids.length === 0 ? '' : `, duplicates: ${ids.join(', ')}`}`,
  );
  return { outcome: 'placed', id, duplicates };
}

function settleAbsent(entry: JournalEntry<'withdraw'>, outcome: 'notSent' | 'refused'): NotSent {
  const reason = 'the request has expired and the exchange has no such withdrawal';
  const event = outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${reason}`;
  entry.settle({ outcome, id: null, duplicates: [] }, event);
  return { outcome: 'notSent', reason, failure: 'unreachable', hasExpired: true };
}
