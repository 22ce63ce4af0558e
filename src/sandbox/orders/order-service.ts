import type { AccountType } from '../../domain/words.js';
import { isSimulated, walletOf } from '../accounts/accounts.js';
import type { BillBook, BillKind } from '../accounts/bills.js';
import { FEES, type Ledger } from '../accounts/ledger.js';
import { Book, type BookEvent, type Execution, opposite, type Side } from '../engine/book.js';
import type { Lender } from '../margin/margin-service.js';
import type { Market } from '../markets/market.js';
import type { Tape } from '../markets/tape.js';
import { Refusal } from '../refusals.js';
import { held, type Order } from './order.js';
import type { OrderRepository } from './order-repository.js';
import type { Sequences } from './sequences.js';

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

/** Hears of every movement that changes what a wallet owns; holds are not among them. */
type Posted = (wallet: string, coin: string, change: bigint, kind: BillKind) => void;

/** Exchanges coins against money for `amount` lots at `price` ticks out of what both orders hold, and takes the fees. */
export function settle(ledger: Ledger, buy: Order, sell: Order, price: bigint, amount: bigint, posted: Posted): void {
  const { market } = buy;
  const value = market.value(price, amount);
  const units = market.units(amount);
  pay(ledger, market.quote, value, buy, sell);
  posted(buy.wallet, market.quote, -value, 'buy');
  posted(sell.wallet, market.quote, value, 'sell');
  pay(ledger, market.base, units, sell, buy);
  posted(sell.wallet, market.base, -units, 'sell');
  posted(buy.wallet, market.base, units, 'buy');
  // A buy below its limit held more than it paid.
  ledger.release(buy.wallet, market.quote, market.value(buy.price - price, amount));
  charge(ledger, buy, market.base, units, posted);
  charge(ledger, sell, market.quote, value, posted);
  buy.value += value;
  sell.value += value;
}

function pay(ledger: Ledger, coin: string, units: bigint, from: Order, to: Order): void {
  ledger.move(coin, units, { account: from.wallet, part: 'frozen' }, { account: to.wallet, part: 'available' });
}

function charge(ledger: Ledger, order: Order, coin: string, received: bigint, posted: Posted): void {
  const fee = feeOf(received);
  ledger.move(coin, fee, { account: order.wallet, part: 'available' }, { account: FEES, part: 'available' });
  posted(order.wallet, coin, -fee, 'fee');
  order.fee += fee;
}

/** Takers and makers pay 0.2 %. */
const PER_MILLE = 2n;

/**
 * The fee on what a trade yields, in units of the received coin. A part of a unit is charged whole, so that cutting an
 * order into crumbs never saves the fee; it is never more than what was received.
 */
export function feeOf(received: bigint): bigint {
  return (received * PER_MILLE + 999n) / 1000n;
}
