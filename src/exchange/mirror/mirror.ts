import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { Budget } from '../budget.js';
import type { ExchangeClient } from '../exchange-client.js';
import {
  type AnyDataEvent,
  type Channel,
  type ChannelData,
  type ChannelKind,
  type ChannelOf,
  channelKey,
  type ExchangeStream,
  type StreamEvent,
} from '../stream/events.js';
import { type Feed, type FeedContext, feedOf, type Recovered } from '../stream/feeds.js';
import { merged } from './merge.js';

interface MirrorOptions extends Partial<Pick<FeedContext, 'orderMarkets' | 'marketNamed'>> {
  readonly host: Pick<Host, 'now' | 'monotonic' | 'sleep'>;
  readonly channels: readonly Channel[];
  /** Returns the client that polls; the signal ends its requests. */
  readonly clientOf: (budget: Budget, signal: AbortSignal) => ExchangeClient;
  /** Opens the stream of these channels. Absent if the exchange has none: everything is polled. */
  readonly open?: ((signal: AbortSignal) => Promise<ExchangeStream>) | undefined;
  /** Takes each event in its order, after the mirror; what was polled comes as data with the source `http`. */
  readonly observe?: ((event: StreamEvent) => void) | undefined;
  /** How long to wait between two polls of a channel, in milliseconds. Absent: by its kind. */
  readonly pollMs?: number | undefined;
}

/** What is known of a channel. */
interface Mirrored<Kind extends ChannelKind = ChannelKind> {
  readonly value: ChannelData[Kind];
  readonly source: 'stream' | 'polling';
  /** When it came, in milliseconds since the Unix epoch: its age. */
  readonly received: number;
  /** The exchange's time; null if it sent none. */
  readonly time: number | null;
  /** Whether nothing is missing: the stream is connected and complete, or the last poll is not long ago. */
  readonly isCurrent: boolean;
}

/** Between two polls: market data change all the time, and K-lines may be asked for once a second by all processes. */
const POLL_MS: Readonly<Record<ChannelKind, number>> = {
  ticker: 2_000,
  depth: 2_000,
  trades: 2_000,
  kline: 10_000,
  orders: 5_000,
  balances: 5_000,
  crossBalances: 5_000,
};
/** How long the stream may take to come back before its channels are polled: most cuts are over by then. */
const PATIENCE_MS = 3_000;
/** The longest that one poll may take. */
const POLL_TIMEOUT_MS = 10_000;
/** How often it is checked which polls are due. */
const TICK_MS = 250;

interface Entry {
  readonly channel: Channel;
  /** Reads the channel over HTTP; the stream has its own. */
  readonly feed: Feed;
  kept: Omit<Mirrored, 'isCurrent'> | undefined;
  /** Whether the stream is connected and nothing of this channel is missing. */
  isStreamed: boolean;
  /** Since when it is not, on the monotonic clock. */
  unstreamedSince: number;
  /** Counts what the stream sent: a poll that it overtook is dropped. */
  pushes: number;
  /** When the last good poll began, on the monotonic clock and by the wall clock; null before the first. */
  polled: { readonly at: number; readonly time: number } | null;
  /** On the monotonic clock. */
  nextPoll: number;
}

/**
 * A market and an account as they are now: the last ticker, the book, the newest trades and candles, the open orders and the
 * balances. They are kept current by the stream, and by polling within the shared limits while there is none.
 */
export class Mirror {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #ending = new AbortController();
  readonly #budget: Budget;
  readonly #running: Promise<unknown>;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly options: MirrorOptions) {
    const { channels, host, open, clientOf, orderMarkets, marketNamed } = options;
    this.#budget = new Budget(POLL_TIMEOUT_MS, host.monotonic);
    const context = {
      client: clientOf(this.#budget, this.#ending.signal),
      now: host.now,
      orderMarkets: orderMarkets ?? (async () => []),
      marketNamed: marketNamed ?? (() => undefined),
    };
    const patience = open === undefined ? 0 : PATIENCE_MS;
    const now = host.monotonic();
    this.#entries = new Map(
      channels.map((channel) => [
        channelKey(channel),
        {
          channel,
          feed: feedOf(channel, context),
          kept: undefined,
          isStreamed: false,
          unstreamedSince: now,
          pushes: 0,
          polled: null,
          nextPoll: now + patience,
        },
      ]),
    );
    this.#running = Promise.all([this.#follow(), this.#pollWhatIsNotStreamed()]);
  }

  /** What is known of a channel; undefined before anything is, and for a channel that is not mirrored. */
  of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): Mirrored<Kind> | undefined {
    const entry = this.#entries.get(channelKey(channel as Channel));
    if (entry?.kept === undefined) return undefined;
    // a key belongs to one kind of channel
    return { ...entry.kept, isCurrent: this.#isCurrent(entry) } as unknown as Mirrored<Kind>;
  }

  /** Resolves when something has changed, or the signal is aborted, or the mirror is closed. */
  changed(signal?: AbortSignal): Promise<void> {
    if (this.#ending.signal.aborted || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  /** Resolves when the connection is closed and no timer is left. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake();
    await this.#running;
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  #isCurrent({ isStreamed, polled, channel }: Entry): boolean {
    if (isStreamed) return true;
    return polled !== null && this.options.host.monotonic() - polled.at <= 2 * this.#pollMs(channel);
  }

  #pollMs({ kind }: Channel): number {
    return this.options.pollMs ?? POLL_MS[kind];
  }

  async #follow(): Promise<void> {
    const { open } = this.options;
    if (open === undefined) return;
    try {
      const stream = await open(this.#ending.signal);
      for await (const event of stream) this.#take(event);
      await stream.close();
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      this.#lose(thrown.message);
    }
  }

  /** The stream will not come back. */
  #lose(reason: string): void {
    this.#take({ type: 'state', state: 'reconnecting', received: this.options.host.now(), reason });
  }

  #take(event: StreamEvent): void {
    if (event.type === 'data') this.#takePush(event);
    else if (event.type === 'gap') this.#mark(event.channel, event.gap.resynchronised);
    else if (event.type === 'refused') {
      for (const { channel } of this.#entries.values())
        if (event.channel === null || channelKey(event.channel) === channelKey(channel)) this.#mark(channel, false);
    } else if (event.state !== 'connected')
      for (const { channel } of this.#entries.values()) this.#mark(channel, false);
    this.#tell(event);
  }

  #takePush(event: AnyDataEvent): void {
    const entry = this.#entries.get(channelKey(event.channel));
    if (entry === undefined) return;
    entry.pushes += 1;
    this.#keep(entry, event, event.source === 'push' ? 'stream' : 'polling');
    if (event.scope === 'snapshot') this.#mark(event.channel, true);
  }

  #mark(channel: Channel, isStreamed: boolean): void {
    const entry = this.#entries.get(channelKey(channel));
    if (entry === undefined || entry.isStreamed === isStreamed) return;
    entry.isStreamed = isStreamed;
    entry.unstreamedSince = this.options.host.monotonic();
    if (!isStreamed) entry.nextPoll = entry.unstreamedSince + PATIENCE_MS;
  }

  #keep(entry: Entry, { channel, data, scope, received, time }: AnyDataEvent, source: Mirrored['source']): void {
    const value = merged(channel.kind, entry.kept?.value, { data, scope });
    entry.kept = { value, source, received, time };
  }

  #tell(event: StreamEvent): void {
    this.options.observe?.(event);
    if (event.type === 'data') this.#wake();
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  async #pollWhatIsNotStreamed(): Promise<void> {
    const { host } = this.options;
    while (!this.#isEnding) {
      for (const entry of this.#entries.values()) {
        const isDue = !entry.isStreamed && entry.feed.isReadable && host.monotonic() >= entry.nextPoll;
        if (isDue && !this.#isEnding) await this.#poll(entry);
      }
      await host.sleep(TICK_MS, this.#ending.signal);
    }
  }

  async #poll(entry: Entry): Promise<void> {
    const { host } = this.options;
    const { pushes, feed } = entry;
    const began = { at: host.monotonic(), time: host.now() };
    this.#budget.renew();
    const found = await feed.read(entry.polled?.time ?? null).catch(onlyFailures);
    entry.nextPoll = host.monotonic() + this.#pollMs(entry.channel);
    if (found === undefined || this.#isEnding || entry.isStreamed || entry.pushes !== pushes) return;
    entry.polled = began;
    this.#takePolled(entry, found);
  }

  #takePolled(entry: Entry, { data, time, scope, passed }: Recovered): void {
    const news = entry.feed.accept({ data, time });
    passed?.();
    const received = this.options.host.now();
    const isNothing = Array.isArray(news.data) && news.data.length === 0 && scope === 'delta';
    if (isNothing && entry.kept !== undefined) {
      entry.kept = { ...entry.kept, source: 'polling', received };
      return;
    }
    const { channel } = entry;
    const event = {
      type: 'data',
      channel,
      ...news,
      received,
      source: 'http',
      scope,
      skipped: 0,
      raw: null,
    } as unknown as AnyDataEvent;
    this.#keep(entry, event, 'polling');
    this.#tell(event);
  }
}

/** A read that failed is tried again at the next poll; what is known meanwhile gets old. */
function onlyFailures(thrown: unknown): undefined {
  if (!(thrown instanceof Failure)) throw thrown;
}
