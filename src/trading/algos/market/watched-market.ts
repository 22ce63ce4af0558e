import type { Depth } from '../../../domain/market-data.js';
import { type Failure, failureOnly } from '../../../errors.js';
import {
  type AnyDataEvent,
  type Channel,
  type DataEvent,
  type Exchange,
  isKind,
  type OrderUpdate,
} from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';
import type { BookView } from '../../preview/market-view.js';
import type { AlgoBook } from '../plan/algo-market.js';
import { BestOfOthers } from './best-of-others.js';
import type { Gap } from './gap-prices.js';
import { MarketClock } from './market-clock.js';
import { MarketGaps } from './market-gaps.js';
import { type MarketReader, MarketReaders } from './market-readers.js';
import { type LastTrades, MarketStream, type MarketStreamOptions, type Seen } from './market-stream.js';

export interface WatchedMarketOptions extends Pick<MarketStreamOptions, 'market' | 'follow' | 'warn'> {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'sleep'>;
  /** Reads over HTTP, with a time of its own. */
  readonly client: Exchange;
  readonly restartBudget: () => void;
  /** Older data are no longer fresh, in milliseconds. */
  readonly staleAfterMs: number;
  /** Called before what came is used: after a sleep it has to {@link WatchedMarket.resynchronise} first. */
  readonly checkAwake: () => void;
}

/** A quiet book is read again at this share of the age at which it would be stale. */
const REFRESH_SHARE = 0.5;
/** How much of the book guards read: more than an order needs. */
const LEVELS = 20;

/** What is known of one market now: its book, its trades and the account's orders in it, each with its age. */
export class WatchedMarket {
  readonly #options: WatchedMarketOptions;

  readonly #readers = new MarketReaders();
  #stream: MarketStream;
  /** While a book is taken that was pushed: the stream may know a newer one, which is taken next. */
  #taken: Seen<Depth> | undefined;
  /** When the last book that was taken was pushed, by the exchange's clock. */
  #pushedAt: number | undefined;
  readonly #best = new BestOfOthers();
  readonly #gaps: MarketGaps;
  readonly #clock: MarketClock;
  needsTrades = false;
  /** What was pushed or read before this time is too old, on the monotonic clock. */
  #wantedSince = Number.NEGATIVE_INFINITY;

  constructor(options: WatchedMarketOptions) {
    this.#options = options;
    this.#stream = this.#newStream();
    this.#gaps = new MarketGaps({
      ...options,
      pushed: () => this.#stream.trades,
      changed: () => this.#readers.changed(),
    });
    this.#clock = new MarketClock(options.client);
  }

  get staleAfterMs(): number {
    return this.#options.staleAfterMs;
  }

  get name(): string {
    return this.#options.market;
  }

  /** @param unseen since when the reader knows nothing of the market, by the exchange's clock; a shorter time than `leastMs` is no gap */
  add(reader: MarketReader, unseen?: { readonly since: number; readonly leastMs: number }): void {
    this.#readers.add(reader);
    if (unseen === undefined) return;
    this.#gaps.join(reader, unseen);
    if (this.isFresh) this.#gaps.reportUnseen(this.now());
  }

  remove(reader: MarketReader): void {
    this.#readers.remove(reader);
    this.#gaps.leave(reader);
  }

  get isUsed(): boolean {
    return this.#readers.all.length > 0;
  }

  start(): void {
    void this.#stream.run();
  }

  close(): void {
    this.#stream.end();
  }

  /**
   * Forgets what is known and connects again: after a sleep, what still comes over the old connection may be of the time before.
   */
  resynchronise(): void {
    this.close();
    this.#stream = this.#newStream();
    this.#gaps.interrupt();
    this.start();
  }

  /** What time it is by the clock of the market-data host, in milliseconds since the Unix epoch. */
  now(): number {
    return this.#clock.now(this.#book()?.value);
  }

  /** The newest book with its age; null before the first. */
  book(): AlgoBook | null {
    const seen = this.#book();
    if (seen === undefined) return null;
    return { ...this.#best.of(seen.value, this.#stream.orders?.value), ageMs: this.#ageOf(seen) };
  }

  /** An own order as the exchange has pushed or listed it; undefined if it did not. */
  ownOrder(id: string | null): OrderUpdate | undefined {
    return this.#stream.orders?.value.find((order) => order.id === id);
  }

  /** The book as orders are compared with it; undefined if none is fresh. */
  bookView(): BookView | undefined {
    const seen = this.#book();
    return seen === undefined || !this.isFresh ? undefined : { ...seen.value, last: null };
  }

  /** The book as guards compare orders with it, read beside all other reads if none is fresh, or why it cannot be. */
  async readBookView(): Promise<BookView | Failure> {
    const known = this.bookView();
    if (known !== undefined) return known;
    const { client, market, restartBudget } = this.#options;
    restartBudget();
    return client.depth({ market, size: LEVELS }).then(({ bids, asks }) => ({ bids, asks, last: null }), failureOnly);
  }

  /** Until when each book was seen that was pushed, by the exchange's clock, but for gaps that were reported; undefined before the first. */
  get seenUntil(): number | undefined {
    const { freshUntil } = this.#gaps;
    return this.#pushedAt === undefined || freshUntil === undefined ? undefined : Math.min(this.#pushedAt, freshUntil);
  }

  /** The gap of a reader that ends with a book which the stream knows, and which is taken next; null if there is none. */
  endingGap(reader: MarketReader): Gap | null {
    return this.isFresh ? this.#gaps.ending(reader, this.now()) : null;
  }

  /** Whether the book was ever fresh. */
  get wasSeen(): boolean {
    return this.#gaps.wasSeen;
  }

  /** Whether the book is fresh enough to act upon. */
  get isFresh(): boolean {
    const seen = this.#book();
    return seen !== undefined && this.#ageOf(seen) <= this.#options.staleAfterMs;
  }

  /** The trades that came together last: of what a gap brought, only the newest counts. The age is that of the channel. */
  lastTrades(): LastTrades | null {
    return this.#stream.lastTrades();
  }

  /** Reads the book and the trades soon, although they are not old. */
  refresh(): void {
    this.#wantedSince = this.#options.host.monotonic();
  }

  /** The oldest that is accepted of a channel: what is about to become stale is read again. */
  #wanted({ kind }: Channel): number | null {
    if (kind !== 'depth' && !(kind === 'trades' && this.needsTrades)) return null;
    const { host, staleAfterMs } = this.#options;
    return Math.max(this.#wantedSince, host.monotonic() - staleAfterMs * REFRESH_SHARE);
  }

  #book(): Seen<Depth> | undefined {
    return this.#taken ?? this.#stream.book;
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

  #take(event: AnyDataEvent): void {
    if (isKind(event, 'depth') && event.source === 'push') this.#taken = this.#seenIn(event);
    try {
      this.#tell(event);
    } finally {
      this.#taken = undefined;
    }
  }

  #seenIn({ data, received }: DataEvent<'depth'>): Seen<Depth> {
    const { monotonic, now } = this.#options.host;
    return { value: data, at: monotonic() - Math.max(0, now() - received) };
  }

  /** HTTP was read: what is known is younger, or the stream is behind. */
  #checked({ kind }: Channel): void {
    if (kind === 'trades') this.#gaps.traded(this.#stream.tradesAhead);
    if (kind === 'depth') this.#sawBook();
    this.#readers.changed();
  }

  #tell(event: AnyDataEvent): void {
    if (isKind(event, 'orders')) this.#readers.orders(event.data);
    if (isKind(event, 'trades')) {
      this.#gaps.traded(event.data);
      this.#readers.traded(event.data);
    }
    if (isKind(event, 'depth')) {
      // what was dropped because this process was too slow is missing since the last push, whatever was read meanwhile
      if (event.skipped > 0) this.#gaps.interrupt(this.#pushedAt);
      if (event.source === 'push') this.#pushedAt = this.#exchangeTimeAt(event.received);
      this.#sawBook();
    }
    this.#readers.changed(isKind(event, 'orders') ? null : this.book());
  }

  #newStream(): MarketStream {
    return new MarketStream({
      ...this.#options,
      isUnmovedBy: (best) => this.#readers.areUnmovedBy(best),
      wantedSince: (channel) => this.#wanted(channel),
      take: (event) => this.#take(event),
      checked: (channel) => this.#checked(channel),
      missed: (since) => this.#gaps.interrupt(this.#exchangeTimeAt(since)),
    });
  }

  /** What the exchange's clock showed at a time of the wall clock. */
  #exchangeTimeAt(wall: number): number {
    const { host, client } = this.#options;
    return this.now() - (host.now() - wall) * client.clockSpeed;
  }

  /** A book has come: if the last one was stale by then, a gap has ended. */
  #sawBook(): void {
    if (this.isFresh) this.#gaps.saw(this.now(), this.#readers.all);
  }
}
