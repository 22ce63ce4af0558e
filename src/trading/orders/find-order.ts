import type { Order } from '../../domain/order.js';
import { tryRead } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { isSameRefusal } from '../../exchange/observed-codes.js';
import type { Refused } from '../../exchange/response.js';
import type { JournalEntry } from '../journal/entry.js';
import { certainAt, pollUntilSettled } from '../poll-until-settled.js';
import { SLACK_MS } from '../reconcile.js';
import type { TradingContext } from '../trading-context.js';
import { differences, isGeneratedId, newClientId } from './terms.js';

/** The reason for an order that counts as not sent: no order has its client id, and its request can arrive no more. */
export const EXPIRED = 'the request has expired and the exchange has no such order';

/** The event that settles a write that was refused. */
export const REFUSED_AND_ABSENT = 'refused; not found on the exchange';

/** What a lookup by client id has shown of an order. */
export type FoundOrder =
  | { readonly outcome: 'placed'; readonly order: Order }
  | { readonly outcome: 'refused' | 'notSent' }
  | Unknown;

export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
  /** How an order with its client id differs from this one, in words. */
  readonly mismatch?: string;
  /** When the outcome is certain, by this machine's clock in ms since the Unix epoch; null if unknown. */
  readonly certainAt: number | null;
}

/**
 * Looks an order up by its client id until the budget ends, and records what that shows. A rejected order that is not found was
 * rejected. Any other counts as not sent once its request has expired and the exchange answers the same for a client id that was
 * never used.
 * @param refusal with which the exchange rejected it. A proxy may have repeated the request: the first one was placed and the
 *   refusal answers the second
 */
export async function findOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal?: Refused,
): Promise<FoundOrder> {
  const { reqTime, terms } = entry.write;
  const { settled, unproven } = await pollUntilSettled<FoundOrder>(
    trading,
    { reqTime, of: { market: terms.market } },
    async (isExpired) => {
      const found = await lookUp(trading, entry, refusal?.code);
      if (found === undefined) return undefined;
      if (found !== 'none') return 'mismatch' in found ? leaveMismatched(entry, found) : settlePlaced(entry, found);
      if (refusal !== undefined) return settleAbsent(entry, 'refused');
      return isExpired && (await isUnusedIdNotFound(trading, entry)) ? settleAbsent(entry, 'notSent') : 'none';
    },
  );
  if (settled !== undefined) return settled;
  entry.release();
  const missing = unproven ?? 'the exchange shows no such order, but the request may still arrive';
  const reason = refusal === undefined ? missing : uncheckedRefusalText(refusal, missing);
  return { outcome: 'unknown', reason, certainAt: certainAt(trading, entry.write) };
}

/** Why the outcome of a write is unknown that was refused, as a part of a sentence. @param unchecked why it could not be looked up */
export function uncheckedRefusalText({ message }: Refused, unchecked: string): string {
  return `the exchange rejected it (${message}), but a duplicate may have been executed: ${unchecked}`;
}

function settlePlaced(entry: JournalEntry<'order'>, order: Order): FoundOrder {
  entry.settle({ outcome: 'placed', id: order.id, duplicates: [] }, `placed: ${order.id}`);
  return { outcome: 'placed', order };
}

function settleAbsent(entry: JournalEntry<'order'>, outcome: 'refused' | 'notSent'): FoundOrder {
  entry.settle(
    { outcome, id: null, duplicates: [] },
    outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${EXPIRED}`,
  );
  return { outcome };
}

/** Releases an order whose outcome cannot be decided: another order has its client id, or the exchange changed it. */
function leaveMismatched(entry: JournalEntry<'order'>, { mismatch }: Mismatch): Unknown {
  entry.release();
  return { outcome: 'unknown', reason: mismatch, mismatch, certainAt: null };
}

/** How an order with the client id differs from the terms that were sent: it may be a different order. */
interface Mismatch {
  readonly mismatch: string;
}

/**
 * Returns the order, a mismatch, `none`, or undefined if the exchange did not answer, which proves nothing.
 * @param refusal the code with which the order was refused: a lookup that is refused with it counts as `none`
 */
async function lookUp(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal?: number | null,
): Promise<Order | Mismatch | 'none' | undefined> {
  const { id: clientId, terms, reqTime } = entry.write;
  const found = await tryRead(() => findOrNothing(trading.client, terms.market, clientId, refusal));
  if (typeof found !== 'object') {
    if (found === undefined) entry.note('asked by client id: no answer', { isUnanswered: true });
    else entry.note('asked by client id: not found');
    return found;
  }
  const differs = differences(found, terms).join(', ');
  const isPlausible = differs === '' && found.time >= reqTime - SLACK_MS;
  // an exchange that answers with some order, whatever the client id, proves nothing
  if (!isPlausible && !(await isUnusedIdNotFound(trading, entry))) {
    const what = `order ${found.id}${differs === '' ? ', which is older' : `, with ${differs}`}`;
    entry.note(`asked by client id: ${what}; the exchange may show it for any client id`, { isUnanswered: true });
    return undefined;
  }
  if (differs !== '') return mismatchOf(trading, entry, found, differs);
  entry.note('asked by client id: found');
  return found;
}

/** A generated id proves that the order is ours. A chosen id may also be used by somebody else. */
function mismatchOf(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  order: Order,
  differs: string,
): Order | Mismatch {
  const { id } = order;
  if (isGeneratedId(entry.write)) {
    entry.note(`asked by client id: found, though with ${differs}`);
    trading.warn(`The exchange changed order ${id}: it has ${differs}.`);
    return order;
  }
  const mismatch = `order ${id} has this client id but ${differs}, so it may be a different order`;
  entry.note(`asked by client id: ${mismatch}`);
  return { mismatch };
}

async function findOrNothing(client: ExchangeClient, market: string, clientId: string, refusal?: number | null) {
  try {
    return (await client.findOrder(market, { clientId })) ?? 'none';
  } catch (error) {
    if (isSameRefusal(error, refusal)) return 'none';
    throw error;
  }
}

async function isUnusedIdNotFound(
  { client, host }: TradingContext,
  { write }: JournalEntry<'order'>,
): Promise<boolean> {
  const neverUsed = { clientId: newClientId(host) };
  return (await tryRead(async () => (await client.findOrder(write.terms.market, neverUsed)) ?? 'none')) === 'none';
}
