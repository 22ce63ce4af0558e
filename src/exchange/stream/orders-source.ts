import { Decimal } from '../../domain/decimal.js';
import type { Order, Side } from '../../domain/order.js';
import { ORDERS_PER_PAGE } from '../facts.js';
import { type OrderPages, readOrderPages } from '../order-pages.js';
import { BaseSource, type ChannelSource, type HttpData, type PushedData, type SourceContext } from './base-source.js';
import type { ChannelOf, OrderUpdate } from './events.js';

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
/** At the start, 200 orders of a side are read. Older open orders are followed once they change. */
const FIRST_PAGES = 20;
/** After a gap, as many as it takes, up to 1,000 orders a side. */
const GAP_PAGES = 100;
/** So many open orders are looked up one by one rather than in further pages. */
const MAX_SINGLE_LOOKUPS = 10;
/** So many orders that ended are known, so that a late push does not open them again. */
const KNOWN_ENDED = 10_000;

/** What was read of the orders of a market. */
interface ReadOrders {
  readonly market: string;
  readonly orders: readonly Order[];
  /** The sides with older orders that were not read. */
  readonly more: readonly Side[];
}

interface FoundOrders {
  /** The markets that were read completely, and those with more to read. */
  readonly whole: readonly ReadOrders[];
  readonly partlyRead: readonly ReadOrders[];
  readonly since: number | null;
  readonly scope: HttpData['scope'];
}

/**
 * Orders by their ids. The newest page of each side is passed on first, then the open orders of older pages. A gap is filled
 * from the first pages of the list, which hold all orders that were placed since, and for those that were open before it, from
 * further pages or one by one.
 */
export class OrdersSource extends BaseSource<'orders', 'push_user_incr_record'> implements ChannelSource<'orders'> {
  readonly #open = new Map<string, KnownOrder & { readonly update: OrderUpdate }>();
  readonly #ended = new Map<string, KnownOrder>();
  /** The ids of orders that were listed or passed on as open since the last read began: others may have ended. */
  #recent = new Set<string>();
  /** The markets whose open orders are known. */
  readonly #read = new Set<string>();

  constructor(channel: ChannelOf<'orders'>, context: SourceContext) {
    const { market } = channel;
    super(channel, context, 'push_user_incr_record', { market, marketNamed: context.marketNamed });
  }

  decode(frame: unknown): PushedData<'orders'> | undefined {
    const { market: pushed } = frame as { readonly market?: unknown };
    const plain = typeof pushed === 'string' ? { market: this.context.protocol.pushedMarket(pushed) } : {};
    const data = this.parsed({ ...(frame as object), ...plain });
    const { market } = this.channel;
    const isOther = market !== undefined && data.some((order) => order.market !== market);
    return isOther ? undefined : { data, time: null };
  }

  override deduplicate({ data }: PushedData<'orders'>): PushedData<'orders'> {
    const fresh = data.filter((order) => !this.#isOlder(order));
    for (const order of fresh) this.#keep(order);
    return { data: fresh, time: null };
  }

  async read(from: number | null): Promise<HttpData<'orders'>> {
    const { client, now, orderMarkets } = this.context;
    const { market } = this.channel;
    const openMarkets = [...this.#open.values()].map((order) => order.market);
    const markets = market === undefined ? [...new Set([...(await orderMarkets()), ...openMarkets])] : [market];
    const since = from === null ? null : client.now() - (now() - from) - CLOCK_SLACK_MS;
    this.#recent = new Set();
    const [whole, partlyRead]: [ReadOrders[], ReadOrders[]] = [[], []];
    for (const one of markets) {
      if (since !== null && this.#read.has(one)) whole.push(await this.#readSince(one, since));
      else {
        const newest = await this.#readPages(one, ['buy', 'sell'], 1, 1);
        (newest.more.length > 0 ? partlyRead : whole).push(newest);
      }
    }
    const listed = [...whole, ...partlyRead].flatMap(({ orders }) => orders);
    for (const { id, state } of listed) if (state === 'open') this.#recent.add(id);
    const found = this.#found({
      whole,
      partlyRead,
      since,
      scope: since === null && partlyRead.length === 0 ? 'snapshot' : 'delta',
    });
    return {
      ...found,
      data: since === null ? [...found.data, ...(await this.#readNamed())] : found.data,
      unrecoverable: olderOrders(whole, GAP_PAGES),
      readRemaining: partlyRead.length === 0 ? undefined : () => this.#readRest(partlyRead),
    };
  }

  hasMissed({ data }: HttpData<'orders'>): boolean {
    return data.some(({ id, state, filled }) => {
      const before = this.#open.get(id) ?? this.#ended.get(id);
      if (before === undefined || (before.isOpen && state !== 'open')) return true;
      return Decimal.of(filled).compare(Decimal.of(before.filled)) > 0;
    });
  }

  override forget(): void {
    this.#read.clear();
    this.#open.clear();
  }

  /** The order that the channel's reader has named, in whatever state it is. */
  async #readNamed(): Promise<readonly OrderUpdate[]> {
    const { market, order } = this.channel;
    const found = market && order && (await this.context.client.findOrder(market, order));
    return found ? [asUpdate(found)] : [];
  }

  /** The pages after the first. Orders that were placed meanwhile have only pushed others to later pages. */
  async #readRest(begun: readonly ReadOrders[]): Promise<HttpData<'orders'>> {
    const whole: ReadOrders[] = [];
    for (const { market, more } of begun) whole.push(await this.#readPages(market, more, 2, FIRST_PAGES));
    const unrecoverable = olderOrders(whole, FIRST_PAGES);
    const scope = unrecoverable === null ? 'snapshot' : 'delta';
    const found = this.#found({ whole, partlyRead: [], since: null, scope });
    const named = new Set(found.data.map(({ id }) => id));
    const isStillOpen = (id: string) => this.#recent.has(id) && !named.has(id);
    const others = [...this.#open].filter(([id]) => isStillOpen(id)).map(([, { update }]) => update);
    return { ...found, data: [...found.data, ...others], unrecoverable };
  }

  #found({ whole, partlyRead, since, scope }: FoundOrders) {
    const orders = [...whole, ...partlyRead].flatMap((one) => one.orders);
    return {
      data: orders.filter((order) => this.#hasChanged(order, since)).map(asUpdate),
      ...{ time: null, scope },
      onDelivered: () => {
        for (const { market } of whole) this.#read.add(market);
        // they ended before: another read shows them again
        for (const order of orders)
          if (order.state !== 'open' && !this.#ended.has(order.id) && !this.#open.has(order.id)) this.#keep(order);
      },
    };
  }

  async #readPages(market: string, sides: readonly Side[], from: number, to: number): Promise<ReadOrders> {
    const { client } = this.context;
    const pages = await Promise.all(
      sides.map((side) => readOrderPages(client, market, side, { from, to }).then(whole)),
    );
    const more = sides.filter((_, index) => pages[index]?.more === true);
    return { market, orders: pages.flatMap(({ orders }) => orders), more };
  }

  async #readSince(market: string, since: number): Promise<ReadOrders> {
    const sides = ['buy', 'sell'] as const;
    const pages = await Promise.all(sides.map((side) => this.#readSide(market, side, since)));
    const more = sides.filter((_, index) => pages[index]?.more === true);
    return { market, orders: pages.flatMap(({ orders }) => orders), more };
  }

  async #readSide(market: string, side: Side, since: number) {
    const { client } = this.context;
    const found = new Map<string, Order>();
    const read = async (from: number, pages: number, until: number) => {
      const extent = { from, to: from + pages - 1 };
      const { orders, more } = await readOrderPages(client, market, side, extent, ({ time }) => time < until).then(
        whole,
      );
      for (const order of orders) found.set(order.id, order);
      return more && (orders.at(-1)?.time ?? 0) >= until;
    };
    const more = await read(1, GAP_PAGES, since);
    const unseen = () =>
      [...this.#open].filter(([id, order]) => order.market === market && order.side === side && !found.has(id));
    const left = unseen();
    if (left.length > MAX_SINGLE_LOOKUPS) {
      const oldest = left.reduce((least, [, { time }]) => Math.min(least, time), Number.POSITIVE_INFINITY);
      await read(Math.ceil(found.size / ORDERS_PER_PAGE) + 1, Math.ceil(left.length / 2), oldest);
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
  #hasChanged({ id, state, filled, time }: Order, since: number | null): boolean {
    const before = this.#open.get(id) ?? this.#ended.get(id);
    if (before === undefined) return state === 'open' || (since !== null && time >= since);
    if (since === null && state === 'open') return true;
    return before.isOpen !== (state === 'open') || Decimal.of(before.filled).compare(Decimal.of(filled)) !== 0;
  }

  /** Whether it says less than is known: an order that has ended stays so, and what is filled stays filled. */
  #isOlder({ id, state, filled }: Order): boolean {
    const before = this.#open.get(id) ?? this.#ended.get(id);
    if (before === undefined) return false;
    if (!before.isOpen && state === 'open') return true;
    return before.filled !== filled && Decimal.of(filled).compare(Decimal.of(before.filled)) < 0;
  }

  #keep(update: Order): void {
    const { id, market, side, state, filled, time } = update;
    const isOpen = state === 'open';
    const order = { market, side, isOpen, time, filled: ownText(filled) };
    if (isOpen) this.#recent.add(id);
    if (isOpen) this.#open.set(this.#open.has(id) ? id : ownText(id), { ...order, update: asUpdate(update) });
    else {
      this.#open.delete(id);
      this.#ended.set(ownText(id), order);
      if (this.#ended.size > KNOWN_ENDED) {
        const [oldest] = this.#ended.keys();
        if (oldest !== undefined) this.#ended.delete(oldest);
      }
    }
  }
}

/** Which open orders may be missing because not all pages were read; null for none. */
function olderOrders(read: readonly ReadOrders[], pages: number): string | null {
  const markets = read.filter(({ more }) => more.length > 0).map(({ market }) => market);
  if (markets.length === 0) return null;
  return `open orders beyond the latest ${pages * ORDERS_PER_PAGE} of a side were not read (${markets.join(', ')})`;
}

/** Throws why some of the pages could not be read. */
function whole(pages: OrderPages): OrderPages {
  if (pages.failure !== null) throw pages.failure;
  return pages;
}

/** A text of its own: a part of a frame would keep the whole frame in memory. */
export function ownText(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'latin1').toString('latin1');
}

function asUpdate(order: Order | OrderUpdate): OrderUpdate {
  return { ...order, lastTrade: 'lastTrade' in order ? order.lastTrade : null };
}
