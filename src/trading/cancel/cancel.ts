import { Failure, type FailureKind } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import { newClientId } from '../orders/client-id.js';
import type { OrderReference } from '../orders/reference.js';
import { probeOf, toleranceOf } from '../tolerance.js';
import { tryRead } from '../try-read.js';
import { type Facts, NO_FACTS } from './facts.js';
import type { CancelFate, Lost } from './fate.js';
import { sendCancel } from './send.js';
import { conclude, requestOf, settleCancel } from './settle.js';
import { sideBySide } from './side-by-side.js';

/** What became of one cancellation, as it is told. */
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
  /** The id of the journal's record, for the command that settles it; null where none was made. */
  readonly intent: string | null;
  /** Why it did not come to a cancellation; null when it did. */
  readonly failure: FailureKind | null;
}

/** A cancellation that is settled, or that nobody has answered yet. */
export type Sent = { readonly attempt: CancelAttempt } | { readonly lost: Lost; readonly entry: Entry<'cancelOrder'> };

/** So many requests are under way at once: one that hangs does not hold up the others. */
const AT_ONCE = 8;

/**
 * Cancels orders with one request each. Those that got no answer are looked for when all have left.
 * @param told called for each answer
 * @throws Failure `usage` or `credentials` where not one of them could be sent
 */
export async function cancelOrders(
  account: TradingAccount,
  market: string,
  orders: readonly OrderReference[],
  told: () => void = () => {},
): Promise<CancelAttempt[]> {
  return settleAll(account, await sendCancels(account, market, orders, told));
}

/** Sends them all, and looks for none yet. Throws Failure as {@link cancelOrders}. */
export async function sendCancels(
  account: TradingAccount,
  market: string,
  orders: readonly OrderReference[],
  told: () => void = () => {},
): Promise<Sent[]> {
  const unsent: Failure[] = [];
  const sent = await sideBySide(orders, AT_ONCE, async (order) => {
    try {
      return await send(account, market, order);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unsent.push(error);
      return { attempt: attemptOf(market, order, null, unsentFate(error)) };
    } finally {
      told();
    }
  });
  const [first] = unsent;
  if (first !== undefined && unsent.length === orders.length) throw first;
  return sent;
}

/** Finds out what became of those that nobody has answered, for as long as the budget lasts. */
export async function settleAll(account: TradingAccount, sent: readonly Sent[]): Promise<CancelAttempt[]> {
  const [first, second] = sent.flatMap((one) => ('lost' in one ? one.entry : []));
  if (first !== undefined) {
    const { length } = sent.filter((one) => 'lost' in one);
    account.tell(
      `No answer came to ${length === 1 ? 'a cancellation' : `${length} cancellations`}. Looking at the order.`,
    );
  }
  // found out once, and not by each of them
  if (second !== undefined) await tryRead(() => toleranceOf(account, probeOf(second.intent)));
  return Promise.all(sent.map((one) => ('attempt' in one ? one.attempt : settled(account, one))));
}

async function send(account: TradingAccount, market: string, order: OrderReference): Promise<Sent> {
  const { client, journal, host } = account;
  const recording = { id: newClientId(host), reqTime: client.now() };
  const entry = journal.begin<'cancelOrder'>({ operation: 'cancelOrder', terms: { market, order } }, recording);
  const fate = await sendCancel(account, requestOf(entry));
  if (fate.outcome === 'lost') return { lost: fate, entry };
  conclude(entry, fate);
  return { attempt: attemptOf(market, order, recording.id, fate) };
}

async function settled(
  account: TradingAccount,
  { lost, entry }: Extract<Sent, { readonly lost: Lost }>,
): Promise<CancelAttempt> {
  const { id, terms } = entry.intent;
  const fate = await settleCancel(account, entry);
  const message = fate.outcome === 'unknown' ? lost.reason : fate.message;
  return attemptOf(terms.market, terms.order, id, { ...fate, message, code: lost.code });
}

function unsentFate({ kind, message }: Failure): CancelFate {
  return { ...NO_FACTS, outcome: 'notSent', code: null, message, failure: kind };
}

function attemptOf(
  market: string,
  order: OrderReference,
  intent: string | null,
  { failure, outcome, ...fate }: CancelFate,
): CancelAttempt {
  const names = 'id' in order ? { id: order.id, clientId: null } : { clientId: order.clientId };
  return {
    result: { ...fate, ...names, market, outcome: outcome === 'notSent' ? 'refused' : outcome },
    intent,
    failure,
  };
}
