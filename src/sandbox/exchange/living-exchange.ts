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
import { withdrawing } from '../funds/withdrawals.js';
import { COINS } from '../markets/coins.js';
import { coinText, type MarketRules } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import { DepthView } from './depth-view.js';
import type { ExchangeState } from './house.js';
import { AdminService, type ExchangeAdmin } from './living-administration.js';
import { FundsService } from './living-funds.js';
import { MarginService } from './living-margin.js';
import { candlesOf, DayWindow, mergeStep, recordOf, tickerOf, tradeOf } from './views.js';

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
