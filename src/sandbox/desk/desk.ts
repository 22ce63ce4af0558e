import { Book } from '../engine/book.js';
import { type BookEvent, type Execution, opposite, type Side } from '../engine/order.js';
import type { Ledger } from '../ledger.js';
import type { Market } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import type { Table } from '../store-table.js';
import type { BillBook } from './bills.js';
import { held, keyOf, type Order } from './order.js';
import { isParticipant } from './participants.js';
import type { Sequences } from './sequences.js';
import { settle } from './settlement.js';
import type { Tape } from './tape.js';

/** A market with what is going on in it. */
export interface Venue {
  readonly market: Market;
  readonly book: Book<Order>;
  readonly tape: Tape;
}

/** An order that is wanted: ticks and lots. */
export interface Intent {
  readonly account: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: bigint;
  readonly amount: bigint;
  readonly clientId?: string | undefined;
}

export interface DeskTables {
  /** Every order of a customer, and the open ones of participants, by account, market, side and id. */
  readonly orders: Table<Order>;
  /** The keys of all open orders, by id. */
  readonly open: Table<string>;
}

/**
 * Where orders are taken, held for, matched and settled, one after the other. Each call leaves everything consistent:
 * book, ledger, orders, tape and bills.
 */
export class Desk {
  /** Open orders of customers by id. */
  readonly customers = new Map<bigint, Order>();
  /** Whether something of a customer has changed since this was last set to false. */
  touched = false;
  private time = 0;

  constructor(
    readonly ledger: Ledger,
    private readonly sequences: Sequences,
    private readonly bills: BillBook,
    private readonly tables: DeskTables,
  ) {}

  static venue(market: Market, tape: Tape): Venue {
    return { market, book: new Book<Order>(), tape };
  }

  /** Takes an order at `time`. Throws {@link Refusal}, with nothing changed, when it cannot be. */
  place(venue: Venue, intent: Intent, time: number): Order {
    if (intent.type === 'postOnly' && venue.book.crosses(intent.side, intent.price)) throw new Refusal('wouldTrade');
    this.hold(venue.market, intent);
    const order = this.prepared(venue.market, intent, time);
    this.track(order);
    for (const event of venue.book.submit(order, intent.type)) this.follow(venue, event);
    return order;
  }

  /** Ends an open order and gives back what it holds. */
  cancel(venue: Venue, order: Order): void {
    if (venue.book.cancel(order)) this.close(order);
  }

  /** Puts an open order back as it was stored; they come in the order of their ids. */
  restore(venue: Venue, order: Order): void {
    venue.book.restore(order);
    if (!isParticipant(order.account)) this.customers.set(order.id, order);
  }

  private prepared(market: Market, intent: Intent, time: number): Order {
    this.time = Math.max(this.time, time);
    return {
      id: this.sequences.order(this.time),
      account: intent.account,
      market,
      side: intent.side,
      type: intent.type,
      price: intent.price,
      amount: intent.amount,
      remaining: intent.amount,
      clientId: intent.clientId ?? null,
      time: this.time,
      value: 0n,
      fee: 0n,
      open: true,
    };
  }

  private hold(market: Market, { account, side, price, amount }: Intent): void {
    const { coin, units } = held({ market, side, price, remaining: amount });
    if (this.ledger.available(account, coin) < units) throw new Refusal('insufficientBalance', coin);
    this.ledger.hold(account, coin, units);
  }

  private follow(venue: Venue, event: BookEvent<Order>): void {
    if (event.kind === 'traded') this.trade(venue, event.maker, event.taker, event.price, event.amount);
    if (event.kind === 'cancelled') this.close(event.order);
  }

  private trade(venue: Venue, maker: Order, taker: Order, price: bigint, amount: bigint): void {
    const [buy, sell] = taker.side === 'buy' ? [taker, maker] : [maker, taker];
    settle(this.ledger, buy, sell, price, amount, (account, ...entry) => {
      if (!isParticipant(account)) this.bills.post(account, ...entry);
    });
    this.bills.write(this.time);
    venue.tape.record({ id: this.sequences.trade(), time: this.time, side: opposite(maker.side), price, amount });
    for (const order of [maker, taker]) {
      if (order.remaining === 0n) this.close(order);
      else this.track(order);
    }
  }

  private close(order: Order): void {
    const { coin, units } = held(order);
    this.ledger.release(order.account, coin, units);
    order.open = false;
    this.track(order);
  }

  /** Notes what has become of an order where it is looked up and where it is kept. */
  private track(order: Order): void {
    const key = keyOf(order);
    const customer = !isParticipant(order.account);
    if (order.open || customer) this.tables.orders.put(key, order);
    else this.tables.orders.delete(key);
    if (order.open) this.tables.open.put(String(order.id), key);
    else this.tables.open.delete(String(order.id));
    if (!customer) return;
    this.touched = true;
    if (order.open) this.customers.set(order.id, order);
    else this.customers.delete(order.id);
  }
}
