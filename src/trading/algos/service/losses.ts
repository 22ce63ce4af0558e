import { Decimal, formatPrice } from '../../../domain/decimal.js';
import type { Order } from '../../../domain/order.js';
import { Failure } from '../../../errors.js';
import type { TradingContext } from '../../trading-context.js';
import type { ChildOrder } from '../children/child-order.js';
import { ChildrenInJournal } from '../children/children-in-journal.js';
import { hasStop } from '../plan/terms.js';
import { stopLevel } from '../plan/trigger.js';
import type { FactRecord } from '../record/fact-record.js';
import type { AlgoFacts } from '../record/facts.js';
import { AlgoStore } from '../record/store.js';

/** What an algo order would lose with an order, as a sentence. */
export interface Loss {
  /** The id of the order; null if it is not known which one it would be. */
  readonly order: string | null;
  readonly text: string;
}

/**
 * Says of each of these orders that belongs to an algo order at work what is not protected any more once it is cancelled: it is not placed
 * again. What cannot be read is a sentence too, because a cancellation is not kept waiting for it.
 */
export function lossesOf(
  { host, journal }: Pick<TradingContext, 'host' | 'journal'>,
  market: string,
  orders: readonly Order[],
): readonly Loss[] {
  if (orders.length === 0) return [];
  try {
    const store = new AlgoStore(host, host.directories.state, journal.folder);
    const records = store.openIds().flatMap((id) => store.read(id) ?? []);
    if (records.length === 0) return [];
    const began = records.flatMap(({ facts }) => facts?.began.time ?? []);
    const children = new ChildrenInJournal(journal, Math.min(host.now(), ...began));
    return records.flatMap((record) => lossesOfOne(record, children, market, orders));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ order: null, text: `Whether these are orders of algo orders could not be read: ${error.message}` }];
  }
}

function lossesOfOne(
  record: FactRecord,
  children: ChildrenInJournal,
  market: string,
  orders: readonly Order[],
): readonly Loss[] {
  const { id, facts } = record;
  if (facts === undefined)
    return [{ order: null, text: `The record of algo order ${id} is damaged: these may be orders of it.` }];
  if (facts.ended !== null || facts.began.terms.market.market !== market) return [];
  const own = children.of(record);
  return orders.flatMap((order) => {
    const child = own.find((one) => isOrderOf(one, order));
    return child === undefined ? [] : { order: order.id, text: lossText(child, order, facts) };
  });
}

/** A child whose answer was lost is known by its client id alone, which lists may leave out: then by its terms. */
function isOrderOf({ orderId, clientId, duplicates, type, price, amount }: ChildOrder, order: Order): boolean {
  if (orderId !== null) return orderId === order.id || duplicates.has(order.id);
  if (order.clientId !== null) return order.clientId === clientId;
  return type === order.type && areEqual(price, order.price) && areEqual(amount, order.amount);
}

function areEqual(one: string, other: string): boolean {
  return Decimal.of(one).equals(Decimal.of(other));
}

function lossText({ role }: ChildOrder, { id }: Order, facts: AlgoFacts): string {
  const { terms } = facts.began;
  const level = hasStop(terms) ? stopLevel(terms, facts.trailBest?.price ?? null) : null;
  const stop = level === null ? 'its stop' : `its stop at ${formatPrice(level, terms.market)}`;
  const of = (what: string, then: string) =>
    `Order ${id} is ${what} of algo order ${terms.id} and is not placed again: ${then}.`;
  if (role === 'stop') return of('what the reached stop has sent', 'NOT PROTECTED is what it has not filled');
  if (role === 'take') {
    const then = hasStop(terms)
      ? `${stop} alone goes on, and nothing takes the profit`
      : 'NOT PROTECTED, it has no other exit';
    return of('the take-profit', then);
  }
  if (terms.exits === null) return of('the entry', 'what it has not filled is given up');
  return of('the entry', 'what it has not filled is given up; what has filled stays protected');
}
