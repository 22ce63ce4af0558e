import type { CandleType } from '../candles.js';
import type { Clock } from '../clock.js';
import type { Account, Secrets } from '../desk/accounts.js';
import type { Venue } from '../desk/desk.js';
import type { OrderList, OrderRef } from '../desk/order-file.js';
import type {
  CandleQuery,
  Depth,
  Exchange,
  ExchangeStatus,
  MarginBalance,
  MarginMove,
  OrderRecord,
  OrderRequest,
  PublicTrade,
  Ticker,
} from '../exchange.js';
import type { NewAddress } from '../funds/address-book.js';
import type { Funds } from '../funds/funds.js';
import type { DepositRequest } from '../funds/treasury.js';
import { leaving } from '../funds/withdrawals.js';
import { COINS } from '../markets/coins.js';
import { coinText, type MarketRules } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import { DepthView } from './depth-view.js';
import type { House } from './house.js';
import { type ExchangeAdministration, LivingAdministration } from './living-administration.js';
import { LivingFunds } from './living-funds.js';
import { LivingMargin } from './living-margin.js';
import { candlesOf, DayWindow, mergeStep, recordOf, tickerOf, tradeOf } from './views.js';

/** How long what only concerns the crowd may wait for a commit. Repeating its steps gives the same again. */
const IDLE_COMMIT = 2_000;

/** "Orders are cancelled one minute after the call", by the exchange's clock. */
const CANCEL_DELAY = 60_000;

/** The exchange as its callers see it: decimal text outside, ticks, lots and units inside. */
export class LivingExchange implements Exchange {
  readonly genesis: Secrets;
  readonly coins = COINS;
  readonly markets: ReadonlyMap<string, MarketRules>;
  readonly funds: Funds;
  readonly administration: ExchangeAdministration;
  private readonly margin: LivingMargin;
  private readonly depths: ReadonlyMap<string, DepthView>;
  private readonly days: ReadonlyMap<string, DayWindow>;
  private readonly now: () => number;

  constructor(
    private readonly house: House,
    clock: Clock,
  ) {
    this.now = clock.now;
    const genesis = house.customers.genesis();
    if (genesis === undefined) throw new Error('the exchange has no first account');
    const { accessKey, secretKey, safePwd, username } = genesis;
    this.genesis = { accessKey, secretKey, safePwd, username };
    this.markets = new Map([...house.venues].map(([name, { market }]) => [name, market]));
    this.funds = new LivingFunds(house, clock.now, () => this.commitNow());
    this.administration = new LivingAdministration(house, clock, () => this.commitNow());
    this.margin = new LivingMargin(house, clock.now);
    this.depths = new Map([...house.venues].map(([name, venue]) => [name, new DepthView(venue)]));
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
    return this.house.customers.byAccessKey(accessKey);
  }

  balances({ id }: Account): { coin: string; available: string; frozen: string }[] {
    const { ledger } = this.house;
    return [...COINS.keys()].map((coin) => ({
      coin,
      available: coinText(coin, ledger.available(id, coin)),
      frozen: coinText(coin, ledger.frozen(id, coin) + ledger.available(leaving(id), coin)),
    }));
  }

  place(account: Account, request: OrderRequest): string {
    const venue = this.venue(request.market);
    const { side, type, clientId, account: kind, borrow, repay } = request;
    const price = venue.market.ticks(request.price);
    const amount = venue.market.lots(request.amount);
    venue.market.checkNotional(price, amount);
    const order = this.house.desk.place(
      venue,
      { account: account.id, side, type, price, amount, clientId, kind, borrow, repay },
      this.now(),
    );
    this.scheduleCommit();
    return String(order.id);
  }

  cancel(account: Account, market: string, ref: OrderRef): OrderRecord {
    const venue = this.venue(market);
    const found = this.house.orders.find(account.id, market, ref);
    const order = this.house.orders.open.get(found.id);
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
    { list = 'all', page, pageSize }: { list?: OrderList; page: number; pageSize: number },
  ): OrderRecord[] {
    return this.house.orders.page(account.id, this.venue(market).market.market, list, page, pageSize).map(recordOf);
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
    this.house.timedCancels.set({ account: account.id, market: this.venue(market).market.market, time });
    this.house.store.commitWithin(0);
    return time;
  }

  deposit(account: Account, request: DepositRequest): string {
    const { id } = this.house.treasury.deposit(account.id, request, this.now());
    this.commitNow();
    return String(id);
  }

  verifyAddress(account: Account, address: NewAddress): void {
    this.house.treasury.addresses.verify(account.id, address);
    this.commitNow();
  }

  obtainAddress(account: Account, coin: string): void {
    this.house.treasury.addresses.obtain(account.id, coin);
    this.commitNow();
  }

  endWithdrawal(account: Account, coin: string, id: string, end: 'failed' | 'cancelled'): void {
    if (!/^\d{1,19}$/.test(id)) throw new Refusal('noRecord', id.slice(0, 40));
    const status = end === 'failed' ? 1 : 3;
    this.house.treasury.withdrawals.end(account.id, coin, BigInt(id), status, this.now());
    this.commitNow();
  }

  get isFailing(): boolean {
    return this.house.store.isFailing;
  }

  durable(): Promise<void> {
    return this.house.store.durable();
  }

  status(): ExchangeStatus {
    const { venues, customers, orders, sequences } = this.house;
    return {
      time: this.now(),
      markets: venues.size,
      accounts: customers.count,
      orders: orders.open.size,
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

  private commitNow(): void {
    this.house.desk.touched = true;
    this.scheduleCommit();
  }

  /** What concerns a customer is written at once, also when nobody waits for it. */
  private scheduleCommit(): void {
    this.house.store.commitWithin(this.house.desk.touched ? 0 : IDLE_COMMIT);
    this.house.desk.touched = false;
  }
}
