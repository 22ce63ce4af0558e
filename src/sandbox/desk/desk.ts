import type { AccountType } from '../../domain/words.js';
import { Book } from '../engine/book.js';
import { type BookEvent, type Execution, opposite, type Side } from '../engine/order.js';
import type { Ledger } from '../ledger.js';
import type { Market } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import type { BillBook } from './bills.js';
import { feeOf } from './fees.js';
import type { Lender } from './lender.js';
import { held, type Order } from './order.js';
import type { OrderRepository } from './order-file.js';
import { isSimulated } from './participants.js';
import type { Sequences } from './sequences.js';
import { settle } from './settlement.js';
import type { Tape } from './tape.js';
import { walletOf } from './wallets.js';

/** A market with what is going on in it. */
export interface Venue {
  readonly market: Market;
  readonly book: Book<Order>;
  readonly tape: Tape;
}

/** In ticks. Where nothing has traded yet the best bid stands in; 0, so that nothing is lent, where there is none. */
export function lastPrice(venue: Venue | undefined): bigint {
  return venue?.tape.last?.price ?? venue?.book.best('buy')?.price ?? 0n;
}

/** An order that is wanted: ticks and lots. */
export interface Intent {
  readonly account: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: bigint;
  readonly amount: bigint;
  readonly clientId?: string | undefined;
  /** Spot unless told. */
  readonly kind?: AccountType | undefined;
  /** Borrow what is missing. */
  readonly borrow?: boolean | undefined;
  /** Repay with what comes in. */
  readonly repay?: boolean | undefined;
}

/**
 * Where orders are taken, held for, matched and settled, one after the other. Each call leaves everything consistent:
 * book, ledger, orders, tape and bills.
 */
export class OrderService {
  /** Whether something of a customer has changed since this was last set to false. */
  touched = false;
  private time = 0;

  constructor(
    readonly ledger: Ledger,
    private readonly sequences: Sequences,
    private readonly bills: BillBook,
    private readonly orders: OrderRepository,
    private readonly lender: Lender,
  ) {}

  static venue(market: Market, tape: Tape): Venue {
    return { market, book: new Book<Order>(), tape };
  }

  /** Takes an order at `time`. Throws {@link Refusal}, with nothing changed, when it cannot be. */
  place(venue: Venue, intent: Intent, time: number): Order {
    if (intent.type === 'postOnly' && venue.book.crosses(intent.side, intent.price)) throw new Refusal('wouldTrade');
    this.time = Math.max(this.time, time);
    const wallet = this.hold(venue.market, intent);
    const order = this.prepared(venue.market, intent, wallet);
    this.orders.enter(order);
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
  }

  private prepared(market: Market, intent: Intent, wallet: string): Order {
    return {
      id: this.sequences.order(this.time),
      account: intent.account,
      kind: intent.kind ?? 'spot',
      wallet,
      repay: intent.repay ?? false,
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

  /** Holds what the order may cost, borrowing what is missing if it may; the wallet from which it is taken. */
  private hold(market: Market, { account, side, price, amount, kind = 'spot', borrow }: Intent): string {
    const wallet = walletOf(account, kind, market);
    const { coin, units } = held({ market, side, price, remaining: amount });
    const missing = units - this.ledger.available(wallet.name, coin);
    if (missing > 0n) {
      if (borrow !== true) throw new Refusal('insufficientBalance', coin);
      this.lender.lend(wallet, coin, missing);
      this.bills.write(this.time);
    }
    this.ledger.hold(wallet.name, coin, units);
    return wallet.name;
  }

  private follow(venue: Venue, event: BookEvent<Order>): void {
    if (event.kind === 'traded') this.trade(venue, event.maker, event.taker, event.price, event.amount);
    if (event.kind === 'cancelled') this.close(event.order);
    if (event.kind === 'rested') this.track(event.order);
  }

  private trade(venue: Venue, maker: Order, taker: Order, price: bigint, amount: bigint): void {
    for (const order of [maker, taker]) if (order.value === 0n) this.orders.listTraded(order);
    const [buy, sell] = taker.side === 'buy' ? [taker, maker] : [maker, taker];
    settle(this.ledger, buy, sell, price, amount, (wallet, ...entry) => {
      if (!isSimulated(wallet)) this.bills.post(wallet, ...entry);
    });
    if (buy.repay) this.repayFromBuy(buy, price, amount);
    if (sell.repay) this.lender.repay(sell.wallet, sell.market.quote, afterFee(sell.market.value(price, amount)));
    this.bills.write(this.time);
    venue.tape.record({ id: this.sequences.trade(), time: this.time, side: opposite(maker.side), price, amount });
    for (const order of [maker, taker]) {
      if (order.remaining === 0n) this.close(order);
      else this.track(order);
    }
  }

  /** What was bought repays, and so does what the price left over of the money that was held. */
  private repayFromBuy({ wallet, market, price: limit }: Order, price: bigint, amount: bigint): void {
    this.lender.repay(wallet, market.base, afterFee(market.units(amount)));
    this.lender.repay(wallet, market.quote, market.value(limit - price, amount));
  }

  private close(order: Order): void {
    const { coin, units } = held(order);
    this.ledger.release(order.wallet, coin, units);
    if (order.repay) {
      this.lender.repay(order.wallet, coin, units);
      this.bills.write(this.time);
    }
    order.open = false;
    this.track(order);
  }

  private track(order: Order): void {
    this.orders.keep(order);
    this.touch(order);
  }

  private touch(order: Order): void {
    if (!isSimulated(order.account)) this.touched = true;
  }
}

function afterFee(received: bigint): bigint {
  return received - feeOf(received);
}
