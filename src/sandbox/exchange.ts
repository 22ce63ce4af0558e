import type { CandleType } from './candles.js';
import type { Account, Secrets } from './desk/accounts.js';
import type { Venue } from './desk/desk.js';
import { House } from './desk/house.js';
import { keyOf, type OrderStatus } from './desk/order.js';
import type { OrderRef } from './desk/order-file.js';
import { candlesOf, DayWindow, depthOf, mergeStep, recordOf, tickerOf, tradeOf } from './desk/views.js';
import type { Execution, Side } from './engine/order.js';
import { COINS, type CoinRules } from './markets/coins.js';
import { coinText, type MarketRules } from './markets/market.js';
import { Refusal } from './refusals.js';

export type { CandleType } from './candles.js';
export type { Account } from './desk/accounts.js';
export type { OrderStatus } from './desk/order.js';
export type { OrderRef } from './desk/order-file.js';
export type { CoinRules } from './markets/coins.js';
export type { MarketRules } from './markets/market.js';
export { Refusal } from './refusals.js';
export { AlreadyOpen } from './store-claim.js';

export interface ExchangeOptions {
  /** Where the state is kept; made when it is missing. One exchange at a time can have it open. */
  readonly directory: string;
  /** Used when the directory is empty; afterwards the stored one wins. */
  readonly seed: number;
  /** The exchange's clock: ms since the Unix epoch. */
  readonly now: () => number;
  /** The first account, used when the directory is empty; afterwards the stored one wins. */
  readonly genesis: Secrets;
}

/** The last 24 hours of a market. `change` is in percent with two decimals; with an empty side bid or ask is the last price. */
export interface Ticker {
  readonly time: number;
  readonly high: string;
  readonly low: string;
  readonly bid: string;
  readonly ask: string;
  readonly last: string;
  readonly open: string;
  readonly change: string;
  readonly volume: string;
}

/** Both sides best first. */
export interface Depth {
  readonly time: number;
  readonly bids: readonly (readonly [price: string, amount: string])[];
  readonly asks: readonly (readonly [price: string, amount: string])[];
}

export interface PublicTrade {
  readonly id: string;
  readonly time: number;
  /** The taker's. */
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
}

export interface ShownCandle {
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

export interface OrderRequest {
  readonly market: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
}

export interface OrderRecord {
  readonly id: string;
  readonly clientId: string | null;
  readonly account: 'spot';
  readonly market: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  /** In the quote coin. */
  readonly filledValue: string;
  /** In the coin the order receives: the base coin of a buy, the quote coin of a sell. */
  readonly fee: string;
  readonly time: number;
  readonly status: OrderStatus;
}

export interface ExchangeStatus {
  readonly time: number;
  readonly markets: number;
  readonly accounts: number;
  /** Open orders of customers. */
  readonly orders: number;
  readonly trades: number;
}

/**
 * An exchange that lives: markets with a history, traders, customers. Prices, amounts and ids are decimal texts, times
 * ms since the Unix epoch. A method that is given an unknown market throws {@link Refusal}.
 */
export interface Exchange {
  readonly genesis: Secrets;
  readonly markets: ReadonlyMap<string, MarketRules>;
  readonly coins: ReadonlyMap<string, CoinRules>;
  /** Lets everything happen that is due by now. */
  advance(): void;
  ticker(market: string): Ticker;
  /** `merge` is a price step: bids are rounded down to it and asks up. */
  depth(market: string, options: { size: number; merge?: string | undefined }): Depth;
  /** At most 50, oldest first: those after an id, or the latest. */
  trades(market: string, afterId?: string): PublicTrade[];
  /** Without gaps, oldest first: the latest `size` of those that do not begin before `since`. */
  candles(market: string, type: CandleType, options: { since?: number | undefined; size: number }): ShownCandle[];
  account(accessKey: string): Account | undefined;
  /** Every coin, also those of which the account has none. */
  balances(account: Account): { coin: string; available: string; frozen: string }[];
  /** The order's id. Throws {@link Refusal}, with nothing changed. */
  place(account: Account, request: OrderRequest): string;
  /** Throws {@link Refusal} when there is no such order or it is already final. */
  cancel(account: Account, market: string, ref: OrderRef): OrderRecord;
  order(account: Account, market: string, ref: OrderRef): OrderRecord;
  /** Newest first; pages count from 1. */
  orders(
    account: Account,
    market: string,
    query: { side?: Side | undefined; page: number; pageSize: number },
  ): OrderRecord[];
  /** Resolves when everything that happened before the call survives a kill and the loss of power. */
  durable(): Promise<void>;
  status(): ExchangeStatus;
  close(): Promise<void>;
}

/** How long what only concerns the crowd may wait for a commit. Repeating its steps gives the same again. */
const IDLE_COMMIT = 2_000;

/** Opens the exchange of a directory, or founds one there. Rejects with AlreadyOpen when it is open already. */
export async function openExchange(options: ExchangeOptions): Promise<Exchange> {
  const { directory, seed, now, genesis } = options;
  const house = House.open({ directory, seed, time: now(), secrets: genesis });
  const exchange = new SandboxExchange(house, now);
  exchange.advance();
  await exchange.durable();
  return exchange;
}

class SandboxExchange implements Exchange {
  readonly genesis: Secrets;
  readonly coins = COINS;
  readonly markets: ReadonlyMap<string, MarketRules>;
  private readonly days: ReadonlyMap<string, DayWindow>;

  constructor(
    private readonly house: House,
    private readonly now: () => number,
  ) {
    const genesis = house.customers.genesis();
    if (genesis === undefined) throw new Error('the exchange has no first account');
    const { accessKey, secretKey, safePwd, username } = genesis;
    this.genesis = { accessKey, secretKey, safePwd, username };
    this.markets = new Map([...house.venues].map(([name, { market }]) => [name, market]));
    this.days = new Map([...house.venues].map(([name, venue]) => [name, new DayWindow(venue)]));
  }

  advance(): void {
    this.house.advance(this.now());
    this.scheduleCommit();
  }

  ticker(market: string): Ticker {
    const [venue, time] = [this.venue(market), this.now()];
    const day = this.days.get(market);
    if (day === undefined) throw new Refusal('unknownMarket', market);
    return tickerOf(venue, day.read(time), time);
  }

  depth(market: string, { size, merge }: { size: number; merge?: string | undefined }): Depth {
    const venue = this.venue(market);
    return depthOf(venue, size, mergeStep(venue.market, merge), this.now());
  }

  trades(market: string, afterId?: string): PublicTrade[] {
    const { market: rules, tape } = this.venue(market);
    if (afterId !== undefined && !/^\d{1,19}$/.test(afterId)) throw new Refusal('badParameter', 'since');
    return tape.after(afterId === undefined ? undefined : BigInt(afterId)).map((trade) => tradeOf(rules, trade));
  }

  candles(market: string, type: CandleType, { since, size }: { since?: number | undefined; size: number }) {
    return candlesOf(this.venue(market), type, this.now(), size, since);
  }

  account(accessKey: string): Account | undefined {
    return this.house.customers.byAccessKey(accessKey);
  }

  balances({ id }: Account): { coin: string; available: string; frozen: string }[] {
    const { ledger } = this.house;
    return [...COINS.keys()].map((coin) => ({
      coin,
      available: coinText(coin, ledger.available(id, coin)),
      frozen: coinText(coin, ledger.frozen(id, coin)),
    }));
  }

  place(account: Account, request: OrderRequest): string {
    const venue = this.venue(request.market);
    const { side, type, clientId } = request;
    const price = venue.market.ticks(request.price);
    const amount = venue.market.lots(request.amount);
    venue.market.checkNotional(price, amount);
    const order = this.house.desk.place(
      venue,
      { account: account.id, side, type, price, amount, clientId },
      this.now(),
    );
    this.house.orders.name(order, keyOf(order));
    this.scheduleCommit();
    return String(order.id);
  }

  cancel(account: Account, market: string, ref: OrderRef): OrderRecord {
    const venue = this.venue(market);
    const found = this.house.orders.find(account.id, market, ref);
    const order = this.house.desk.customers.get(found.id);
    if (order === undefined) throw new Refusal('orderFinal');
    this.house.desk.cancel(venue, order);
    this.scheduleCommit();
    return recordOf(order);
  }

  order(account: Account, market: string, ref: OrderRef): OrderRecord {
    return recordOf(this.house.orders.find(account.id, this.venue(market).market.market, ref));
  }

  orders(
    account: Account,
    market: string,
    { side, page, pageSize }: { side?: Side | undefined; page: number; pageSize: number },
  ): OrderRecord[] {
    return this.house.orders.page(account.id, this.venue(market).market.market, side, page, pageSize).map(recordOf);
  }

  durable(): Promise<void> {
    return this.house.store.durable();
  }

  status(): ExchangeStatus {
    const { venues, customers, desk, sequences } = this.house;
    return {
      time: this.now(),
      markets: venues.size,
      accounts: customers.count,
      orders: desk.customers.size,
      trades: sequences.trades,
    };
  }

  close(): Promise<void> {
    return this.house.store.close();
  }

  private venue(market: string): Venue {
    const venue = this.house.venues.get(market);
    if (venue === undefined) throw new Refusal('unknownMarket', market.slice(0, 40));
    return venue;
  }

  /** What concerns a customer is written at once, also when nobody waits for it. */
  private scheduleCommit(): void {
    this.house.store.commitWithin(this.house.desk.touched ? 0 : IDLE_COMMIT);
    this.house.desk.touched = false;
  }
}
