import type { Refusal } from '../../domain/refusal.js';
import { Failure, suggest, tryRead } from '../../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import { isKind } from '../journal/write.js';
import { REFUSED_AND_ABSENT, uncheckedRefusalText } from '../orders/settle-order.js';
import { pollUntilSettled } from '../poll-until-settled.js';
import type { TradingContext } from '../trading-context.js';
import { ARCHIVE_SLACK_MS, findSentWithdrawal, idsOf, readNewRecords } from './find-withdrawal.js';
import { checkLimits, type WithdrawLimits } from './limits.js';
import { isNewer, newestRecord } from './records.js';
import { findWithdrawalOutcome, settlePlaced, type WithdrawalOutcome } from './settle-withdrawal.js';
import { areAlike, fitOf, type WantedWithdrawal } from './terms.js';

/** The outcome of a withdrawal. */
export type WithdrawalResult = WithdrawalOutcome | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** How a withdrawal is sent. */
interface SendOptions {
  /** The journal's name for it. */
  readonly id: string;
  /** The user's own limits, which apply whatever was requested and confirmed. */
  readonly limits: WithdrawLimits;
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
  const response = await send(trading, entry, { ...options, gate }).catch((error: unknown) => {
    // a Failure means that the request could not be recorded; any other error may have come after it left
    if (error instanceof Failure) entry.discard();
    throw error;
  });
  if (response.kind === 'done') return settleAcceptedWithdrawal(trading, entry, response.value.id);
  if (response.kind === 'refused') return handleRefusal(trading, entry, response.refusal);
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint } = response;
    return { outcome: 'notSent', reason, failure, hint };
  }
  entry.note(`no answer: ${response.reason}`, { isUnanswered: true });
  trading.reportProgress(`No answer: ${response.reason}. Looking up the withdrawal; it is not sent again.`);
  return findWithdrawalOutcome(trading, entry, { whyUnanswered: response.reason });
}

/**
 * Settles a withdrawal that the exchange has accepted. The network may have repeated the request; and the answer may be the
 * stale one of another request: then only the records count. An id that no record shows is believed at once if no other
 * withdrawal of the journal waits for its answer, and otherwise once the request has expired.
 */
async function settleAcceptedWithdrawal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  id: string,
): Promise<WithdrawalOutcome> {
  const { reqTime, terms } = entry.write;
  const settleAsAnswered = (duplicates: readonly string[] | null) =>
    settlePlaced(trading, entry, id, duplicates, `placed: ${id}`);
  const read = async () => {
    const seen = await tryRead(() => readNewRecords(trading, entry.write));
    const named = seen?.all.find((record) => record.id === id);
    const isOther = named === undefined ? (seen?.exact ?? []).length > 0 : fitOf(named, terms) === undefined;
    if (isOther || isOfJournal(trading, entry, id)) return 'stale';
    if (seen !== undefined && named !== undefined) {
      const equal = seen.exact.filter((record) => record.id !== id && !seen.isContested(record));
      return settleAsAnswered(equal.map((record) => record.id));
    }
    if (!isAnotherOpen(trading, entry)) return settleAsAnswered(seen === undefined ? null : []);
    return seen === undefined ? undefined : 'none';
  };
  const request = { reqTime, of: { coin: terms.coin } };
  const { settled } = await pollUntilSettled<WithdrawalOutcome | 'stale'>(trading, request, read, async () =>
    settleAsAnswered([]),
  );
  if (settled !== 'stale') return settled ?? settleAsAnswered(null);
  entry.note(`the answer names withdrawal ${id}, which is a different withdrawal`, { isUnanswered: true });
  trading.reportProgress(
    `The answer names withdrawal ${id}, which is a different withdrawal. Looking it up; it is not sent again.`,
  );
  return findWithdrawalOutcome(trading, entry);
}

/** Whether a record was there before the request, or belongs to another withdrawal of the journal. */
function isOfJournal({ journal }: TradingContext, { write }: JournalEntry<'withdraw'>, id: string): boolean {
  const { internal, before } = write.terms;
  // a transfer within the exchange may not be numbered like the records
  if (!internal && !isNewer(id, before.record)) return true;
  return idsOf(journal.writesSince(write.time - ARCHIVE_SLACK_MS, { operation: 'withdraw' }).settled, write.id).has(id);
}

/** Whether the journal has another withdrawal whose answer has not come: this may be it. */
function isAnotherOpen({ journal }: TradingContext, { write: { id } }: JournalEntry<'withdraw'>): boolean {
  return journal.unsettledEntries().some(({ write }) => isKind(write, 'withdraw') && write.id !== id);
}

async function send(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  { limits, password, gate }: SendOptions & { readonly gate: SendGate },
) {
  const { id, terms, reqTime } = entry.write;
  // if two processes record the same at the same time, each sees the other by now
  refuseIdenticalWithdrawal(trading, terms, id);
  await checkLimits(trading, limits, terms, id);
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

/**
 * A proxy may have repeated the request: the first one was executed and the refusal answers the second. So a refusal counts
 * only if the withdrawal does not exist.
 */
async function handleRefusal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  refusal: Refusal,
): Promise<WithdrawalResult> {
  entry.note(`refused: ${refusal.code} ${refusal.message}`);
  const finding = await findSentWithdrawal(trading, entry, refusal.code);
  if (finding?.kind === 'found') return settlePlaced(trading, entry, finding.id, [], `placed: ${finding.id}`);
  if (finding?.kind !== 'none') return settleUncheckedRefusal(trading, entry, refusal);
  entry.settle({ outcome: 'refused', id: null, duplicates: [] }, REFUSED_AND_ABSENT);
  return { outcome: 'refused', refusal };
}

/** Settles a refused withdrawal that the exchange could not be asked about at once, or that a record may show. */
async function settleUncheckedRefusal(
  trading: TradingContext,
  entry: JournalEntry<'withdraw'>,
  refusal: Refusal,
): Promise<WithdrawalResult> {
  const settled = await findWithdrawalOutcome(trading, entry, { absentAs: 'refused' });
  if (settled.outcome === 'notSent') return { outcome: 'refused', refusal };
  if (settled.outcome === 'placed') return settled;
  return { ...settled, reason: uncheckedRefusalText(refusal, settled.reason) };
}
