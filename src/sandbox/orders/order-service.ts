import type { AccountType, OrderReference, OrderType, Side } from '../../domain/order.js';
import { type Account, isSimulated, MAKERS, walletOf } from '../accounts/accounts.js';
import type { BillBook, BillKind } from '../accounts/bills.js';
import { FEES, type Ledger } from '../accounts/ledger.js';
import { type BookEvent, type OrderBook, opposite, type RecordedChanges } from '../engine/book.js';
import type { Changes } from '../exchange/changes.js';
import type { Clock } from '../exchange/clock.js';
import type { MarginService } from '../margin/margin-service.js';
import type { SandboxMarket } from '../markets/market.js';
import type { MarketTrades } from '../markets/market-trades.js';
import { RequestRefused } from '../refusals.js';
import type { RecordedTrade } from '../replay/market-update.js';
import type { Scheduler } from '../scheduler.js';
import type { ServiceStore } from '../store/store.js';
import { type AccountOrder, heldFunds, type OrderRecord, recordOf } from './order.js';
import type { OrderListKind, OrderRepository } from './order-repository.js';
import type { Sequences } from './sequences.js';

/** A market with its book and its trades. */
export interface TradedMarket {
  readonly market: SandboxMarket;
  readonly book: OrderBook<AccountOrder>;
  readonly trades: MarketTrades;
}

/** In ticks. Before the first trade it is the best bid, or 0, at which nothing is lent. */
export function lastPrice(venue: TradedMarket | undefined): bigint {
  return venue?.trades.last?.price ?? venue?.book.best('buy')?.price ?? 0n;
}

/** An order of a customer: decimal text. */
export interface OrderRequest {
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
  /** The wallet that pays and receives (default: spot). */
  readonly accountType?: AccountType | undefined;
  /** Margin: borrow the shortfall, within the leverage. */
  readonly borrow?: boolean | undefined;
  /** Margin: repay with the proceeds. */
  readonly repay?: boolean | undefined;
}

/** An order to be placed, in ticks and lots. */
export interface NewOrder extends Omit<OrderRequest, 'market' | 'price' | 'amount'> {
  readonly account: string;
  readonly price: bigint;
  readonly amount: bigint;
}

/** "Orders are cancelled one minute after the call", by the exchange's clock. */
const CANCEL_DELAY = 60_000;

/** A running timer of cancelAllOrdersAfter: one for each account and market. */
export interface CancelTimer {
  readonly account: string;
  readonly market: string;
}

/** What orders are kept in and what their trades change, made by the exchange. */
interface OrderServiceParts {
  readonly orders: OrderRepository;
  /** By the name of the market. */
  readonly venues: ReadonlyMap<string, TradedMarket>;
  readonly ledger: Ledger;
  readonly bills: BillBook;
  readonly sequences: Sequences;
  readonly margin: MarginService;
  /** Those that run of cancelAllOrdersAfter. */
  readonly timers: Scheduler<CancelTimer>;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly store: ServiceStore;
}

/**
 * Takes orders, holds what they may cost, matches and settles them, one after the other. Each call leaves book, ledger, orders,
 * trades and bills consistent. Every trade and every change of an order, of customers and of simulated traders, passes here.
 */
export class OrderService {
  /** The rules for new orders of markets whose rules were changed, by name. */
  readonly #changedRules = new Map<string, SandboxMarket>();
  readonly #orders: OrderRepository;
  readonly #venues: ReadonlyMap<string, TradedMarket>;
  readonly #ledger: Ledger;
  readonly #bills: BillBook;
  readonly #sequences: Sequences;
  readonly #margin: MarginService;
  readonly #timers: Scheduler<CancelTimer>;
  readonly #changes: Changes;
  readonly #clock: Clock;
  readonly #store: ServiceStore;
  /** Time never goes back, even if a caller's does. */
  #time = 0;
  #fees = FEES_OF_SANDBOX;

  constructor(parts: OrderServiceParts) {
    this.#orders = parts.orders;
    this.#venues = parts.venues;
    this.#ledger = parts.ledger;
    this.#bills = parts.bills;
    this.#sequences = parts.sequences;
    this.#margin = parts.margin;
    this.#timers = parts.timers;
    this.#changes = parts.changes;
    this.#clock = parts.clock;
    this.#store = parts.store;
  }

  /** The id of the new order. Throws {@link RequestRefused}, with nothing changed. */
  place({ id: account }: Account, { market: name, price, amount, ...terms }: OrderRequest): string {
    const venue = this.#venue(name);
    const rules = this.rulesOf(venue.market);
    rules.checkNotional(rules.ticks(price), rules.lots(amount));
    const [ticks, lots] = [venue.market.ticks(price), venue.market.lots(amount)];
    const order = this.submit(venue, { account, price: ticks, amount: lots, ...terms }, this.#clock.now());
    return String(order.id);
  }

  /** The order as it is after the cancellation. Throws {@link RequestRefused} if there is none or it is already final. */
  cancel({ id: account }: Account, market: string, ref: OrderReference): OrderRecord {
    const venue = this.#venue(market);
    const order = this.#orders.find(account, market, ref);
    if (!order.open) throw new RequestRefused('orderFinal');
    this.remove(venue, order);
    return recordOf(order);
  }

  /** Throws {@link RequestRefused} if there is no such order. */
  order({ id: account }: Account, market: string, ref: OrderReference): OrderRecord {
    return recordOf(this.#orders.find(account, this.#venue(market).market.name, ref));
  }

  /** Newest first; pages count from 1 (default: all orders of the market). */
  list(
    { id: account }: Account,
    market: string,
    { list = 'all', page, pageSize }: { list?: OrderListKind; page: number; pageSize: number },
  ): OrderRecord[] {
    return this.#orders.page(account, this.#venue(market).market.name, list, page, pageSize).map(recordOf);
  }

  /** Cancels all orders of the account in the market a minute from now, and returns that time. A further call restarts the minute. */
  cancelAllAfter({ id: account }: Account, market: string): number {
    const timer = { account, market: this.#venue(market).market.name };
    const time = this.#clock.now() + CANCEL_DELAY;
    this.#timers.remove((other) => other.account === account && other.market === timer.market);
    this.#timers.add(timer, time);
    this.#store.commitSoon();
    return time;
  }

  /** When the next timer ends: ms since the Unix epoch, infinity if none runs. */
  get next(): number {
    return this.#timers.next;
  }

  /** Cancels what timers cancel by `time`. */
  advance(time: number): void {
    for (let due = this.#timers.take(time); due !== undefined; due = this.#timers.take(time)) {
      const { account, market } = due.subject;
      for (const order of this.#orders.openOf(account, market)) this.remove(this.#venue(market), order);
    }
  }

  /** How many orders of customers are open. */
  get openCount(): number {
    return this.#orders.open.size;
  }

  /** Takes an order at `time`. Throws {@link RequestRefused}, with nothing changed, if it cannot be placed. */
  submit(venue: TradedMarket, newOrder: NewOrder, time: number): AccountOrder {
    if (newOrder.type === 'postOnly' && venue.book.crosses(newOrder.side, newOrder.price))
      throw new RequestRefused('wouldTrade');
    this.#time = Math.max(this.#time, time);
    const order = this.#createFunded(venue.market, newOrder);
    this.#orders.add(order);
    for (const event of venue.book.submit(order, newOrder.type)) this.#apply(venue, event);
    this.#changes.book(venue.market.name);
    return order;
  }

  /** Ends an open order and releases what it holds. */
  remove(venue: TradedMarket, order: AccountOrder): void {
    if (!venue.book.cancel(order)) return;
    this.#close(order);
    this.#changes.book(venue.market.name);
  }

  /** Changes the recorded levels of a book, and settles what they trade with orders. */
  recordBook(
    venue: TradedMarket,
    changes: RecordedChanges,
    { time, date }: Pick<RecordedTrade, 'time' | 'date'>,
  ): void {
    this.#time = Math.max(this.#time, time);
    for (const event of venue.book.record(changes, date)) this.#apply(venue, event);
    this.#changes.book(venue.market.name);
  }

  /** A recorded book has changed in a way that trades with no order. */
  bookChanged(venue: TradedMarket): void {
    this.#changes.book(venue.market.name);
  }

  /** A recorded trade: orders that it would have reached take part of it. The rest is shown as it was recorded. */
  passTrade(venue: TradedMarket, trade: RecordedTrade, isInCandles: boolean): void {
    const { time, date, side, price, amount } = trade;
    this.#time = Math.max(this.#time, time);
    let rest = amount;
    for (const event of venue.book.passTrade(side, price, amount, date)) {
      if (event.kind === 'met') rest -= event.amount;
      this.#apply(venue, event);
    }
    if (rest > 0n) this.showTrade(venue, { ...trade, amount: rest }, isInCandles);
    else if (amount === 0n) {
      // a candle shows a price at which nothing is left to trade
      venue.trades.candles.record(date, price, 0n);
      this.#changes.candles(venue.market.name);
    }
    this.#changes.book(venue.market.name);
  }

  /** Shows a recorded trade between others. @param isInCandles false if the candles have it already */
  showTrade(
    venue: TradedMarket,
    trade: Pick<RecordedTrade, 'date' | 'id' | 'side' | 'price' | 'amount'>,
    isInCandles: boolean,
  ): void {
    const { date, id, side, price, amount } = trade;
    venue.trades.record({ id: this.#tradeId(venue, id), time: date, side, price, amount }, isInCandles);
    this.#changes.trade(venue.market.name);
  }

  /** From now on new orders of a market follow these rules, which bear its name. They are not stored. */
  changeRules(rules: SandboxMarket): void {
    this.#changedRules.set(rules.name, rules);
  }

  /** The rules that new orders of a market follow. */
  rulesOf(market: SandboxMarket): SandboxMarket {
    return this.#changedRules.get(market.name) ?? market;
  }

  /** From now on makers and takers pay other fees; absent ones stay. They are not stored. */
  setFees(fees: Partial<FeeRates> = {}): void {
    this.#fees = { ...this.#fees, ...fees };
  }

  /** Holds what the order may cost, borrowing what is missing if it may, and gives it an id. */
  #createFunded(market: SandboxMarket, newOrder: NewOrder): AccountOrder {
    const {
      account,
      side,
      type,
      price,
      amount,
      accountType = 'spot',
      borrow = false,
      repay = false,
      clientId = null,
    } = newOrder;
    const wallet = walletOf(account, accountType, market);
    const { coin, units } = heldFunds({ market, side, price, remaining: amount });
    const missing = units - this.#ledger.available(wallet.name, coin);
    if (missing > 0n) {
      if (!borrow) throw new RequestRefused('insufficientBalance', coin);
      this.#margin.lend(wallet, coin, missing);
      this.#bills.write(this.#time);
    }
    this.#ledger.hold(wallet.name, coin, units);
    return {
      id: this.#sequences.order(this.#time),
      account,
      accountType,
      wallet: wallet.name,
      repay,
      market,
      side,
      type,
      price,
      amount,
      clientId,
      time: this.#time,
      remaining: amount,
      value: 0n,
      fee: 0n,
      open: true,
    };
  }

  #venue(market: string): TradedMarket {
    const venue = this.#venues.get(market);
    if (venue === undefined) throw new RequestRefused('unknownMarket', market.slice(0, 40));
    return venue;
  }

  #apply(venue: TradedMarket, event: BookEvent<AccountOrder>): void {
    if (event.kind === 'traded') this.#trade(venue, event.maker, event.taker, event.price, event.amount);
    if (event.kind === 'met') this.#tradeWithRecorded(venue, event);
    if (event.kind === 'cancelled') this.#close(event.order);
    if (event.kind === 'rested') this.#save(event.order);
    if (event.kind === 'moved') this.#orders.save(event.order);
  }

  /** A trade with recorded lots: a simulated account brings their coins from outside. */
  #tradeWithRecorded(venue: TradedMarket, event: Extract<BookEvent<AccountOrder>, { kind: 'met' }>): void {
    const { order, isTaker, price, amount } = event;
    const { market } = venue;
    const [account] = MAKERS;
    const side = opposite(order.side);
    const { coin, units } = heldFunds({ market, side, price, remaining: amount });
    this.#ledger.credit(account, coin, units);
    this.#ledger.hold(account, coin, units);
    const terms = { account, accountType: 'spot', wallet: account, repay: false, market, side, type: 'limit' } as const;
    const amounts = { price, amount, remaining: 0n, value: 0n, fee: 0n, time: this.#time };
    const other: AccountOrder = { id: 0n, clientId: null, open: true, ...terms, ...amounts };
    if (isTaker) this.#trade(venue, other, order, price, amount);
    else this.#trade(venue, order, other, price, amount);
  }

  /** Ids of a recorded market are the recorded ones as long as they grow: a customer's trade takes the next one. */
  #tradeId({ book, trades }: TradedMarket, recorded: bigint | null = null): bigint {
    const counted = this.#sequences.trade();
    const last = trades.last?.id;
    if (!book.isRecorded) return counted;
    if (last === undefined) return recorded ?? counted;
    return recorded !== null && recorded > last ? recorded : last + 1n;
  }

  #trade(venue: TradedMarket, maker: AccountOrder, taker: AccountOrder, price: bigint, amount: bigint): void {
    for (const order of [maker, taker]) if (order.value === 0n) this.#orders.listTraded(order);
    const [buy, sell] = taker.side === 'buy' ? [taker, maker] : [maker, taker];
    const [buyRate, sellRate] =
      taker === buy ? [this.#fees.taker, this.#fees.maker] : [this.#fees.maker, this.#fees.taker];
    const rates = { buy: buyRate, sell: sellRate };
    settle(this.#ledger, buy, sell, price, amount, rates, (wallet, ...entry) => {
      if (!isSimulated(wallet)) this.#bills.post(wallet, ...entry);
    });
    if (buy.repay) this.#repayFromBuy(buy, price, amount, rates.buy);
    const value = sell.market.value(price, amount);
    if (sell.repay)
      this.#margin.repay(sell.wallet, sell.market.quote, value - feeOf(value, rates.sell, sell.market.quoteStep));
    this.#bills.write(this.#time);
    const trade = { id: this.#tradeId(venue), time: this.#time, side: opposite(maker.side), price, amount };
    venue.trades.record(trade);
    this.#changes.trade(venue.market.name);
    for (const order of [maker, taker]) {
      if (!isSimulated(order.account)) order.lastTrade = trade;
      if (order.remaining === 0n) this.#close(order);
      else this.#save(order);
    }
  }

  /** Repays with the bought coins and with what a better price left of the held money. */
  #repayFromBuy({ wallet, market, price: limit }: AccountOrder, price: bigint, amount: bigint, rate: bigint): void {
    const units = market.units(amount);
    this.#margin.repay(wallet, market.base, units - feeOf(units, rate, market.baseStep));
    this.#margin.repay(wallet, market.quote, market.value(limit - price, amount));
  }

  #close(order: AccountOrder): void {
    const { coin, units } = heldFunds(order);
    this.#ledger.release(order.wallet, coin, units);
    if (order.repay) {
      this.#margin.repay(order.wallet, coin, units);
      this.#bills.write(this.#time);
    }
    order.open = false;
    this.#save(order);
  }

  #save(order: AccountOrder): void {
    this.#orders.save(order);
    if (isSimulated(order.account)) return;
    this.#store.commitSoon();
    this.#changes.order(order);
  }
}

/** Called for every movement that changes what a wallet owns. Holds are not among them. */
type Posted = (wallet: string, coin: string, change: bigint, kind: BillKind) => void;

/** Exchanges `amount` lots at `price` ticks out of what both orders hold, and takes the fees. */
function settle(
  ledger: Ledger,
  buy: AccountOrder,
  sell: AccountOrder,
  price: bigint,
  amount: bigint,
  rates: Readonly<Record<Side, bigint>>,
  posted: Posted,
): void {
  const { market } = buy;
  const value = market.value(price, amount);
  const units = market.units(amount);
  pay(ledger, market.quote, value, buy, sell);
  posted(buy.wallet, market.quote, -value, 'buy');
  posted(sell.wallet, market.quote, value, 'sell');
  pay(ledger, market.base, units, sell, buy);
  posted(sell.wallet, market.base, -units, 'sell');
  posted(buy.wallet, market.base, units, 'buy');
  // a buy below its limit held more than it paid
  ledger.release(buy.wallet, market.quote, market.value(buy.price - price, amount));
  charge(ledger, buy, market.base, feeOf(units, rates.buy, market.baseStep), posted);
  charge(ledger, sell, market.quote, feeOf(value, rates.sell, market.quoteStep), posted);
  buy.value += value;
  sell.value += value;
}

function pay(ledger: Ledger, coin: string, units: bigint, from: AccountOrder, to: AccountOrder): void {
  ledger.move(coin, units, { account: from.wallet, part: 'frozen' }, { account: to.wallet, part: 'available' });
}

function charge(ledger: Ledger, order: AccountOrder, coin: string, fee: bigint, posted: Posted): void {
  ledger.move(coin, fee, { account: order.wallet, part: 'available' }, { account: FEES, part: 'available' });
  posted(order.wallet, coin, -fee, 'fee');
  order.fee += fee;
}

/** What makers and takers pay, in millionths of what they receive. */
export interface FeeRates {
  readonly maker: bigint;
  readonly taker: bigint;
}

const FEES_OF_SANDBOX: FeeRates = { maker: 2_000n, taker: 2_000n };
const MILLION = 1_000_000n;

/**
 * The fee in units of the received coin. It is rounded up to whole steps, so that splitting an order never saves the fee.
 * @param step the smallest amount of the coin, in units
 * @internal for its test
 */
export function feeOf(received: bigint, rate: bigint, step: bigint): bigint {
  const whole = MILLION * step;
  return ((received * rate + whole - 1n) / whole) * step;
}
