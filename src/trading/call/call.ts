import type { Refusal } from '../../domain/refusal.js';
import { Failure, suggest } from '../../errors.js';
import type { NotSentReason } from '../../exchange/exchange.js';
import type { JournalEntry } from '../journal/entry.js';
import { SendGate } from '../journal/entry.js';
import { type CallTerms, isKind, type Settlement } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';

/** The outcome of a call of an undescribed operation. */
export type CallOutcome =
  | { readonly outcome: 'done'; readonly body: string }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }
  | ({ readonly outcome: 'notSent' } & NotSentReason)
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Records a call and sends it, once. One without an answer stays open in the journal: no operation reports its outcome.
 *
 * @param gate cancels it, as long as it was not sent
 * @throws Failure `usage` if the record cannot be made, or the outcome of the same call is unknown; `credentials` if it
 *   cannot be signed: nothing was sent
 */
export async function sendCall(
  trading: TradingContext,
  terms: CallTerms,
  id: string,
  gate = new SendGate(),
): Promise<CallOutcome> {
  const { client, journal } = trading;
  // another command may have sent it since the user was asked
  refuseIdenticalCall(trading, terms);
  const reqTime = client.now();
  const entry = journal.begin<'call'>({ operation: 'call', terms }, { id, reqTime });
  gate.attachEntry(entry);
  const response = await entry.send(() =>
    client.rawCall(terms.method, terms.parameters, { reqTime, mayLeave: gate.mayLeave }),
  );
  if (response.kind === 'done') return settleCall(entry, { outcome: 'done', body: response.value }, 'answered');
  if (response.kind === 'refused') {
    const { refusal } = response;
    return settleCall(entry, { outcome: 'refused', refusal }, `refused: ${refusal.code} ${refusal.message}`);
  }
  const { reason } = response;
  if (response.kind === 'notSent') {
    const { failure, hint, halted } = response;
    return settleCall(entry, { outcome: 'notSent', reason, failure, hint, halted }, `not sent: ${reason}`);
  }
  entry.note(`no answer: ${reason}`);
  entry.release();
  return { outcome: 'unknown', reason };
}

function settleCall<Outcome extends { readonly outcome: Settlement['outcome'] }>(
  entry: JournalEntry<'call'>,
  call: Outcome,
  event: string,
): Outcome {
  entry.settle({ outcome: call.outcome, id: null, duplicates: [] }, event);
  return call;
}

/** Throws Failure `usage` if the outcome of the very same call is unknown, or a record cannot be read. */
export function refuseIdenticalCall({ journal }: TradingContext, { method, parameters }: CallTerms): void {
  journal.requireReadable();
  const callKey = (terms: CallTerms) => JSON.stringify([terms.method, Object.entries(terms.parameters).sort()]);
  const wanted = callKey({ method, parameters });
  const identical = journal
    .unsettledEntries()
    .find(
      ({ write, isOutcomeUnknown }) => isKind(write, 'call') && isOutcomeUnknown && callKey(write.terms) === wanted,
    );
  if (identical === undefined) return;
  const { id } = identical.write;
  throw new Failure('usage', `The outcome of the same call of ${method} is unknown, so it was not sent again.`, {
    clientId: id,
    hint: [
      'Check the exchange, then record what you found, done or notSent.',
      suggest('Record it', 'resolve', id, '--as', 'done'),
    ],
  });
}

/** Settles a call with what the user found out at the exchange. */
export function settleCallManually(entry: JournalEntry<'call'>, outcome: 'done' | 'notSent'): void {
  const event = `${outcome === 'done' ? 'done' : 'not sent'}, by the user`;
  entry.settle({ outcome, id: null, duplicates: [] }, event);
}
