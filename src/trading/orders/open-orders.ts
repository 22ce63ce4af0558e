import type { Order, Side } from '../../domain/order.js';
import type { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';

/** The orders of a market as far as they were read. */
export interface OwnOrders {
  readonly open: Readonly<Record<Side, readonly Order[]>>;
  /** Every order that was read, closed ones too, by id. */
  readonly byId: ReadonlyMap<string, Order>;
  /** There are older orders that were not requested. */
  readonly more: boolean;
  /** Why some requested pages could not be read. */
  readonly failure: Failure | null;
}

/**
 * Reads the open orders of both sides. The exchange lists them among all others, so every page has to be read. Throws Failure
 * `unreachable`, `limited`, `refused`, `credentials` or `internal` if not even the first page could be read.
 */
export async function readOpenOrders(
  client: Exchange,
  market: string,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<OwnOrders> {
  const extent = { from: 1, to: maxPages };
  const read = (side: Side) => client.orders(market, side, extent);
  const [buys, sells] = await Promise.all([read('buy'), read('sell')]);
  return {
    open: { buy: openOf(buys.orders), sell: openOf(sells.orders) },
    byId: new Map([...buys.orders, ...sells.orders].map((order) => [order.id, order])),
    more: buys.more || sells.more,
    failure: buys.failure ?? sells.failure,
  };
}

/** Each id once: it is what a cancellation names. */
function openOf(orders: readonly Order[]): Order[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  return [...byId.values()].filter((order) => order.state === 'open');
}
