import type { BestPrices } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import { compareIds, type Depth, type Trade } from '../../../domain/market-data.js';
import { Failure } from '../../../errors.js';
import {
  type AnyDataEvent,
  type Channel,
  type Exchange,
  type ExchangeStream,
  isKind,
  isOpen,
  type OrderUpdate,
} from '../../../exchange/exchange.js';
import { backoffMs } from '../../../platform/backoff.js';
import type { Host } from '../../../platform/host.js';
import type { BookView } from '../../preview/market-view.js';
import { type AlgoBook, bestOfOthers } from '../plan/algo-market.js';
import { type Gap, type GapPrices, readGapPrices } from './gap-prices.js';

/** Who is told what comes. */
interface MarketReader {
  /** Something has come: the book, trades, or the end of a gap. */
  changed(): void;
  /** Whether a book with these prices, and trades beside it, change nothing: then it need not be told of them. */
  isUnmovedBy(best: BestPrices): boolean;
  /** Trades that were not known before. */
  traded(trades: readonly Trade[]): void;
  /** Own orders that are new or have changed. */
  orders(orders: readonly OrderUpdate[]): void;
  /** The market is seen again; {@link gapRead} follows. */
  gapEnded(gap: Gap): void;
  /** What traded in a gap is known, as far as anything shows it. */
  gapRead(prices: GapPrices): void;
}

export interface WatchedMarketOptions {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'sleep'>;
  readonly market: string;
  /** Reads over HTTP, with a time of its own. */
  readonly client: Exchange;
  readonly restartBudget: () => void;
  /** Follows channels, over HTTP while there is no stream. */
  readonly follow: (channels: readonly Channel[], signal: AbortSignal) => Promise<ExchangeStream>;
  /** Older data are no longer fresh, in milliseconds. */
  readonly staleAfterMs: number;
  /** Called before what came is used: after a sleep it has to {@link WatchedMarket.resynchronise} first. */
  readonly checkAwake: () => void;
  readonly warn: (message: string) => void;
}

/** How much of the book is read: more than a step of an algo order needs. */
const LEVELS = 20;
/** A quiet book is read again at this share of the age at which it would be stale. */
const REFRESH_SHARE = 0.5;
/** After a read that failed, and after a stream that failed, in milliseconds. */
const PAUSE_MS = 1_000;
/** How often it is tried to read what traded in a gap, with pauses in milliseconds. */
const GAP_TRIES = 6;
const GAP_PAUSES_MS = { first: 500, longest: 5_000 };

/** A book and when it came, on the monotonic clock. */
interface Seen<Value> {
  readonly value: Value;
  readonly at: number;
}

/** What is known of one market now: its book, its trades and the account's orders in it, each with its age. */
export class WatchedMarket {
  readonly #options: WatchedMarketOptions;

  readonly #readers = new Set<MarketReader>();
  #ending = new AbortController();
  #stream: ExchangeStream | undefined;
  /** What was read over HTTP because nothing was pushed. */
  #read: Seen<Depth> | undefined;
  #readTrades: Seen<readonly Trade[]> | undefined;
  #newestPush: readonly Trade[] = [];
  /** The best prices of a book, with the own orders that were left out. */
  #best: { of: Depth; orders: readonly OrderUpdate[] | undefined; prices: Omit<AlgoBook, 'ageMs'> } | undefined;
  #isReading = false;
  #isRefreshDue = false;
  #nextRead = 0;
  /** The last moment at which the book was fresh, by three clocks; undefined before the first. */
  #fresh:
    | { readonly at: number; readonly wall: number; readonly exchange: number; readonly tradeId: string | null }
    | undefined;
  /** The newest trade that has come. */
  #newestTrade: string | null = null;
  #isResynchronising = false;
  /** The time of the newest book that was ever seen, by the exchange's clock. */
  #newestBook = 0;
  /** The last time of the exchange that it has shown; undefined before the first. */
  #knownTime: number | undefined;
  needsTrades = false;

  constructor(options: WatchedMarketOptions) {
    this.#options = options;
  }

  get staleAfterMs(): number {
    return this.#options.staleAfterMs;
  }

  get name(): string {
    return this.#options.market;
  }

  add(reader: MarketReader): void {
    this.#readers.add(reader);
  }

  remove(reader: MarketReader): void {
    this.#readers.delete(reader);
  }

  get isUsed(): boolean {
    return this.#readers.size > 0;
  }

  start(): void {
    void this.#follow(this.#ending);
    void this.#readBook();
  }

  close(): void {
    this.#ending.abort();
  }

  /**
   * Forgets what is known and connects again: after a sleep, what still comes over the old connection may be of the time before.
   */
  resynchronise(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    [this.#stream, this.#read, this.#readTrades, this.#newestPush] = [undefined, undefined, undefined, []];
    this.#isResynchronising = true;
    this.start();
  }

  /**
   * The clock of the market-data host, which dates books too: one that runs faster than this machine's shows there. Until that host has
   * answered, and again after this machine's clock was set, only books show the time: this machine's may be hours off.
   */
  now(): number {
    const { client } = this.#options;
    this.#newestBook = Math.max(this.#newestBook, this.#book()?.value.time ?? 0);
    if (client.isMarketTimeKnown) this.#knownTime = client.marketNow();
    const known = Math.max(this.#knownTime ?? 0, this.#newestBook);
    return known === 0 ? client.now() : known;
  }

  /** The newest book with its age; null before the first. @param own the account's open orders in the market */
  book(): AlgoBook | null {
    const seen = this.#book();
    if (seen === undefined) return null;
    const orders = this.#stream?.of({ kind: 'orders', market: this.name })?.value;
    // each algo order of the market asks for it
    if (this.#best?.of !== seen.value || this.#best.orders !== orders)
      this.#best = { of: seen.value, orders, prices: this.#bestPrices(seen.value) };
    return { ...this.#best.prices, ageMs: this.#ageOf(seen) };
  }

  #bestPrices({ bids, asks }: Depth): Omit<AlgoBook, 'ageMs'> {
    const mine = this.ownOpen;
    const ofSide = (side: 'buy' | 'sell') =>
      mine
        .filter((order) => order.side === side)
        .map(({ price, amount, filled }) => ({
          price: Decimal.of(price),
          remaining: Decimal.of(amount).minus(Decimal.of(filled)),
        }));
    return {
      bid: bestOfOthers(bids, []),
      ask: bestOfOthers(asks, []),
      othersBid: bestOfOthers(bids, ofSide('buy')),
      othersAsk: bestOfOthers(asks, ofSide('sell')),
    };
  }

  /** The account's open orders in the market, as the exchange has pushed or listed them. */
  get ownOpen(): readonly OrderUpdate[] {
    return this.#stream?.of({ kind: 'orders', market: this.name })?.value.filter(isOpen) ?? [];
  }

  /** An own order as the exchange has pushed or listed it; undefined if it did not. */
  ownOrder(id: string | null): OrderUpdate | undefined {
    return this.#stream?.of({ kind: 'orders', market: this.name })?.value.find((order) => order.id === id);
  }

  /** The book as orders are compared with it; undefined if none is fresh. */
  bookView(): BookView | undefined {
    const seen = this.#book();
    return seen === undefined || !this.isFresh ? undefined : { ...seen.value, last: null };
  }

  /** The book as guards compare orders with it, or why there is none that is fresh. */
  async readBookView(): Promise<BookView | Failure> {
    const view = this.bookView();
    if (view !== undefined) return view;
    try {
      this.#options.restartBudget();
      const depth = await this.#options.client.depth({ market: this.name, size: LEVELS });
      return { bids: depth.bids, asks: depth.asks, last: null };
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  /** Whether the book was ever fresh. */
  get wasSeen(): boolean {
    return this.#fresh !== undefined;
  }

  /** Whether the book is fresh enough to act upon. */
  get isFresh(): boolean {
    const seen = this.#book();
    return seen !== undefined && this.#ageOf(seen) <= this.#options.staleAfterMs;
  }

  /** The trades that came together last: of what a gap brought, only the newest counts. The age is that of the channel. */
  lastTrades(): { readonly prices: readonly Decimal[]; readonly ageMs: number } | null {
    const streamed = this.#stream?.of({ kind: 'trades', market: this.name });
    const read = this.#readTrades;
    const { monotonic } = this.#options.host;
    const readAge = read === undefined ? Number.POSITIVE_INFINITY : monotonic() - read.at;
    const [pushed, polled] = [streamed?.value.at(-1), read?.value.at(-1)];
    const isPolledNewer = pushed === undefined || (polled !== undefined && compareIds(polled.id, pushed.id) > 0);
    const newest = isPolledNewer ? polled : pushed;
    if (newest === undefined) return null;
    // a push that was held up on its way is of the past
    const isPushed = this.#newestPush.some(({ id }) => id === newest.id);
    const trades = isPushed ? this.#newestPush : [newest];
    return {
      prices: trades.map(({ price }) => Decimal.of(price)),
      ageMs: Math.min(streamed?.ageMs ?? Number.POSITIVE_INFINITY, readAge),
    };
  }

  /** Reads the book and the trades soon, although they are not old. */
  refresh(): void {
    this.#isRefreshDue = true;
  }

  /** Called often: reads what is about to become stale. */
  tick(): void {
    const { host, staleAfterMs } = this.#options;
    const seen = this.#book();
    const age = seen === undefined ? Number.POSITIVE_INFINITY : this.#ageOf(seen);
    const tradesAge = this.needsTrades ? (this.lastTrades()?.ageMs ?? Number.POSITIVE_INFINITY) : 0;
    if (!this.#isRefreshDue && Math.max(age, tradesAge) < staleAfterMs * REFRESH_SHARE) return;
    if (!this.#isReading && host.monotonic() >= this.#nextRead) void this.#readBook();
  }

  #book(): Seen<Depth> | undefined {
    const streamed = this.#stream?.of({ kind: 'depth', market: this.name });
    const { monotonic } = this.#options.host;
    const pushed = streamed && { value: streamed.value, at: monotonic() - streamed.ageMs };
    if (pushed === undefined || this.#read === undefined) return pushed ?? this.#read;
    return pushed.at >= this.#read.at ? pushed : this.#read;
  }

  /**
   * By this machine's clock. What was held up on its way has the age that the exchange gives it: as it dates a book with whole seconds, that
   * is up to a second more.
   */
  #ageOf({ value, at }: Seen<Depth>): number {
    const { host, client } = this.#options;
    const dated = value.time === null ? 0 : (client.marketNow() - value.time) / client.clockSpeed;
    return Math.max(host.monotonic() - at, dated);
  }

  async #follow(ending: AbortController): Promise<void> {
    const { follow, market, host, warn } = this.#options;
    const channels = [
      { kind: 'depth', market },
      { kind: 'trades', market },
      { kind: 'orders', market },
    ] as const;
    let said = '';
    while (!ending.signal.aborted) {
      try {
        const stream = await follow(channels, ending.signal);
        if (ending.signal.aborted) return void stream.close();
        this.#stream = stream;
        stream.skipWhile?.(market, (best) => this.#isUnmovedBy(best));
        for await (const event of stream) {
          // what came while this process slept is handed over before any timer fires
          this.#options.checkAwake();
          if (ending.signal.aborted) break;
          if (event.type === 'data') this.#take(event);
          if (event.type === 'refused')
            warn(`The exchange rejected the stream of ${market}: ${event.message}. pit polls.`);
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.message !== said) warn(`${market} cannot be followed: ${error.message}`);
        said = error.message;
      }
      await host.sleep(PAUSE_MS, ending.signal);
    }
  }

  #take(event: AnyDataEvent): void {
    if (isKind(event, 'orders')) for (const reader of this.#readers) reader.orders(event.data);
    if (isKind(event, 'trades')) {
      this.#newestPush = event.source === 'push' ? event.data : event.data.slice(-1);
      this.#noteNewest(event.data);
      for (const reader of this.#readers) reader.traded(event.data);
    }
    if (isKind(event, 'depth')) this.#sawBook();
    const best = isKind(event, 'orders') ? null : this.book();
    for (const reader of [...this.#readers]) if (best === null || !reader.isUnmovedBy(best)) reader.changed();
  }

  #noteNewest(trades: readonly Trade[]): void {
    for (const { id } of trades)
      if (this.#newestTrade === null || compareIds(id, this.#newestTrade) > 0) this.#newestTrade = id;
  }

  #changed(): void {
    for (const reader of [...this.#readers]) reader.changed();
  }

  #isUnmovedBy(best: BestPrices): boolean {
    return [...this.#readers].every((reader) => reader.isUnmovedBy(best));
  }

  async #readBook(): Promise<void> {
    const { host, client, restartBudget, market } = this.#options;
    const { signal } = this.#ending;
    [this.#isReading, this.#isRefreshDue] = [true, false];
    try {
      const at = host.monotonic();
      restartBudget();
      const [depth, trades] = await Promise.all([
        client.depth({ market, size: LEVELS }),
        this.needsTrades ? client.trades(market) : undefined,
      ]);
      if (signal.aborted) return;
      this.#read = { value: depth, at };
      if (trades !== undefined) this.#readTrades = { value: trades, at };
      this.#noteNewest(trades ?? []);
      this.#nextRead = 0;
      this.#sawBook();
      this.#changed();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#nextRead = host.monotonic() + PAUSE_MS;
    } finally {
      this.#isReading = false;
    }
  }

  /** A book has come: if the last one was stale by then, a gap has ended. */
  #sawBook(): void {
    if (!this.isFresh) return;
    const { host, staleAfterMs } = this.#options;
    const now = { at: host.monotonic(), wall: host.now(), exchange: this.now(), tradeId: this.#newestTrade };
    const before = this.#fresh;
    this.#fresh = now;
    const wasResynchronising = this.#isResynchronising;
    this.#isResynchronising = false;
    if (before === undefined) return;
    const unseenMs = Math.max(now.at - before.at, now.wall - before.wall);
    if (unseenMs <= staleAfterMs && !wasResynchronising) return;
    this.reportGap({ from: before.exchange, to: now.exchange }, [...this.#readers], before.tradeId);
  }

  /**
   * Tells the readers of a gap, and reads what was traded in it: only then it is closed for them.
   * @param after the newest trade that was known before it; null if none was
   */
  reportGap(gap: Gap, readers: readonly MarketReader[], after: string | null = null): void {
    for (const reader of readers) reader.gapEnded(gap);
    void this.#readGap(gap, readers, after);
  }

  async #readGap(gap: Gap, readers: readonly MarketReader[], after: string | null): Promise<void> {
    const { client, market, restartBudget, warn, host } = this.#options;
    let prices: GapPrices = { gap, traded: [], unknown: gap };
    for (let tries = 1; ; tries += 1) {
      try {
        restartBudget();
        const pushed = this.#stream?.of({ kind: 'trades', market })?.value ?? [];
        prices = await readGapPrices(client, market, gap, after, pushed);
        break;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (tries === GAP_TRIES) {
          const since = new Date(gap.from).toISOString();
          warn(
            `The prices of ${market} since ${since} could not be read, so a crossing may be missing: ${error.message}`,
          );
          break;
        }
        await host.sleep(backoffMs(tries - 1, GAP_PAUSES_MS));
      }
    }
    for (const reader of readers) reader.gapRead(prices);
    this.#changed();
  }
}
