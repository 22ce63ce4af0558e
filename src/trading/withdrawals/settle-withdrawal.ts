import { tryRead } from '../../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { RecordedWrite } from '../journal/write.js';
import { type NotSent, REFUSED_AND_ABSENT, type SettleOptions, type Unknown } from '../orders/settle-order.js';
import { allCertainAt, certainAt, pollUntilSettled } from '../poll-until-settled.js';
import { reqTimeCheckFor, requestLifetimeOf } from '../request-lifetime.js';
import type { TradingContext } from '../trading-context.js';
import { type FoundWithdrawal, findSentWithdrawal, isFound } from './find-withdrawal.js';

interface Placed {
  readonly outcome: 'placed';
  /** The record's id; null if only a bill shows it. */
  readonly id: string | null;
  /** Duplicate records of the same withdrawal; null if they could not be looked up. */
  readonly duplicates: readonly string[] | null;
}

/** Its outcome is unknown. */
interface Uncertain extends Unknown {
  /** Records that may be it or something else, in words: no later read can decide that either. */
  readonly needsUser?: string;
}

/** The outcome of a withdrawal that was sent. */
export type WithdrawalOutcome = Placed | NotSent | Uncertain;

/**
 * Looks up an unanswered withdrawal in the records for as long as the budget lasts. If it is missing, it counts as not sent
 * once the request has expired. It is never sent again.
 */
export async function findWithdrawalOutcome(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  { absentAs = 'notSent' }: Pick<SettleOptions, 'absentAs'> = {},
): Promise<WithdrawalOutcome> {
  const { write } = entry;
  let needsUser: string | undefined;
  const { settled, expiry, unanswered } = await pollUntilSettled<WithdrawalOutcome>(
    trading,
    { checkReqTime: reqTimeCheckFor(write), reqTime: write.reqTime },
    async () => {
      const found = await findSentWithdrawal(trading, entry);
      if (isFound(found)) return settleFound(trading, entry, found);
      // a read without an answer takes back nothing that an earlier one has shown
      if (found !== undefined) needsUser = found === 'none' ? undefined : found.needsUser;
      if (needsUser !== undefined && (await hasExpired(trading, write))) return uncertain(needsUser);
      return found === 'none' ? found : undefined;
    },
    async () => settleAbsent(entry, absentAs),
  );
  if (settled !== undefined && settled.outcome !== 'unknown') return settled;
  entry.release();
  if (needsUser !== undefined) return uncertain(needsUser);
  const reason = unanswered ?? 'the exchange shows no such withdrawal, but the request may still arrive';
  return { outcome: 'unknown', reason, certainAt: certainAt(trading, expiry) };
}

/** When the request has expired, as {@link certainAt}; asks the exchange if that is unknown. */
export async function whenCertain(trading: TradingContext, write: RecordedWrite<'withdraw'>): Promise<number | null> {
  await tryRead(() => requestLifetimeOf(trading, reqTimeCheckFor(write)));
  return allCertainAt(trading, [write]);
}

/** Whether a later read would find the same. */
async function hasExpired(trading: TradingContext, write: RecordedWrite<'withdraw'>): Promise<boolean> {
  const late = await whenCertain(trading, write);
  return late !== null && late <= trading.host.now();
}

function uncertain(needsUser: string): Uncertain {
  return { outcome: 'unknown', reason: needsUser, certainAt: null, needsUser };
}

/** Settles a withdrawal that the exchange has; duplicates are reported. */
export function settleFound(trading: TradingContext, entry: JournalEntry<'withdraw'>, found: FoundWithdrawal): Placed {
  const [id = null, ...duplicates] = found.ids;
  return settlePlaced(
    trading,
    entry,
    id,
    duplicates,
    found.bill === null ? `placed: ${id}` : 'placed, as a bill shows',
  );
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
