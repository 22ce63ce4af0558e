import type { Aged } from '../../domain/aged.js';
import type { Depth, Ticker, Trade } from '../../domain/market-data.js';
import type {
  Channel,
  ChannelData,
  ChannelKind,
  ChannelOf,
  ExchangeStream,
  IsUnmovedBy,
  OrderUpdate,
  StreamEvent,
} from '../../exchange/exchange.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import type { VirtualClock } from './virtual-clock.js';

/** Levels of a book on each side: more than a step of an algo order needs. */
const LEVELS = 5;
/** So many trades are known of a market. */
const TRADES = 50;
const MOST_ORDERS = 1_000;

type ServedChannel =
  | ChannelOf<'depth'>
  | ChannelOf<'trades'>
  | ChannelOf<'ticker'>
  | (ChannelOf<'orders'> & { readonly market: string });

/** Whether a channel is served from what the exchange knows, without frames. */
function isServed(channel: Channel): channel is ServedChannel {
  if (channel.kind === 'orders') return channel.market !== undefined;
  return channel.kind === 'depth' || channel.kind === 'trades' || channel.kind === 'ticker';
}

/**
 * The streams of a rehearsed command: what the exchange shows, in the values that feeds have, without a socket and its frames. What was
 * pushed is always current, because the exchange is in this process.
 */
export class ServedStreams {
  readonly #sandbox: PrivateSandbox;
  readonly #clock: VirtualClock;
  readonly #latencyMs: number;
  readonly #streams = new Set<ServedStream>();

  /** @param latencyMs how much later than it happens something is pushed */
  constructor(sandbox: PrivateSandbox, clock: VirtualClock, latencyMs: number) {
    this.#sandbox = sandbox;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  /** A stream of these channels; undefined if one of them is only polled. @param waiting runs each wait for an event */
  open(
    channels: readonly Channel[],
    signal: AbortSignal | undefined,
    waiting: Waiting = (work) => work(),
  ): ExchangeStream | undefined {
    if (!channels.every(isServed)) return undefined;
    const stream = new ServedStream(channels, this.#sandbox, this.#clock, waiting);
    this.#streams.add(stream);
    signal?.addEventListener('abort', () => void stream.close(), { once: true });
    return stream;
  }

  /** Whether there are subscribers. */
  get isUsed(): boolean {
    return this.#streams.size > 0;
  }

  /** Pushes what has changed, after an event of the tape or a request. Returns whether a reader has something to do at once. */
  push(): boolean {
    let isShown = false;
    for (const stream of this.#streams) {
      if (stream.state === 'closed') {
        this.#streams.delete(stream);
        continue;
      }
      if (this.#latencyMs === 0 && stream.skips()) continue;
      const changes = stream.take();
      if (changes.length === 0) continue;
      if (this.#latencyMs > 0) void this.#clock.sleep(this.#latencyMs).then(() => stream.show(changes));
      else {
        stream.show(changes);
        isShown = true;
      }
    }
    return isShown;
  }
}

/** Runs a wait, so that it can be counted. */
type Waiting = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** What is new in a channel. */
interface Change {
  readonly channel: ServedChannel;
  readonly value: ChannelData[ChannelKind];
}

/** What is known of a channel. */
interface Known {
  readonly value: ChannelData[ChannelKind];
  readonly time: number | null;
  readonly received: number;
}

class ServedStream implements ExchangeStream {
  readonly #sandbox: PrivateSandbox;
  readonly #clock: VirtualClock;
  readonly #waiting: Waiting;
  readonly #channels: readonly ServedChannel[];
  /** What was seen last, to find what has changed. */
  readonly #seen = new Map<ServedChannel, number>();
  /** The newest trade that was taken, by market. */
  readonly #newest = new Map<string, bigint>();
  readonly #known: Readonly<Record<ServedChannel['kind'], Map<string, Known>>> = {
    depth: new Map(),
    trades: new Map(),
    ticker: new Map(),
    orders: new Map(),
  };
  readonly #queue: StreamEvent[] = [];
  /** What its reader need not be told of, by market. */
  readonly #unmoved = new Map<string, IsUnmovedBy>();
  /** When something was skipped last, by market, until it is read. */
  readonly #skippedAt = new Map<string, number>();
  #wake: (() => void) | undefined;
  #isClosed = false;

  readonly latencyMs = null;
  readonly unreadable = 0;

  constructor(channels: readonly ServedChannel[], sandbox: PrivateSandbox, clock: VirtualClock, waiting: Waiting) {
    this.#waiting = waiting;
    this.#channels = channels;
    this.#sandbox = sandbox;
    this.#clock = clock;

    this.show(
      channels.map((channel) => {
        this.#seen.set(channel, this.#revisionOf(channel));
        return this.#changeOf(channel, 0);
      }),
      true,
    );
  }

  get state(): 'connected' | 'closed' {
    return this.#isClosed ? 'closed' : 'connected';
  }

  of<Kind extends ChannelKind>({ kind, ...of }: ChannelOf<Kind>): Aged<ChannelData[Kind]> | undefined {
    if (kind !== 'depth' && kind !== 'trades' && kind !== 'ticker' && kind !== 'orders') return undefined;
    this.#readSkipped();
    const known = 'market' in of ? this.#known[kind].get(String(of.market)) : undefined;
    if (known === undefined) return undefined;
    const { value, time, received } = known;
    return {
      value: value as ChannelData[Kind],
      time,
      received,
      ageMs: 0,
      provenMs: 0,
      isCurrent: true,
      source: 'stream',
    };
  }

  skipWhile(market: string, isUnmovedBy: IsUnmovedBy): void {
    this.#unmoved.set(market, isUnmovedBy);
  }

  /** Skips what has changed, if that is nothing of the orders and changes nothing for the reader. Returns whether nothing is left. */
  skips(): boolean {
    let changed: string | undefined;
    for (const channel of this.#channels) {
      if (this.#revisionOf(channel) === this.#seen.get(channel)) continue;
      // an event of the tape moves one market
      if (channel.kind === 'orders' || (changed !== undefined && channel.market !== changed)) return false;
      changed = channel.market;
    }
    if (changed === undefined) return true;
    const market = changed;
    const { market: markets } = this.#sandbox.exchange;
    const traded = () => markets.tradedPrices(market, this.#newest.get(market));
    if (this.#unmoved.get(market)?.(markets.best(market), traded) !== true) return false;
    for (const channel of this.#channels)
      if (channel.market === market) this.#seen.set(channel, this.#revisionOf(channel));
    const newest = markets.newestTradeId(market);
    if (newest !== undefined) this.#newest.set(market, newest);
    this.#skippedAt.set(market, this.#clock.now());
    return true;
  }

  /** Reads what was skipped, as it was when something was skipped last. */
  #readSkipped(): void {
    if (this.#skippedAt.size === 0) return;
    for (const channel of this.#channels) {
      const { kind, market } = channel;
      const received = this.#skippedAt.get(market);
      if (received === undefined || kind === 'orders') continue;
      const known = this.#known[kind];
      if (kind === 'trades') known.set(market, { value: this.#skippedTrades(market), time: null, received });
      else if (kind === 'depth')
        known.set(market, { value: { ...this.#depth(market), time: received }, time: received, received });
      else known.set(market, { value: { ...this.#ticker(market), time: received }, time: received, received });
    }
    this.#skippedAt.clear();
  }

  /** The latest trades, up to the newest that was taken or skipped. */
  #skippedTrades(market: string): readonly Trade[] {
    const newest = this.#newest.get(market) ?? 0n;
    const trades = this.#sandbox.exchange.market.trades(market).filter(({ id }) => BigInt(id) <= newest);
    return trades.map(withoutOrder);
  }

  /** What has changed since the last call. */
  take(): readonly Change[] {
    this.#readSkipped();
    const changes: Change[] = [];
    for (const channel of this.#channels) {
      const revision = this.#revisionOf(channel);
      const seen = this.#seen.get(channel) ?? 0;
      if (revision === seen) continue;
      this.#seen.set(channel, revision);
      changes.push(this.#changeOf(channel, seen));
    }
    return changes;
  }

  /** Takes what is pushed. @param isOpening whether each channel is reported, even if one event would do for two */
  show(changes: readonly Change[], isOpening = false): void {
    if (this.#isClosed || changes.length === 0) return;
    const received = this.#clock.now();
    const hasTrades = !isOpening && changes.some(({ channel }) => channel.kind === 'trades');
    for (const { channel, value } of changes) {
      const { kind, market } = channel;
      const time = kind === 'depth' || kind === 'ticker' ? received : null;
      const known = this.#known[kind];
      known.set(market, { value: merged(kind, known.get(market)?.value, value), time, received });
      // who reads the trades finds the book as it is: one decision is made from both
      if (kind === 'depth' && hasTrades) continue;
      const terms = { type: 'data', source: 'push', since: null, scope: 'delta', skipped: 0, raw: null } as const;
      this.#queue.push({ ...terms, channel, time, received, data: value } as StreamEvent);
    }
    this.#wake?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.length = 0;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<StreamEvent>> {
    for (;;) {
      const event = this.#queue.shift();
      if (event !== undefined) return { done: false, value: event };
      if (this.#isClosed) return { done: true, value: undefined };
      await this.#waiting(
        () =>
          new Promise<void>((resolve) => {
            this.#wake = resolve;
          }),
      );
    }
  }

  /** Changes whenever the channel has something new. */
  #revisionOf({ kind, market }: ServedChannel): number {
    if (kind === 'depth') return this.#sandbox.bookRevision(market);
    if (kind === 'trades') return this.#sandbox.tradesRevision(market);
    if (kind === 'orders') return this.#sandbox.ordersRevision(market);
    return Math.max(this.#sandbox.bookRevision(market), this.#sandbox.tradesRevision(market));
  }

  #changeOf(channel: ServedChannel, seen: number): Change {
    const { kind, market } = channel;
    if (kind === 'trades') return { channel, value: this.#trades(market) };
    if (kind === 'orders') return { channel, value: this.#sandbox.ordersSince(market, seen) };
    if (kind === 'depth') return { channel, value: this.#depth(market) };
    return { channel, value: this.#ticker(market) };
  }

  #ticker(market: string): Ticker & { readonly time: number | null } {
    return this.#sandbox.exchange.market.ticker(market);
  }

  #depth(market: string): Depth {
    const { time, bids, asks } = this.#sandbox.exchange.market.depth(market, { size: LEVELS });
    return { time, bids: bids.map(levelOf), asks: asks.map(levelOf) };
  }

  /** The trades after the last that was taken; at the beginning the newest. */
  #trades(market: string): readonly Trade[] {
    const after = this.#newest.get(market);
    const trades = this.#sandbox.exchange.market.trades(market, after === undefined ? undefined : String(after));
    const newest = trades.at(-1);
    if (newest !== undefined) this.#newest.set(market, BigInt(newest.id));
    return trades.map(withoutOrder);
  }
}

function withoutOrder(trade: Omit<Trade, 'orderSide'>): Trade {
  return { ...trade, orderSide: null };
}

function levelOf([price, amount]: readonly [price: string, amount: string]) {
  return { price, amount };
}

/** The state after a change: of trades the newest, of orders the newest state of each. */
function merged(
  kind: ServedChannel['kind'],
  before: ChannelData[ChannelKind] | undefined,
  change: ChannelData[ChannelKind],
): ChannelData[ChannelKind] {
  if (kind === 'depth' || kind === 'ticker' || before === undefined) return change;
  if (kind === 'orders') {
    const orders = new Map((before as OrderUpdate[]).map((order) => [order.id, order]));
    for (const order of change as OrderUpdate[]) orders.set(order.id, order);
    return [...orders.values()].slice(-MOST_ORDERS);
  }
  const trades = before as Trade[];
  trades.push(...(change as Trade[]));
  // rarely, because it moves all that are left
  if (trades.length > 2 * TRADES) trades.splice(0, trades.length - TRADES);
  return trades;
}
