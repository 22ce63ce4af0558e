import type { Withdrawal } from '../../../domain/funds.js';
import type { Refusal } from '../../../domain/refusal.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { TradingContext } from '../../trading-context.js';
import type { Unknown } from '../find-order.js';
import { REFUSED_AND_ABSENT } from '../settle-order.js';

/** Its outcome is unknown. */
export interface UnknownWithdrawal extends Unknown {
  /** If its request has expired and no later read can decide: the records that may be it. The user settles it. */
  readonly candidates?: readonly Withdrawal[];
}

/** What became of a withdrawal. */
export type FoundWithdrawal =
  | PlacedWithdrawal
  | { readonly outcome: 'refused'; readonly refusal: Refusal }
  | { readonly outcome: 'notSent' }
  | UnknownWithdrawal;

export interface PlacedWithdrawal {
  readonly outcome: 'placed';
  readonly id: string;
  /** Null if they could not be looked up. */
  readonly duplicates: readonly string[] | null;
}

/** Why a withdrawal counts as not sent. */
export const ABSENT = 'the request has expired and the exchange has no such withdrawal';

/** Records what became of a withdrawal. If that is unknown, the entry is released, and another command may find it. */
export function settleWithdrawal(
  { reportDuplicateWithdrawals }: Pick<TradingContext, 'reportDuplicateWithdrawals'>,
  entry: JournalEntry<'withdraw'>,
  found: FoundWithdrawal,
): void {
  const { outcome } = found;
  if (outcome === 'unknown') entry.release();
  else if (outcome === 'placed') {
    const { id } = found;
    const { id: writeId, terms } = entry.write;
    const duplicates = found.duplicates ?? [];
    // before it is recorded: if the process dies in between, it is reported twice rather than never
    if (duplicates.length > 0) reportDuplicateWithdrawals([{ writeId, terms, id, ids: duplicates }]);
    const event = `placed: ${id}${duplicates.length === 0 ? '' : `, duplicates: ${duplicates.join(', ')}`}`;
    entry.settle({ outcome, id, duplicates }, event);
  } else
    entry.settle(
      { outcome, id: null, duplicates: [] },
      outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${ABSENT}`,
    );
}
