import * as v from 'valibot';
import { CANDLE_MS } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Trade } from '../../domain/market-data.js';
import type { Order, Side } from '../../domain/order.js';
import { readCandles } from '../candles.js';
import { type ChannelName, channels, subscription, wireName } from '../channels/index.js';
import type { ExchangeClient } from '../exchange-client.js';
import { type OrderPages, PAGE_SIZE, readOrderPages } from '../growing-pages.js';
import type { ChannelData, ChannelKind, ChannelOf, OrderUpdate } from './events.js';

/** What a channel needs besides its own frames. */
export interface FeedContext {
  readonly client: ExchangeClient;
  /** The clock that gaps are dated with, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The markets whose orders belong to the channel of all orders, besides those that were pushed. */
  readonly orderMarkets: () => Promise<readonly string[]>;
  /** Finds a market by its name without underscore. */
  readonly marketNamed: (joined: string) => string | undefined;
}

/** What a frame says. */
export interface Pushed<Kind extends ChannelKind = ChannelKind> {
  readonly data: ChannelData[Kind];
  readonly time: number | null;
}

/** What HTTP says. */
export interface Recovered<Kind extends ChannelKind = ChannelKind> extends Pushed<Kind> {
  readonly scope: 'delta' | 'snapshot';
  /** What is still missing; null if nothing is. */
  readonly missing: string | null;
  /** Called when it is passed on. */
  readonly passed?: () => void;
}

/** How a kind of channel is read, from frames and over HTTP. */
export interface Feed<Kind extends ChannelKind = ChannelKind> {
  readonly channel: ChannelOf<Kind>;
  /** The channel's name on the wire, and the message that subscribes. */
  readonly wire: string;
  readonly message: Readonly<Record<string, string>>;
  /** A single push tells everything, so it closes a gap. */
  readonly isSnapshot: boolean;
  /** Whether HTTP can tell what was missed. */
  readonly isReadable: boolean;
  /** Undefined for a frame that belongs to another channel of the same name. Throws {@link Unreadable}. */
  decode(frame: unknown): Pushed<Kind> | undefined;
  /** What is new in it. */
  accept(pushed: Pushed<Kind>): Pushed<Kind>;
  /**
   * Reads what is needed to be complete. It goes through {@link accept} when it is passed on.
   * @param from since when something may be missing, in milliseconds since the Unix epoch; null for all of the time
   * @throws Failure as any read
   */
  read(from: number | null): Promise<Recovered<Kind>>;
  /** Forgets what was passed on, because the reader could not take it: the next read tells everything. */
  forget(): void;
}

/** A frame that is not what its channel sends. Nothing of the frame is in the message. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export function feedOf(channel: ChannelOf<ChannelKind>, context: FeedContext): Feed {
  switch (channel.kind) {
    case 'ticker':
      return new TickerFeed(channel, context);
    case 'depth':
      return new DepthFeed(channel, context);
    case 'trades':
      return new TradesFeed(channel, context) as unknown as Feed;
    case 'kline':
      return new KlineFeed(channel, context) as unknown as Feed;
    case 'orders':
      return new OrdersFeed(channel, context) as unknown as Feed;
    case 'balances':
      return new BalancesFeed(channel, context) as unknown as Feed;
    case 'crossBalances':
      return new CrossBalancesFeed(channel, context) as unknown as Feed;
  }
}

abstract class OneFeed<Kind extends ChannelKind, Name extends ChannelName> {
  readonly isSnapshot: boolean = false;
  readonly isReadable: boolean = true;
  readonly wire: string;
  readonly message: Readonly<Record<string, string>>;

  constructor(
    readonly channel: ChannelOf<Kind>,
    protected readonly context: FeedContext,
    private readonly name: Name,
    private readonly request: Parameters<(typeof channels)[Name]['encode']>[0],
  ) {
    const values = (channels[name].encode as (request: unknown) => Readonly<Record<string, string | undefined>>)(
      request,
    );
    this.wire = wireName(name, values);
    this.message = subscription(name, values);
  }

  protected parsed(frame: unknown): ReturnType<(typeof channels)[Name]['decode']> {
    const { frame: schema, decode } = channels[this.name];
    const parsed = v.safeParse(schema as v.GenericSchema, frame, { abortEarly: true });
    if (!parsed.success) throw new Unreadable(`a frame of ${this.wire} was not what the channel sends`);
    return (decode as (frame: unknown, request: unknown) => never)(parsed.output, this.request);
  }

  accept(pushed: Pushed<Kind>): Pushed<Kind> {
    return pushed;
  }

  forget(): void {}
}

class TickerFeed extends OneFeed<'ticker', 'ticker'> implements Feed<'ticker'> {
  override readonly isSnapshot = true;

  constructor(channel: ChannelOf<'ticker'>, context: FeedContext) {
    super(channel, context, 'ticker', { market: channel.market });
  }

  decode(frame: unknown): Pushed<'ticker'> {
    const data = this.parsed(frame);
    return { data, time: data.time };
  }

  async read(): Promise<Recovered<'ticker'>> {
    const data = await this.context.client.ticker(this.channel.market);
    return { data, time: data.time, scope: 'snapshot', missing: null };
  }
}

/** As many levels as are pushed. */
const LEVELS = 50;

class DepthFeed extends OneFeed<'depth', 'depth'> implements Feed<'depth'> {
  override readonly isSnapshot = true;

  constructor(channel: ChannelOf<'depth'>, context: FeedContext) {
    super(channel, context, 'depth', { market: channel.market });
  }

  decode(frame: unknown): Pushed<'depth'> {
    const data = this.parsed(frame);
    return { data, time: data.time };
  }

  async read(): Promise<Recovered<'depth'>> {
    const data = await this.context.client.depth(this.channel.market, LEVELS);
    return { data, time: data.time, scope: 'snapshot', missing: null };
  }
}

/** "50 after the trade with the id": fewer are the last ones. */
const TRADES_PAGE = 50;
/** 10,000 trades; a longer gap is not filled. */
const MAX_TRADE_PAGES = 200;
/** So many of the latest trades are known, so that none comes twice. */
const KNOWN_TRADES = 5_000;

class TradesFeed extends OneFeed<'trades', 'trades'> implements Feed<'trades'> {
  readonly #known = new Set<bigint>();
  #last: bigint | undefined;

  constructor(channel: ChannelOf<'trades'>, context: FeedContext) {
    super(channel, context, 'trades', { market: channel.market });
  }

  decode(frame: unknown): Pushed<'trades'> {
    return timed(this.parsed(frame));
  }

  override accept({ data }: Pushed<'trades'>): Pushed<'trades'> {
    return timed(data.filter(({ id }) => this.#isNew(BigInt(id))));
  }

  async read(): Promise<Recovered<'trades'>> {
    const { client } = this.context;
    const { market } = this.channel;
    if (this.#last === undefined) return { ...timed(await client.trades(market)), scope: 'snapshot', missing: null };
    let last = this.#last;
    const found: Trade[] = [];
    for (let page = 1; page <= MAX_TRADE_PAGES; page += 1) {
      const rows = await client.trades(market, String(last));
      found.push(...rows);
      const newest = newestOf(rows, last);
      if (rows.length < TRADES_PAGE || newest === last) return { ...timed(found), scope: 'delta', missing: null };
      last = newest;
    }
    const missing = `more than ${MAX_TRADE_PAGES * TRADES_PAGE} trades were missed`;
    return { ...timed(found), scope: 'delta', missing };
  }

  #isNew(id: bigint): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    if (this.#last === undefined || id > this.#last) this.#last = id;
    if (this.#known.size > KNOWN_TRADES) for (const oldest of this.#known) return this.#known.delete(oldest);
    return true;
  }
}

function newestOf(trades: readonly Trade[], last: bigint): bigint {
  let newest = last;
  for (const { id } of trades) if (BigInt(id) > newest) newest = BigInt(id);
  return newest;
}

function timed(trades: readonly Trade[]): Pushed<'trades'> {
  return { data: trades, time: trades.at(-1)?.time ?? null };
}

/** How many candles a channel begins with. */
const FIRST_CANDLES = 100;

class KlineFeed extends OneFeed<'kline', 'kline'> implements Feed<'kline'> {
  #last: number | undefined;

  constructor(channel: ChannelOf<'kline'>, context: FeedContext) {
    super(channel, context, 'kline', { market: channel.market, type: channel.type });
  }

  decode(frame: unknown): Pushed<'kline'> {
    return { data: this.parsed(frame), time: null };
  }

  override accept(pushed: Pushed<'kline'>): Pushed<'kline'> {
    const last = pushed.data.at(-1);
    if (last !== undefined) this.#last = Math.max(last.time, this.#last ?? 0);
    return pushed;
  }

  /** From the last candle that was seen, which may have changed since. */
  async read(): Promise<Recovered<'kline'>> {
    const { client } = this.context;
    const { market, type } = this.channel;
    const since = this.#last;
    const until = client.now() + CANDLE_MS[type];
    const size = since === undefined ? FIRST_CANDLES : undefined;
    const { candles, failure } = await readCandles(client, { market, type, since, until, size });
    const scope = since === undefined ? 'snapshot' : 'delta';
    return { data: candles, time: null, scope, missing: failure === null ? null : failure.message };
  }

  override forget(): void {
    this.#last = undefined;
  }
}

/** An order as it was passed on. */
interface KnownOrder {
  readonly market: string;
  readonly side: Side;
  readonly isOpen: boolean;
  readonly filled: string;
  readonly time: number;
}

/** The two clocks may differ by this much more than is known. */
const CLOCK_SLACK_MS = 60_000;
/** 1,000 orders a side. Older open orders are followed once they change. */
const MAX_ORDER_PAGES = 100;
const OLDER_ORDERS = `open orders beyond the latest ${MAX_ORDER_PAGES * PAGE_SIZE} of a side were not read`;
/** So many open orders are looked up one by one rather than in further pages. */
const FEW = 10;
/** So many orders that ended are known, so that a late push does not open them again. */
const KNOWN_ENDED = 10_000;

/**
 * Orders by their ids. A gap is filled from the first pages of the list, which hold all orders that were placed since, and
 * for those that were open before it, from further pages or one by one.
 */
class OrdersFeed extends OneFeed<'orders', 'push_user_incr_record'> implements Feed<'orders'> {
  readonly #open = new Map<string, KnownOrder>();
  readonly #ended = new Map<string, KnownOrder>();
  /** The markets whose open orders are known. */
  readonly #read = new Set<string>();

  constructor(channel: ChannelOf<'orders'>, context: FeedContext) {
    const { market } = channel;
    super(channel, context, 'push_user_incr_record', { market, marketNamed: context.marketNamed });
  }

  decode(frame: unknown): Pushed<'orders'> | undefined {
    const data = this.parsed(frame);
    const { market } = this.channel;
    const isOther = market !== undefined && data.some((order) => order.market !== market);
    return isOther ? undefined : { data, time: null };
  }

  override accept({ data }: Pushed<'orders'>): Pushed<'orders'> {
    const fresh = data.filter((order) => !this.#isOlder(order));
    for (const order of fresh) this.#keep(order);
    return { data: fresh, time: null };
  }

  async read(from: number | null): Promise<Recovered<'orders'>> {
    const { client, now, orderMarkets } = this.context;
    const { market } = this.channel;
    const known = [...this.#open.values()].map((order) => order.market);
    const markets = market === undefined ? [...new Set([...(await orderMarkets()), ...known])] : [market];
    const since = from === null ? null : client.now() - (now() - from) - CLOCK_SLACK_MS;
    const orders: Order[] = [];
    const missing: string[] = [];
    for (const one of markets) {
      const part =
        since === null || !this.#read.has(one) ? await this.#readAll(one) : await this.#readSince(one, since);
      orders.push(...part.orders);
      if (part.more) missing.push(one);
    }
    const data = orders.filter((order) => this.#isNews(order, since)).map(asUpdate);
    return {
      data,
      time: null,
      scope: since === null && missing.length === 0 ? 'snapshot' : 'delta',
      missing: missing.length === 0 ? null : `${OLDER_ORDERS} (${missing.join(', ')})`,
      passed: () => {
        for (const one of markets) this.#read.add(one);
      },
    };
  }

  override forget(): void {
    this.#read.clear();
    this.#open.clear();
  }

  async #readAll(market: string): Promise<{ readonly orders: readonly Order[]; readonly more: boolean }> {
    const extent = { from: 1, to: MAX_ORDER_PAGES };
    const read = (side: Side) => readOrderPages(this.context.client, market, side, extent).then(whole);
    const [buys, sells] = await Promise.all([read('buy'), read('sell')]);
    return { orders: [...buys.records, ...sells.records], more: buys.more || sells.more };
  }

  async #readSince(
    market: string,
    since: number,
  ): Promise<{ readonly orders: readonly Order[]; readonly more: boolean }> {
    const sides = [this.#readSide(market, 'buy', since), this.#readSide(market, 'sell', since)];
    const [buys, sells] = await Promise.all(sides);
    return {
      orders: [...(buys?.orders ?? []), ...(sells?.orders ?? [])],
      more: buys?.more === true || sells?.more === true,
    };
  }

  async #readSide(market: string, side: Side, since: number) {
    const { client } = this.context;
    const found = new Map<string, Order>();
    const read = async (from: number, pages: number, until: number) => {
      const extent = { from, to: from + pages - 1 };
      const { records, more } = await readOrderPages(client, market, side, extent, ({ time }) => time < until).then(
        whole,
      );
      for (const record of records) found.set(record.id, record);
      return more && (records.at(-1)?.time ?? 0) >= until;
    };
    const more = await read(1, MAX_ORDER_PAGES, since);
    const unseen = () =>
      [...this.#open].filter(([id, order]) => order.market === market && order.side === side && !found.has(id));
    const left = unseen();
    if (left.length > FEW) {
      const oldest = left.reduce((least, [, { time }]) => Math.min(least, time), Number.POSITIVE_INFINITY);
      await read(Math.ceil(found.size / PAGE_SIZE) + 1, Math.ceil(left.length / 2), oldest);
    }
    for (const [id] of unseen()) {
      const order = await client.findOrder(market, { id });
      // the exchange does not know it any more, so nothing more will come of it
      if (order === undefined) this.#open.delete(id);
      else found.set(id, order);
    }
    return { orders: [...found.values()], more };
  }

  /** Whether a list shows something of an order that was not passed on. Those that ended before are history. */
  #isNews({ id, state, filled, time }: Order, since: number | null): boolean {
    const known = this.#open.get(id) ?? this.#ended.get(id);
    if (known === undefined) return state === 'open' || (since !== null && time >= since);
    if (since === null && state === 'open') return true;
    return known.isOpen !== (state === 'open') || Decimal.of(known.filled).compare(Decimal.of(filled)) !== 0;
  }

  /** Whether it says less than is known: an order that has ended stays so, and what is filled stays filled. */
  #isOlder({ id, state, filled }: Order): boolean {
    const known = this.#open.get(id) ?? this.#ended.get(id);
    if (known === undefined) return false;
    if (!known.isOpen && state === 'open') return true;
    return known.filled !== filled && Decimal.of(filled).compare(Decimal.of(known.filled)) < 0;
  }

  #keep({ id, market, side, state, filled, time }: Order): void {
    const isOpen = state === 'open';
    const order = { market, side, isOpen, time, filled: own(filled) };
    if (isOpen) this.#open.set(this.#open.has(id) ? id : own(id), order);
    else {
      this.#open.delete(id);
      this.#ended.set(own(id), order);
      if (this.#ended.size > KNOWN_ENDED) {
        const [oldest] = this.#ended.keys();
        if (oldest !== undefined) this.#ended.delete(oldest);
      }
    }
  }
}

/** Throws why some of the pages could not be read. */
function whole(pages: OrderPages): OrderPages {
  if (pages.failure !== null) throw pages.failure;
  return pages;
}

/** A text of its own: a part of a frame would keep the whole frame in memory. */
function own(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'latin1').toString('latin1');
}

function asUpdate(order: Order): OrderUpdate {
  return { ...order, lastTrade: null };
}

class BalancesFeed extends OneFeed<'balances', 'push_user_incr_asset'> implements Feed<'balances'> {
  constructor(channel: ChannelOf<'balances'>, context: FeedContext) {
    super(channel, context, 'push_user_incr_asset', {});
  }

  decode(frame: unknown): Pushed<'balances'> {
    return { data: this.parsed(frame), time: null };
  }

  async read(): Promise<Recovered<'balances'>> {
    const { coins } = await this.context.client.account();
    return { data: coins, time: null, scope: 'snapshot', missing: null };
  }
}

class CrossBalancesFeed extends OneFeed<'crossBalances', 'push_user_cross_asset'> implements Feed<'crossBalances'> {
  override readonly isReadable = false;

  constructor(channel: ChannelOf<'crossBalances'>, context: FeedContext) {
    super(channel, context, 'push_user_cross_asset', {});
  }

  decode(frame: unknown): Pushed<'crossBalances'> {
    return { data: this.parsed(frame), time: null };
  }

  /** The interface has no operation that shows these balances. */
  async read(): Promise<Recovered<'crossBalances'>> {
    throw new Error('cross margin balances cannot be read over HTTP');
  }
}
