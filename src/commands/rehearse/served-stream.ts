import type { Aged } from '../../domain/aged.js';
import type { Trade } from '../../domain/market-data.js';
import type {
  Channel,
  ChannelData,
  ChannelKind,
  ChannelOf,
  ExchangeStream,
  OrderUpdate,
  StreamEvent,
} from '../../exchange/exchange.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import type { VirtualClock } from './virtual-clock.js';

/** Levels of a book on each side, as the streams of the sandbox have without a length. */
const LEVELS = 20;
/** So many trades are known of a market. */
const TRADES = 50;

type ServedChannel = ChannelOf<'depth'> | ChannelOf<'trades'> | (ChannelOf<'orders'> & { readonly market: string });

/** Whether a channel is served from what the exchange knows, without frames. */
function isServed(channel: Channel): channel is ServedChannel {
  if (channel.kind === 'orders') return channel.market !== undefined;
  return channel.kind === 'depth' || channel.kind === 'trades';
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

  /** A stream of these channels; undefined if one of them is only polled. */
  open(channels: readonly Channel[], signal: AbortSignal | undefined): ExchangeStream | undefined {
    if (!channels.every(isServed)) return undefined;
    const stream = new ServedStream(channels, this.#sandbox, this.#clock);
    this.#streams.add(stream);
    signal?.addEventListener('abort', () => void stream.close(), { once: true });
    return stream;
  }

  /** Whether somebody listens. */
  get isUsed(): boolean {
    return this.#streams.size > 0;
  }

  /** Pushes what has changed, after an event of the tape or a request. */
  push(): void {
    for (const stream of this.#streams) {
      if (stream.state === 'closed') this.#streams.delete(stream);
      else if (stream.notice()) this.#deliver(stream);
    }
  }

  #deliver(stream: ServedStream): void {
    const events = stream.take();
    if (this.#latencyMs === 0) stream.show(events);
    else void this.#clock.sleep(this.#latencyMs).then(() => stream.show(events));
  }
}

/** What is known of a market, or of the account's orders in it. */
interface Shown {
  readonly channel: ServedChannel;
  readonly value: ChannelData[ChannelKind];
}

class ServedStream implements ExchangeStream {
  readonly #sandbox: PrivateSandbox;
  readonly #clock: VirtualClock;
  readonly #channels: readonly ServedChannel[];
  /** By kind and market: what was seen last, to find what has changed. */
  readonly #seen = new Map<ServedChannel, number>();
  /** The newest trade that was taken, by market. */
  readonly #newest = new Map<string, string>();
  readonly #values = new Map<string, { value: unknown; time: number | null; received: number }>();
  readonly #queue: StreamEvent[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  readonly latencyMs = null;
  readonly unreadable = 0;

  constructor(channels: readonly ServedChannel[], sandbox: PrivateSandbox, clock: VirtualClock) {
    this.#channels = channels;
    this.#sandbox = sandbox;
    this.#clock = clock;

    const opening = channels.map((channel) => this.#opening(channel));
    this.show(opening);
  }

  get state(): 'connected' | 'closed' {
    return this.#isClosed ? 'closed' : 'connected';
  }

  of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): Aged<ChannelData[Kind]> | undefined {
    const { kind, market } = { market: '', ...channel };
    const known = this.#values.get(`${kind}:${market}`);
    if (known === undefined) return undefined;
    const value = known.value as ChannelData[Kind];
    return { value, time: known.time, received: known.received, ageMs: 0, isCurrent: true, source: 'stream' };
  }

  /** Whether anything of its channels has changed since the last call. */
  notice(): boolean {
    return this.#channels.some((channel) => this.#revisionOf(channel) !== this.#seen.get(channel));
  }

  /** What has changed. */
  take(): readonly Shown[] {
    return this.#channels.flatMap((channel) => {
      const revision = this.#revisionOf(channel);
      const seen = this.#seen.get(channel) ?? 0;
      if (revision === seen) return [];
      this.#seen.set(channel, revision);
      return [this.#changeOf(channel, seen)];
    });
  }

  /** Takes what is pushed. */
  show(changes: readonly Shown[]): void {
    if (this.#isClosed) return;
    const received = this.#clock.now();
    for (const { channel, value } of changes) {
      const { kind, market } = channel;
      const key = `${kind}:${market}`;
      const time = kind === 'depth' ? received : null;
      this.#values.set(key, { value: merged(kind, this.#values.get(key)?.value, value), time, received });
      const event = { type: 'data', channel, time, received, source: 'push', since: null, scope: 'delta' };
      this.#queue.push({ ...event, data: value, skipped: 0, raw: null } as StreamEvent);
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
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #opening(channel: ServedChannel): Shown {
    this.#seen.set(channel, this.#revisionOf(channel));
    return this.#changeOf(channel, 0);
  }

  /** Changes whenever the channel has something new. */
  #revisionOf({ kind, market }: ServedChannel): number {
    if (kind === 'depth') return this.#sandbox.bookRevision(market);
    if (kind === 'trades') return this.#sandbox.tradesRevision(market);
    return this.#sandbox.ordersRevision(market);
  }

  #changeOf(channel: ServedChannel, seen: number): Shown {
    const { kind, market } = channel;
    if (kind === 'trades') return { channel, value: this.#trades(market) };
    if (kind === 'orders') return { channel, value: this.#sandbox.ordersSince(market, seen) };
    const { time, bids, asks } = this.#sandbox.exchange.market.depth(market, { size: LEVELS });
    const levels = (side: typeof bids) => side.map(([price, amount]) => ({ price, amount }));
    return { channel, value: { time, bids: levels(bids), asks: levels(asks) } };
  }

  /** The trades after the last that was taken; at the beginning the newest. */
  #trades(market: string): readonly Trade[] {
    const trades = this.#sandbox.exchange.market.trades(market, this.#newest.get(market));
    const newest = trades.at(-1);
    if (newest !== undefined) this.#newest.set(market, newest.id);
    return trades.map((trade) => ({ ...trade, orderSide: null }));
  }
}

/** The state after a change: of trades the newest, of orders the newest state of each. */
function merged(kind: ServedChannel['kind'], before: unknown, change: unknown): unknown {
  if (kind === 'depth' || before === undefined) return change;
  if (kind === 'trades') return [...(before as Trade[]), ...(change as Trade[])].slice(-TRADES);
  const orders = new Map((before as OrderUpdate[]).map((order) => [order.id, order]));
  for (const order of change as OrderUpdate[]) orders.set(order.id, order);
  return [...orders.values()].slice(-1_000);
}
