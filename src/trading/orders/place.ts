import type { Verdict } from '../../exchange/exchange-client.js';
import { UNREAD } from '../../exchange/observed-codes.js';
import type { Refused } from '../../exchange/response.js';
import type { TradingAccount } from '../account.js';
import { Departure } from '../departure.js';
import type { Entry } from '../journal/entry.js';
import type { OrderTerms } from '../journal/intent.js';
import type { Recording } from '../journal/journal.js';
import { refuseTwin } from './doubts.js';
import { type Fate, lookFor, placed, settleOrder, undecided } from './settle.js';

/** What became of an order that was to be placed. */
export type Placement = Fate | { readonly outcome: 'refused'; readonly refusal: Refused };

/** What the guards leave to whoever records a write: what its record is to say, and what has to hold still. */
export interface Guarding extends Pick<Recording, 'bid'> {
  /** Throws Failure where the limits do not hold any more: the record is taken back, and nothing is sent. */
  readonly recheck?: (() => void) | undefined;
}

/**
 * Records an order, sends it once, and finds out what became of it within the time budget.
 *
 * @param departure takes it back, for as long as it has not left
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
    departure = new Departure(),
  }: Omit<Recording, 'reqTime'> & Guarding & { readonly departure?: Departure },
): Promise<Placement> {
  const { client, journal } = account;
  refuseTwin(account, terms);
  const reqTime = client.now();
  const entry = journal.begin<'order'>({ operation: 'order', terms }, { id, chosen, reqTime, bid });
  const checkedAndSent = async () => {
    recheck?.();
    return sendOrder(account, entry, departure);
  };
  const verdict = await checkedAndSent().catch((error: unknown) => {
    entry.withdraw();
    throw error;
  });
  return concludeOrder(account, entry, verdict);
}

/**
 * Sends a recorded order, once.
 * @throws Failure `credentials` or `usage` where it could not be written down as a request: nothing was sent
 */
export function sendOrder(
  { client }: TradingAccount,
  entry: Entry<'order'>,
  departure = new Departure(),
): Promise<Verdict<{ readonly id: string }>> {
  const { id, terms, reqTime } = entry.intent;
  departure.recorded(entry);
  return client.placeOrder(terms, id, reqTime, departure.goes);
}

/** Finds out within the time budget what became of an order that was sent, and keeps it in the journal. */
export async function concludeOrder(
  account: TradingAccount,
  entry: Entry<'order'>,
  verdict: Verdict<{ readonly id: string }>,
): Promise<Placement> {
  if (verdict.kind === 'done') return placed(account, entry, verdict.answer.id);
  if (verdict.kind === 'refused') return refused(account, entry, verdict.refusal);
  if (verdict.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${verdict.reason}`);
    return { outcome: 'notSent', reason: verdict.reason, failure: verdict.failure };
  }
  entry.note(`no answer: ${verdict.reason}`, { doubt: true });
  account.tell(`No answer came (${verdict.reason}). Looking for the order; it is not sent again.`);
  const fate = await settleOrder(account, entry);
  return fate.outcome === 'unknown' ? { ...fate, reason: fate.unlike ?? verdict.reason } : fate;
}

/**
 * A proxy before the exchange may have repeated the request: the first was placed, and the answer is the refusal of the
 * second. So a refusal counts where a look finds no order.
 */
async function refused(account: TradingAccount, entry: Entry<'order'>, refusal: Refused): Promise<Placement> {
  entry.note(`refused: ${refusal.code} ${refusal.message}`);
  const found = UNREAD.includes(refusal.code) ? 'nothing' : await lookFor(account, entry, refusal.code);
  if (typeof found === 'object') {
    return 'unlike' in found ? undecided(entry, found) : placed(account, entry, found.id);
  }
  if (found === undefined) return settleOrder(account, entry);
  entry.settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused, and not there');
  return { outcome: 'refused', refusal };
}
