import type { WriteOutcome } from '../../exchange/exchange-client.js';
import { UNREAD } from '../../exchange/observed-codes.js';
import type { Refused } from '../../exchange/response.js';
import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import type { OrderTerms } from '../journal/intent.js';
import type { Recording } from '../journal/journal.js';
import { SendGate } from '../send-gate.js';
import { findSentOrder, type OrderOutcome, placed, settleOrder, undecided } from './settle-order.js';
import { refuseDuplicate } from './uncertain-writes.js';

/** What became of an order that was to be placed. */
export type Placement = OrderOutcome | { readonly outcome: 'refused'; readonly refusal: Refused };

/** What the guards leave to whoever records a write: what its record is to say, and what has to hold still. */
export interface Guarding extends Pick<Recording, 'bid'> {
  /** Throws Failure where the limits do not hold any more: the record is taken back, and nothing is sent. */
  readonly recheck?: (() => void) | undefined;
}

/**
 * Records an order, sends it once, and finds out what became of it within the time budget.
 *
 * @param gate can cancel it until it leaves
 * @throws Failure `usage` where the record cannot be made, as `recheck`, and `credentials` where it could not be signed: nothing was sent
 */
export async function placeOrder(
  account: TradingAccount,
  terms: OrderTerms,
  {
    id,
    chosen = false,
    recheck,
    bid,
    gate = new SendGate(),
  }: Omit<Recording, 'reqTime'> & Guarding & { readonly gate?: SendGate },
): Promise<Placement> {
  const { client, journal } = account;
  refuseDuplicate(account, terms);
  const reqTime = client.now();
  const entry = journal.begin<'order'>({ operation: 'order', terms }, { id, chosen, reqTime, bid });
  const checkedAndSent = async () => {
    recheck?.();
    return sendOrder(account, entry, gate);
  };
  const outcome = await checkedAndSent().catch((error: unknown) => {
    entry.withdraw();
    throw error;
  });
  return concludeOrder(account, entry, outcome);
}

/**
 * Sends a recorded order, once.
 * @throws Failure `credentials` or `usage` where it could not be written down as a request: nothing was sent
 */
export function sendOrder(
  { client }: TradingAccount,
  entry: Entry<'order'>,
  gate = new SendGate(),
): Promise<WriteOutcome<{ readonly id: string }>> {
  const { id, terms, reqTime } = entry.intent;
  gate.recorded(entry);
  return client.placeOrder(terms, id, reqTime, gate.mayLeave);
}

/** Finds out within the time budget what became of an order that was sent, and keeps it in the journal. */
export async function concludeOrder(
  account: TradingAccount,
  entry: Entry<'order'>,
  outcome: WriteOutcome<{ readonly id: string }>,
): Promise<Placement> {
  if (outcome.kind === 'done') return placed(account, entry, outcome.answer.id);
  if (outcome.kind === 'refused') return refused(account, entry, outcome.refusal);
  if (outcome.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${outcome.reason}`);
    return { outcome: 'notSent', reason: outcome.reason, failure: outcome.failure };
  }
  entry.note(`no answer: ${outcome.reason}`, { doubt: true });
  account.tell(`No answer: ${outcome.reason}. Looking for the order; it is not sent again.`);
  const settled = await settleOrder(account, entry);
  return settled.outcome === 'unknown' ? { ...settled, reason: settled.unlike ?? outcome.reason } : settled;
}

/**
 * A proxy before the exchange may have repeated the request: the first was placed, and the answer is the refusal of the
 * second. So a refusal counts where a look finds no order.
 */
async function refused(account: TradingAccount, entry: Entry<'order'>, refusal: Refused): Promise<Placement> {
  entry.note(`refused: ${refusal.code} ${refusal.message}`);
  const found = UNREAD.includes(refusal.code) ? 'nothing' : await findSentOrder(account, entry, refusal.code);
  if (typeof found === 'object') {
    return 'unlike' in found ? undecided(entry, found) : placed(account, entry, found.id);
  }
  if (found === undefined) return settleOrder(account, entry);
  entry.settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused, and not there');
  return { outcome: 'refused', refusal };
}
