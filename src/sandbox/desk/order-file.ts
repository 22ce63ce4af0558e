import type { Side } from '../engine/order.js';
import { Refusal } from '../refusals.js';
import { type Codec, type Table, under } from '../store-table.js';
import { type Order, orderKey } from './order.js';

/** How a request names an order. */
export type OrderRef = { readonly id: string } | { readonly clientId: string };

export const keyCodec: Codec<string> = { encode: (key) => key, decode: String };

const SIDES = ['buy', 'sell'] as const;

/** Looks up orders of customers, open and closed. */
export class OrderFile {
  constructor(
    private readonly orders: Table<Order>,
    private readonly clientIds: Table<string>,
  ) {}

  /** Remembers whose order a client id means: the newest, when it was used before. */
  name(order: Order, key: string): void {
    if (order.clientId !== null) this.clientIds.put(clientKey(order.account, order.market.market, order.clientId), key);
  }

  /** Throws {@link Refusal} when the account has no such order in the market. */
  find(account: string, market: string, ref: OrderRef): Order {
    const order = 'id' in ref ? this.byId(account, market, ref.id) : this.byClientId(account, market, ref.clientId);
    if (order === undefined) throw new Refusal('orderNotFound');
    return order;
  }

  /** A page of the orders of a market, newest first; pages count from 1. */
  page(account: string, market: string, side: Side | undefined, page: number, size: number): Order[] {
    const found: Order[] = [];
    let skip = (page - 1) * size;
    for (const order of side === undefined ? this.bothSides(account, market) : this.side(account, market, side)) {
      if (skip > 0) skip -= 1;
      else found.push(order);
      if (found.length === size) break;
    }
    return found;
  }

  private *bothSides(account: string, market: string): Generator<Order> {
    const [buys, sells] = [this.side(account, market, 'buy'), this.side(account, market, 'sell')];
    let [buy, sell] = [buys.next(), sells.next()];
    while (!buy.done || !sell.done) {
      if (!buy.done && (sell.done || buy.value.id > sell.value.id)) {
        yield buy.value;
        buy = buys.next();
      } else if (!sell.done) {
        yield sell.value;
        sell = sells.next();
      }
    }
  }

  private side(account: string, market: string, side: Side): Generator<Order> {
    return this.orders.range({ ...under(`${account}/${market}/${side}/`), reverse: true });
  }

  private byId(account: string, market: string, id: string): Order | undefined {
    if (!/^\d{1,19}$/.test(id)) return undefined;
    for (const side of SIDES) {
      const order = this.orders.get(orderKey(account, market, side, BigInt(id)));
      if (order !== undefined) return order;
    }
    return undefined;
  }

  private byClientId(account: string, market: string, clientId: string): Order | undefined {
    const key = this.clientIds.get(clientKey(account, market, clientId));
    return key === undefined ? undefined : this.orders.get(key);
  }
}

function clientKey(account: string, market: string, clientId: string): string {
  return `${account}/${market}/${clientId}`;
}
