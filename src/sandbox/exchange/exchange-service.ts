import type { AccountType } from '../../domain/words.js';
import type { Account, Secrets } from '../accounts/accounts.js';
import type { Execution, Side } from '../engine/book.js';
import type { NewAddress } from '../funds/addresses.js';
import { type DepositRequest, type Funds, FundsService } from '../funds/funds-service.js';
import { withdrawing } from '../funds/withdrawals.js';
import { MarginService } from '../margin/margin-service.js';
import type { CandleType } from '../markets/candles.js';
import { COINS, type CoinRules } from '../markets/coins.js';
import { coinText, type MarketRules } from '../markets/market.js';
import type { OrderStatus } from '../orders/order.js';
import type { OrderList, OrderRef } from '../orders/order-repository.js';
import type { Venue } from '../orders/order-service.js';
import { Refusal } from '../refusals.js';
import { AdminService, type ExchangeAdmin } from './admin-service.js';
import type { Clock } from './clock.js';
import { ExchangeState, type ReplayGenesis } from './exchange-state.js';
import { candlesOf, DayWindow, DepthView, mergeStep, recordOf, tickerOf, tradeOf } from './market-data.js';

interface ExchangeOptions {
  /** Where the state is kept; made when it is missing. One exchange at a time can have it open. */
  readonly directory: string;
  /** Used when the directory is empty; afterwards the stored one wins. */
  readonly seed: number;
  /** The machine's clock, which the exchange's follows until it is driven: ms since the Unix epoch. */
  readonly now: () => number;
  /** The first account, used when the directory is empty; afterwards the stored one wins. */
  readonly firstAccount: Secrets;
  /** Where it begins, when the directory is empty: in the present when this is left out. */
  readonly replayGenesis?: ReplayGenesis | undefined;
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

export interface CandleQuery {
  /** ms since the Unix epoch, inclusive. */
  readonly since?: number | undefined;
  readonly size: number;
  /** Which rows where there are more than `size`: the latest when it is left out. */
  readonly which?: 'first' | 'latest' | undefined;
}

export interface OrderRequest {
  readonly market: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
  /** The wallet that pays and receives: spot unless told. */
  readonly account?: AccountType | undefined;
  /** Margin: borrow what is missing, within the leverage. */
  readonly borrow?: boolean | undefined;
  /** Margin: repay with what comes in. */
  readonly repay?: boolean | undefined;
}

/** What a margin wallet has and owes of a coin, as decimal texts. */
export interface MarginBalance {
  readonly kind: 'isolated' | 'cross';
  /** Null for the cross wallet. */
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

/** Coins that move between the spot wallet and a margin wallet of the same account. */
export interface MarginMove {
  readonly kind: 'isolated' | 'cross';
  /** Which isolated wallet; without a meaning for the cross wallet. */
  readonly market?: string | undefined;
  readonly coin: string;
  /** Decimal text. */
  readonly amount: string;
}

export interface OrderRecord {
  readonly id: string;
  readonly clientId: string | null;
  readonly account: AccountType;
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
  readonly firstAccount: Secrets;
  readonly markets: ReadonlyMap<string, MarketRules>;
  readonly coins: ReadonlyMap<string, CoinRules>;
  /** Coming and going coins, as the interface serves them. */
  readonly funds: Funds;
  /** What is not part of the interface. */
  readonly admin: ExchangeAdmin;
  /** Lets everything happen that is due by now. */
  advance(): void;
  ticker(market: string): Ticker;
  /** `merge` is a price step: bids are rounded down to it and asks up. */
  depth(market: string, options: { size: number; merge?: string | undefined }): Depth;
  /** At most 50, oldest first: those after an id, or the latest. */
  trades(market: string, afterId?: string): PublicTrade[];
  /** Without gaps, oldest first: the latest `size` of those that do not begin before `since`, or the first. */
  candles(market: string, type: CandleType, query: CandleQuery): ShownCandle[];
  account(accessKey: string): Account | undefined;
  /** Every coin, also those of which the account has none. */
  balances(account: Account): { coin: string; available: string; frozen: string }[];
  /** The order's id. Throws {@link Refusal}, with nothing changed. */
  place(account: Account, request: OrderRequest): string;
  /** Throws {@link Refusal} when there is no such order or it is already final. */
  cancel(account: Account, market: string, ref: OrderRef): OrderRecord;
  order(account: Account, market: string, ref: OrderRef): OrderRecord;
  /** Newest first; pages count from 1. Without a list: all. */
  orders(account: Account, market: string, query: { list?: OrderList; page: number; pageSize: number }): OrderRecord[];
  /** Sees to it that all orders of the account in the market are cancelled a minute from now; gives that time. */
  cancelAllAfter(account: Account, market: string): number;
  /** Announces coins from outside, which are credited after their confirmations. The record's id. Throws {@link Refusal}. */
  deposit(account: Account, request: DepositRequest): string;
  /** Allows withdrawals to an address. Throws {@link Refusal}. */
  verifyAddress(account: Account, address: NewAddress): void;
  /** What a user does on the exchange's website before getUserAddress gives an address. */
  obtainAddress(account: Account, coin: string): void;
  /** Ends a withdrawal before its success, and gives the coins back; a confirmed one can only fail. Throws {@link Refusal}. */
  endWithdrawal(account: Account, coin: string, id: string, end: 'failed' | 'cancelled'): void;
  /** The margin wallets: a row for each wallet and coin of which it has or owes something. */
  marginBalances(account: Account): MarginBalance[];
  /** Throws {@link Refusal} when the spot wallet has less, or for a market, coin or amount that cannot be. */
  moveToMargin(account: Account, move: MarginMove): void;
  /** Throws {@link Refusal} also when what is left would be beyond the wallet's leverage. */
  moveFromMargin(account: Account, move: MarginMove): void;
  /** Whether the disk did not take what happened: that is in memory only, and will not outlive this process. */
  readonly isFailing: boolean;
  /** Resolves when everything that happened before the call survives a kill and the loss of power. Rejects with NotWritten. */
  durable(): Promise<void>;
  status(): ExchangeStatus;
  close(): Promise<void>;
}

/** Opens the exchange of a directory, or founds one there. Rejects with AlreadyOpen when it is open already, with OtherFormat when another version wrote it. */
export async function openExchange(options: ExchangeOptions): Promise<Exchange> {
  const { directory, seed, now, firstAccount, replayGenesis } = options;
  const time = replayGenesis?.time ?? now();
  const state = ExchangeState.open({ directory, seed, time, secrets: firstAccount, replayGenesis });
  const exchange = new ExchangeService(state, state.clock(now));
  try {
    exchange.advance();
    await exchange.durable();
    return exchange;
  } catch (error) {
    await state.store.abandon();
    throw error;
  }
}

/** How long what only concerns the crowd may wait for a commit. Repeating its steps gives the same again. */
const IDLE_COMMIT = 2_000;

/** "Orders are cancelled one minute after the call", by the exchange's clock. */
const CANCEL_DELAY = 60_000;

/** The exchange as its callers see it: decimal text outside, ticks, lots and units inside. */
export class ExchangeService implements Exchange {
  readonly firstAccount: Secrets;
  readonly coins = COINS;
  readonly markets: ReadonlyMap<string, MarketRules>;
  readonly funds: Funds;
  readonly admin: ExchangeAdmin;
  private readonly margin: MarginService;
  private readonly depths: ReadonlyMap<string, DepthView>;
  private readonly days: ReadonlyMap<string, DayWindow>;
  private readonly now: () => number;

  constructor(
    private readonly state: ExchangeState,
    clock: Clock,
  ) {
    this.now = clock.now;
    const firstAccount = state.customers.firstAccount();
    if (firstAccount === undefined) throw new Error('the exchange has no first account');
    const { accessKey, secretKey, safePwd, username } = firstAccount;
    this.firstAccount = { accessKey, secretKey, safePwd, username };
    this.markets = new Map([...state.venues].map(([name, { market }]) => [name, market]));
    this.funds = new FundsService(state, clock.now, () => this.commitNow());
    this.admin = new AdminService(state, clock, () => this.commitNow());
    this.margin = new MarginService(state, clock.now);
    this.depths = new Map([...state.venues].map(([name, venue]) => [name, new DepthView(venue)]));
    this.days = new Map([...state.venues].map(([name, venue]) => [name, new DayWindow(venue)]));
  }

  advance(): void {
    this.state.advance(this.now());
    this.scheduleCommit();
  }

  ticker(market: string): Ticker {
    const [venue, time] = [this.venue(market), this.now()];
    const day = this.days.get(market);
    if (day === undefined) throw new Refusal('unknownMarket', market);
    return tickerOf(venue, day.read(time), time);
  }

  depth(market: string, { size, merge }: { size: number; merge?: string | undefined }): Depth {
    const view = this.depths.get(market);
    if (view === undefined) throw new Refusal('unknownMarket', market.slice(0, 40));
    return { time: this.now(), ...view.read(size, mergeStep(this.venue(market).market, merge)) };
  }

  trades(market: string, afterId?: string): PublicTrade[] {
    const { market: rules, tape } = this.venue(market);
    if (afterId !== undefined && !/^\d{1,19}$/.test(afterId)) throw new Refusal('badParameter', 'since');
    return tape.after(afterId === undefined ? undefined : BigInt(afterId)).map((trade) => tradeOf(rules, trade));
  }

  candles(market: string, type: CandleType, { since, size, which }: CandleQuery) {
    return candlesOf(this.venue(market), type, this.now(), size, since, which);
  }

  account(accessKey: string): Account | undefined {
    return this.state.customers.byAccessKey(accessKey);
  }

  balances({ id }: Account): { coin: string; available: string; frozen: string }[] {
    const { ledger } = this.state;
    return [...COINS.keys()].map((coin) => ({
      coin,
      available: coinText(coin, ledger.available(id, coin)),
      frozen: coinText(coin, ledger.frozen(id, coin) + ledger.available(withdrawing(id), coin)),
    }));
  }

  place(account: Account, request: OrderRequest): string {
    const venue = this.venue(request.market);
    const { side, type, clientId, account: kind, borrow, repay } = request;
    const price = venue.market.ticks(request.price);
    const amount = venue.market.lots(request.amount);
    venue.market.checkNotional(price, amount);
    const order = this.state.orderService.place(
      venue,
      { account: account.id, side, type, price, amount, clientId, kind, borrow, repay },
      this.now(),
    );
    this.scheduleCommit();
    return String(order.id);
  }

  cancel(account: Account, market: string, ref: OrderRef): OrderRecord {
    const venue = this.venue(market);
    const found = this.state.orders.find(account.id, market, ref);
    const order = this.state.orders.open.get(found.id);
    if (order === undefined) throw new Refusal('orderFinal');
    this.state.orderService.cancel(venue, order);
    this.scheduleCommit();
    return recordOf(order);
  }

  order(account: Account, market: string, ref: OrderRef): OrderRecord {
    return recordOf(this.state.orders.find(account.id, this.venue(market).market.market, ref));
  }

  orders(
    account: Account,
    market: string,
    { list = 'all', page, pageSize }: { list?: OrderList; page: number; pageSize: number },
  ): OrderRecord[] {
    return this.state.orders.page(account.id, this.venue(market).market.market, list, page, pageSize).map(recordOf);
  }

  marginBalances({ id }: Account): MarginBalance[] {
    return this.margin.balances(id);
  }

  moveToMargin({ id }: Account, move: MarginMove): void {
    this.margin.fund(id, move);
    this.commitNow();
  }

  moveFromMargin({ id }: Account, move: MarginMove): void {
    this.margin.withdraw(id, move);
    this.commitNow();
  }

  cancelAllAfter(account: Account, market: string): number {
    const time = this.now() + CANCEL_DELAY;
    this.state.timedCancels.set({ account: account.id, market: this.venue(market).market.market, time });
    this.state.store.commitWithin(0);
    return time;
  }

  deposit(account: Account, request: DepositRequest): string {
    const { id } = this.state.treasury.deposit(account.id, request, this.now());
    this.commitNow();
    return String(id);
  }

  verifyAddress(account: Account, address: NewAddress): void {
    this.state.treasury.addresses.verify(account.id, address);
    this.commitNow();
  }

  obtainAddress(account: Account, coin: string): void {
    this.state.treasury.addresses.obtain(account.id, coin);
    this.commitNow();
  }

  endWithdrawal(account: Account, coin: string, id: string, end: 'failed' | 'cancelled'): void {
    if (!/^\d{1,19}$/.test(id)) throw new Refusal('noRecord', id.slice(0, 40));
    const status = end === 'failed' ? 1 : 3;
    this.state.treasury.withdrawals.end(account.id, coin, BigInt(id), status, this.now());
    this.commitNow();
  }

  get isFailing(): boolean {
    return this.state.store.isFailing;
  }

  durable(): Promise<void> {
    return this.state.store.durable();
  }

  status(): ExchangeStatus {
    const { venues, customers, orders, sequences } = this.state;
    return {
      time: this.now(),
      markets: venues.size,
      accounts: customers.count,
      orders: orders.open.size,
      trades: sequences.trades,
    };
  }

  close(): Promise<void> {
    return this.state.store.close();
  }

  private venue(market: string): Venue {
    const venue = this.state.venues.get(market);
    if (venue === undefined) throw new Refusal('unknownMarket', market.slice(0, 40));
    return venue;
  }

  private commitNow(): void {
    this.state.orderService.touched = true;
    this.scheduleCommit();
  }

  /** What concerns a customer is written at once, also when nobody waits for it. */
  private scheduleCommit(): void {
    this.state.store.commitWithin(this.state.orderService.touched ? 0 : IDLE_COMMIT);
    this.state.orderService.touched = false;
  }
}
