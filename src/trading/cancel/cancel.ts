import { refusal } from '../../client/failures.js';
import type { FailureKind } from '../../errors.js';
import { SUCCESS } from '../../protocol/response.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { newClientId } from '../order/client-id.js';
import { type OrderReference, referenceValues } from '../order/reference.js';
import { type Facts, NO_FACTS } from './facts.js';
import { type CancelFate, refusedCancel, settleCancel } from './settle.js';

export interface Cancellation extends Facts {
  readonly outcome: 'cancelled' | 'refused' | 'unknown';
  readonly clientId: string | null;
  readonly market: string;
  /** The exchange's return code; null where no answer came. */
  readonly code: number | null;
  readonly message: string | null;
}

export interface CancelAttempt {
  readonly result: Cancellation;
  /** The id of the journal's record, for the command that settles it. */
  readonly intent: string;
  /** Why it did not come to a cancellation; null when it did. */
  readonly failure: FailureKind | null;
}

/**
 * Cancels one order with one request; where no answer came, the order itself tells what became of it.
 * @throws Failure `usage` where the journal cannot take the record, and `credentials`: nothing was sent
 */
export async function cancelOrder(
  account: TradingAccount,
  market: string,
  order: OrderReference,
): Promise<CancelAttempt> {
  const { client, journal, host } = account;
  const recording = { id: newClientId(host), reqTime: client.now() };
  const entry = journal.begin<'cancelOrder'>({ operation: 'cancelOrder', terms: { market, order } }, recording);
  const { failure, ...facts } = await attempt(account, entry);
  const names = 'id' in order ? { id: order.id, clientId: null } : { clientId: order.clientId };
  return { result: { ...facts, ...names, market }, intent: recording.id, failure };
}

type Attempt = Omit<Cancellation, 'clientId' | 'market'> & { readonly failure: FailureKind | null };

async function attempt(account: TradingAccount, entry: Entry<'cancelOrder'>): Promise<Attempt> {
  const verdict = await sent(account, entry);
  if (verdict.kind === 'done') {
    const { des: message, datas } = verdict.answer.message;
    const {
      price = null,
      amount = null,
      completeAmount: filled = null,
      completeMonty: filledValue = null,
    } = datas ?? {};
    const facts = { id: null, price, amount, filled, filledValue };
    entry.settle({ outcome: 'cancelled', id: null, duplicates: [] }, 'cancelled');
    return { ...facts, outcome: 'cancelled', code: SUCCESS, message, failure: null };
  }
  if (verdict.kind === 'refused') {
    const { code, message } = verdict.refusal;
    entry.note(`refused: ${code} ${message}`);
    const fate = await refusedCancel(account, entry, verdict.refusal);
    if (fate.outcome !== 'refused') return concluded(fate, code);
    return { ...fate, outcome: 'refused', code, failure: refusal(verdict.refusal, 'cancelOrder').kind };
  }
  if (verdict.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${verdict.reason}`);
    return { ...NO_FACTS, outcome: 'refused', code: null, message: verdict.reason, failure: 'unreachable' };
  }
  entry.note(`no answer: ${verdict.reason}`);
  const fate = await settleCancel(account, entry);
  return concluded(fate.outcome === 'unknown' ? { ...fate, message: verdict.reason } : fate, null);
}

function concluded(fate: CancelFate, code: number | null): Attempt {
  const outcome = fate.outcome === 'notSent' ? 'refused' : fate.outcome;
  return { ...fate, outcome, code, failure: KINDS[fate.outcome] };
}

const KINDS = { cancelled: null, refused: 'refused', notSent: 'unreachable', unknown: 'unknown' } as const;

async function sent({ client }: TradingAccount, entry: Entry<'cancelOrder'>) {
  const { terms, reqTime } = entry.intent;
  entry.note('sent');
  try {
    return await client.write('cancelOrder', { currency: terms.market, ...referenceValues(terms.order) }, reqTime);
  } catch (error) {
    // it could not be written down as a request
    entry.withdraw();
    throw error;
  }
}
