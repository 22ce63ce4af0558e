import { Failure, type FailureKind, suggest } from '../../errors.js';
import type { Refused } from '../../exchange/response.js';
import type { TradingAccount } from '../account.js';
import { Departure } from '../departure.js';
import type { Entry } from '../journal/entry.js';
import { type CallTerms, isOf, type Settlement } from '../journal/intent.js';

/** What became of a call of an operation that the interface does not describe. */
type CallFate =
  | { readonly outcome: 'done'; readonly body: string }
  | { readonly outcome: 'refused'; readonly refusal: Refused }
  | { readonly outcome: 'notSent'; readonly reason: string; readonly failure: FailureKind }
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Records a call and sends it, once. A lost one stays open in the journal: no operation tells what became of it.
 *
 * @param departure takes it back, for as long as it has not left
 * @throws Failure `usage` where the record cannot be made, or the same call is open and unknown; `credentials` where it
 *   could not be signed: nothing was sent
 */
export async function sendCall(
  account: TradingAccount,
  terms: CallTerms,
  id: string,
  departure = new Departure(),
): Promise<CallFate> {
  const { client, journal } = account;
  // since the user was asked another command may have sent it
  refuseTwin(account, terms);
  const reqTime = client.now();
  const entry = journal.begin<'call'>({ operation: 'call', terms }, { id, reqTime });
  departure.recorded(entry);
  const verdict = await client.api
    .call(terms.method, terms.parameters, reqTime, departure.goes)
    .catch((error: unknown) => {
      // a Failure is of a request that could not be written down; anything else may have come after it left
      if (error instanceof Failure) entry.withdraw();
      throw error;
    });
  if (verdict.kind === 'done') return concluded(entry, { outcome: 'done', body: verdict.answer }, 'answered');
  if (verdict.kind === 'refused') {
    const { refusal } = verdict;
    return concluded(entry, { outcome: 'refused', refusal }, `refused: ${refusal.code} ${refusal.message}`);
  }
  const { reason } = verdict;
  if (verdict.kind === 'notSent') {
    const { failure } = verdict;
    return concluded(entry, { outcome: 'notSent', reason, failure }, `not sent: ${reason}`);
  }
  entry.note(`no answer: ${reason}`);
  entry.leave();
  return { outcome: 'unknown', reason };
}

function concluded<Fate extends { readonly outcome: Settlement['outcome'] }>(
  entry: Entry<'call'>,
  fate: Fate,
  event: string,
): Fate {
  entry.settle({ outcome: fate.outcome, id: null, duplicates: [] }, event);
  return fate;
}

/** Throws Failure `usage` where nobody knows what became of the very same call. */
export function refuseTwin({ journal }: TradingAccount, { method, parameters }: CallTerms): void {
  const words = (terms: CallTerms) => JSON.stringify([terms.method, Object.entries(terms.parameters).sort()]);
  const wanted = words({ method, parameters });
  const twin = journal
    .open()
    .find(({ intent, isInDoubt }) => isOf(intent, 'call') && isInDoubt && words(intent.terms) === wanted);
  if (twin === undefined) return;
  const { id } = twin.intent;
  throw new Failure('usage', `It is not known what became of the same call of ${method}, so it was not sent.`, {
    clientId: id,
    hint: [
      'Look at the exchange, then report what you found: done or notSent.',
      suggest('Report it', 'resolve', id, '--as', 'done'),
    ],
  });
}

/** Settles a call as somebody found out who looked at the exchange. */
export function settleCallByHand(entry: Entry<'call'>, outcome: 'done' | 'notSent'): void {
  const event = `${outcome === 'done' ? 'done' : 'not sent'}, as the user says`;
  entry.settle({ outcome, id: null, duplicates: [] }, event);
}
