import type { Refusal } from '../../domain/refusal.js';
import { Failure, suggest } from '../../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import { isKind } from '../journal/write.js';
import type { NotSent } from '../settling/settle-sent-order.js';
import { findAcceptedWithdrawal, findWithdrawalOutcome } from '../settling/withdrawals/find-withdrawal.js';
import { ABSENT, settleWithdrawal, type UnknownWithdrawal } from '../settling/withdrawals/settle-withdrawal.js';
import type { TradingContext } from '../trading-context.js';
import { checkLimits, type WithdrawLimits } from './limits.js';
import { newestRecord } from './records.js';
import { areAlike, type WantedWithdrawal } from './terms.js';

interface Placed {
  readonly outcome: 'placed';
  /** The record's id; null if no record shows it. */
  readonly id: string | null;
  /** Duplicate records of the same withdrawal; null if they could not be looked up. */
  readonly duplicates: readonly string[] | null;
}

/** The outcome of a withdrawal. */
export type WithdrawalResult =
  | Placed
  | NotSent
  | UnknownWithdrawal
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** How a withdrawal is sent. */
interface SendOptions {
  /** The journal's name for it. */
  readonly id: string;
  /** Reads the user's own limits, which apply whatever was requested and confirmed, at the moment of sending. */
  readonly limits: () => Promise<WithdrawLimits>;
  /** The fund password: it goes into the request and nowhere else. */
  readonly password: string;
  /** Cancels it, as long as it has not left. */
  readonly gate?: SendGate;
}

/**
 * Notes the newest record, records the withdrawal, sends it once, and finds its outcome within the time budget.
 * @throws Failure `usage` if the record cannot be made, an identical withdrawal is in progress or unknown, or a limit is
 *   exceeded; `credentials` if signing fails; `unreachable`, `limited`, `refused` or `internal` if the newest record cannot
 *   be read. Nothing was sent.
 */
export async function sendWithdrawal(
  trading: TradingContext,
  wanted: WantedWithdrawal,
  { gate = new SendGate(), ...options }: SendOptions,
): Promise<WithdrawalResult> {
  const { client, journal } = trading;
  refuseIdenticalWithdrawal(trading, wanted);
  const before = { record: await newestRecord(client, wanted.coin) };
  const reqTime = client.now();
  const write = { operation: 'withdraw', terms: { ...wanted, before } } as const;
  const entry = journal.begin<'withdraw'>(write, { id: options.id, reqTime });
  gate.attachEntry(entry);
  const response = await entry.send(() => checkAndSend(trading, entry, { ...options, gate }));
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint, halted } = response;
    return { outcome: 'notSent', reason, failure, hint, halted };
  }
  if (response.kind === 'done') {
    const { id } = response.value;
    entry.note(`accepted: ${id}`, { namedId: id });
    const accepted = await findAcceptedWithdrawal(trading, entry, id);
    if (accepted !== undefined) {
      settleWithdrawal(trading, entry, accepted);
      return accepted;
    }
  } else if (response.kind === 'refused') entry.noteRefusal(response.refusal);
  else {
    entry.note(`no answer: ${response.reason}`, { isUnanswered: true });
    trading.reportProgress(`No answer: ${response.reason}. Looking up the withdrawal; it is not sent again.`);
  }
  const found = await findWithdrawalOutcome(trading, entry, response.kind === 'lost' ? response.reason : undefined);
  settleWithdrawal(trading, entry, found);
  if (found.outcome !== 'notSent') return found;
  return { outcome: 'notSent', reason: ABSENT, failure: 'unreachable', hasExpired: true };
}

async function checkAndSend(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  { limits, password, gate }: SendOptions & { readonly gate: SendGate },
) {
  const { id, terms, reqTime } = entry.write;
  // if two processes record the same at the same time, each sees the other by now
  refuseIdenticalWithdrawal(trading, terms, id);
  await checkLimits(trading, await limits(), terms, id);
  return trading.client.withdraw(terms, password, { reqTime, mayLeave: gate.mayLeave });
}

/** Throws Failure `usage` if an identical withdrawal is in progress or has an unknown outcome, or a record cannot be read. */
export function refuseIdenticalWithdrawal({ journal }: TradingContext, wanted: WantedWithdrawal, own?: string): void {
  journal.requireReadable();
  const identical = journal
    .unsettledEntries()
    .find(({ write }) => isKind(write, 'withdraw') && write.id !== own && areAlike(write.terms, wanted));
  if (identical === undefined) return;
  const { id } = identical.write;
  const message = identical.isOutcomeUnknown
    ? 'An identical withdrawal has an unknown outcome, so this one was not sent.'
    : 'An identical withdrawal is in progress, so this one was not sent.';
  throw new Failure('usage', message, { clientId: id, hint: suggest('Find its outcome', 'resolve', id) });
}
