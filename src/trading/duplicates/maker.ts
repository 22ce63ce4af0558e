import type { Order } from '../../domain/order.js';
import type { TradingAccount } from '../account.js';
import { quietly } from '../quietly.js';
import type { Wanted } from './extra-orders.js';

/** What the nodes of an exchange may differ by in dating orders; chosen, not documented. */
const CLOCKS_MS = 1_000;

/** Of so many orders just alike it is asked which one was repeated; beyond, that is left open. */
const MOST_ALIKE = 10;

type Asked = Pick<TradingAccount, 'client'>;

/**
 * Whether orders that are there besides can all have been made of one of the requests, by {@link canBeOfItsRequest}. Which of
 * several just alike was repeated, their prices and times do not tell.
 */
export async function areOfOneOf(
  asked: Asked,
  alike: readonly Wanted[],
  ids: readonly string[],
  records: readonly Order[],
): Promise<boolean> {
  for (const wanted of alike.slice(0, MOST_ALIKE))
    if (await canBeOfItsRequest(asked, wanted, ids, records)) return true;
  return false;
}

/**
 * Whether orders besides the one that was wanted can all have been made of its request; otherwise another program made one.
 * Nothing is executed before it is sent, so what is older than the order by more than the answer took is not of its request.
 * And of orders with one client id the exchange shows the newest: where that is the order, what is newer has another one.
 *
 * @param records what the exchange lists, newest first, with all of them
 */
export async function canBeOfItsRequest(
  { client }: Asked,
  { intent, order, terms, took }: Wanted,
  ids: readonly string[],
  records: readonly Order[],
): Promise<boolean> {
  const place = records.findIndex(({ id }) => id === order);
  const earliest = (records[place]?.time ?? Number.NEGATIVE_INFINITY) - took - CLOCKS_MS;
  const others = records.filter(({ id }) => ids.includes(id));
  if (others.some(({ time }) => time < earliest)) return false;
  const isAnyNewer = place === -1 || records.slice(0, place).some(({ id }) => ids.includes(id));
  if (!isAnyNewer) return true;
  const ask = async () => (await client.findOrder(terms.market, { clientId: intent })) ?? 'nothing';
  const shown = await quietly(ask);
  if (shown === undefined) return true;
  return shown === 'nothing' ? order !== null : shown.id !== order;
}
