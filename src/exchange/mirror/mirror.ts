import { Failure } from '../../errors.js';
import { ChangeSignal } from '../../platform/change-signal.js';
import type { Host } from '../../platform/host.js';
import { TimeBudget } from '../../platform/time-budget.js';
import type { ExchangeClient } from '../exchange-client.js';
import type { ChannelSource, HttpData, SourceContext } from '../stream/base-source.js';
import {
  type AnyDataEvent,
  type Channel,
  type ChannelData,
  type ChannelKind,
  type ChannelOf,
  channelKey,
  type ExchangeStream,
  type GapEvent,
  isPrivate,
  type StateEvent,
  type StreamEvent,
} from '../stream/events.js';
import { streamProtocol } from '../stream/protocol.js';
import { sourceOf } from '../stream/sources.js';
import { applyEvent } from './merge.js';

export interface MirrorOptions extends Partial<Pick<SourceContext, 'orderMarkets' | 'marketNamed' | 'protocol'>> {
  readonly host: Pick<Host, 'now' | 'monotonic' | 'sleep'>;
  readonly channels: readonly Channel[];
  /** Returns the client that polls; the signal ends its requests. */
  readonly clientOf: (budget: TimeBudget, signal: AbortSignal) => ExchangeClient;
  /** Opens the stream of these channels. Absent if the exchange has none: everything is polled. */
  readonly open?: ((channels: readonly Channel[], signal: AbortSignal) => Promise<ExchangeStream>) | undefined;
  /** Throws Failure `credentials` if a channel of an account cannot be read. */
  readonly requireKeys?: (() => void) | undefined;
  /** Takes each event in its order, after the mirror; what was polled comes as data with the source `http`. */
  readonly observe?: ((event: StreamEvent) => void) | undefined;
  /** How long to wait between two polls of a channel, in milliseconds. Absent: by its kind. */
  readonly pollMs?: number | undefined;
}

/** What is known of a channel. */
export interface Mirrored<Kind extends ChannelKind = ChannelKind> {
  readonly value: ChannelData[Kind];
  /** What keeps it current; if nothing does, where it came from. */
  readonly source: 'stream' | 'polling';
  /** When it came, or the poll that read it began, in milliseconds since the Unix epoch. */
  readonly received: number;
  /** How long ago that was, in milliseconds: setting the clock does not change it. */
  readonly ageMs: number;
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
/** A poll that waits for its turn or for the exchange is followed by a pause that is longer by this factor. */
const PAUSE_PER_POLL = 4;
/** In usual pauses. */
const LONGEST_PAUSE = 3;
/** The longest that one poll may take. */
const POLL_TIMEOUT_MS = 10_000;
/** How often it is checked which polls are due. */
const TICK_MS = 250;

/** On the monotonic clock and by the wall clock. */
interface Instant {
  readonly at: number;
  readonly time: number;
}

/** What is known, and since when on the monotonic clock. */
interface LastValue extends Omit<Mirrored, 'isCurrent' | 'ageMs'> {
  readonly at: number;
}

interface MirroredChannel {
  readonly channel: Channel;
  /** Reads the channel over HTTP; the stream has its own. */
  readonly source: ChannelSource;
  kept: LastValue | undefined;
  /** Whether the stream is connected and nothing of this channel is missing. */
  isStreamed: boolean;
  hasOpenGap: boolean;
  /** When the stream or a poll was complete for the last time, by the wall clock; null before. */
  completeAt: number | null;
  /** Counts what the stream sent: a poll that it overtook is dropped. */
  pushes: number;
  /** When the last good poll began, on the monotonic clock; null before the first. */
  polled: number | null;
  /** Between two polls. */
  pauseMs: number;
  /** On the monotonic clock. */
  nextPoll: number;
}

/**
 * A market and an account as they are now: the last ticker, the book, the newest trades and candles, the open orders and the
 * balances. They are kept current by the stream, and by polling within the shared limits while there is none.
 */
export class Mirror {
  readonly #entries = new Map<string, MirroredChannel>();
  readonly #ending = new AbortController();
  readonly #budget: TimeBudget;
  readonly #context: SourceContext;
  readonly #running: Promise<unknown>;
  readonly #changes = new ChangeSignal();
  #stream: ExchangeStream | undefined;
  #state: Mirror['state'];
  #problem: string | null = null;

  constructor(private readonly options: MirrorOptions) {
    const { channels, host, open, clientOf, orderMarkets, marketNamed } = options;
    this.#budget = new TimeBudget(POLL_TIMEOUT_MS, host.monotonic);
    this.#context = {
      client: clientOf(this.#budget, this.#ending.signal),
      now: host.now,
      orderMarkets: orderMarkets ?? (async () => []),
      marketNamed: marketNamed ?? (() => undefined),
      protocol: options.protocol ?? streamProtocol(),
    };
    this.#state = open === undefined ? 'none' : 'connecting';
    for (const channel of channels) this.add(channel);
    this.#running = Promise.all([this.#follow(), this.#pollWhatIsNotStreamed()]);
  }

  /** What is known of a channel; undefined before anything is, and for a channel that is not mirrored. */
  of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): Mirrored<Kind> | undefined {
    const entry = this.#entries.get(channelKey(channel as Channel));
    if (entry?.kept === undefined) return undefined;
    const { at, ...kept } = entry.kept;
    const ageMs = this.options.host.monotonic() - at;
    const source = entry.isStreamed ? 'stream' : kept.source;
    // a key belongs to one kind of channel
    return { ...kept, source, ageMs, isCurrent: this.#isCurrent(entry) } as unknown as Mirrored<Kind>;
  }

  /** The state of the stream's connection; `none` if there is no stream or it will not come back: everything is polled. */
  get state(): StateEvent['state'] | 'none' {
    return this.#state;
  }

  /** Why the stream is not connected or the last poll failed; null for neither. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Mirrors one more channel, over the same connection. Throws Failure `credentials` if it needs keys and there are none. */
  add(channel: Channel): void {
    const key = channelKey(channel);
    if (this.#entries.has(key)) return;
    if (isPrivate(channel)) this.options.requireKeys?.();
    const now = this.options.host.monotonic();
    const mayBeStreamed = this.#state === 'connected' || this.#state === 'connecting';
    this.#entries.set(key, {
      channel,
      source: sourceOf(channel, this.#context),
      kept: undefined,
      isStreamed: false,
      hasOpenGap: false,
      completeAt: null,
      pushes: 0,
      polled: null,
      pauseMs: this.#pauseMs(channel, 0),
      nextPoll: now + (mayBeStreamed ? PATIENCE_MS : 0),
    });
    this.#stream?.subscribe(channel);
  }

  /** Forgets a channel and ends its subscription. */
  remove(channel: Channel): void {
    if (this.#entries.delete(channelKey(channel))) this.#stream?.unsubscribe(channel);
  }

  /**
   * Resolves when data has come, the stream was lost or is back, the signal is aborted, or the mirror is closed. Call it before
   * you read: what changes between reading and waiting is not missed then.
   */
  changed(signal?: AbortSignal): Promise<void> {
    return this.#changes.next(signal);
  }

  /** Resolves when the connection is closed and no timer is left. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#changes.close();
    await this.#running;
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  #isCurrent({ isStreamed, polled, pauseMs }: MirroredChannel): boolean {
    if (isStreamed) return true;
    return polled !== null && this.options.host.monotonic() - polled <= 2 * pauseMs;
  }

  #pauseMs({ kind }: Channel, tookMs: number): number {
    const usualMs = this.options.pollMs ?? POLL_MS[kind];
    return Math.min(usualMs * LONGEST_PAUSE, Math.max(usualMs, tookMs * PAUSE_PER_POLL));
  }

  async #follow(): Promise<void> {
    const { open } = this.options;
    if (open === undefined) return;
    try {
      const opened = [...this.#entries.values()].map(({ channel }) => channel);
      const stream = await open(opened, this.#ending.signal);
      // channels may have come and gone since
      for (const { channel } of this.#entries.values()) stream.subscribe(channel);
      for (const channel of opened) if (!this.#entries.has(channelKey(channel))) stream.unsubscribe(channel);
      this.#stream = stream;
      for await (const event of stream) this.#take(event);
      await stream.close();
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      this.#take({ type: 'state', state: 'reconnecting', received: this.options.host.now(), reason: thrown.message });
      this.#state = 'none';
    } finally {
      this.#stream = undefined;
    }
  }

  #take(event: StreamEvent): void {
    if (event.type === 'data') this.#takePush(event);
    else if (event.type === 'gap') this.#takeGap(event);
    else if (event.type === 'refused') {
      this.#problem = event.message;
      for (const { channel } of this.#entries.values())
        if (event.channel === null || channelKey(event.channel) === channelKey(channel)) this.#mark(channel, false);
    } else this.#enter(event);
    this.#emit(event);
  }

  #enter({ state, reason }: StateEvent): void {
    // each new attempt reports that it connects
    const isAttempt = state === 'connecting' && this.#state !== 'connecting';
    if (!isAttempt) [this.#state, this.#problem] = [state, reason];
    if (state !== 'connected') for (const { channel } of this.#entries.values()) this.#mark(channel, false);
  }

  #takePush(event: AnyDataEvent): void {
    const entry = this.#entries.get(channelKey(event.channel));
    if (entry === undefined) return;
    entry.pushes += 1;
    this.#keep(entry, event, event.source === 'push' ? 'stream' : 'polling', this.#atOf(event.received));
    // a poll asks only for what the stream did not send
    entry.source.deduplicate(event);
    // before the channel is complete nothing comes but in an open gap
    if (!entry.hasOpenGap || event.scope === 'snapshot') this.#mark(event.channel, true);
  }

  #takeGap({ channel, gap: { resynchronised, permanent } }: GapEvent): void {
    const entry = this.#entries.get(channelKey(channel));
    if (entry === undefined) return;
    entry.hasOpenGap = !resynchronised && !permanent;
    // nothing shows what has changed meanwhile
    if (permanent && !entry.source.hasHttp) entry.kept = undefined;
    this.#mark(channel, resynchronised);
  }

  #mark(channel: Channel, isStreamed: boolean): void {
    const entry = this.#entries.get(channelKey(channel));
    if (entry === undefined || entry.isStreamed === isStreamed) return;
    entry.isStreamed = isStreamed;
    if (isStreamed) return;
    entry.completeAt = this.options.host.now();
    entry.nextPoll = this.options.host.monotonic() + PATIENCE_MS;
  }

  #keep(
    entry: MirroredChannel,
    { channel, data, scope, received, time }: AnyDataEvent,
    source: Mirrored['source'],
    at: number,
  ): void {
    const value = applyEvent(channel.kind, entry.kept?.value, { data, scope });
    entry.kept = { value, source, received, time, at };
  }

  /** A moment of the wall clock on the monotonic one. */
  #atOf(received: number): number {
    const { now, monotonic } = this.options.host;
    return monotonic() - Math.max(0, now() - received);
  }

  #emit(event: StreamEvent): void {
    this.options.observe?.(event);
    this.#changes.notify();
  }

  async #pollWhatIsNotStreamed(): Promise<void> {
    const { host } = this.options;
    while (!this.#isEnding) {
      for (const entry of [...this.#entries.values()]) {
        const isDue = !entry.isStreamed && entry.source.hasHttp && host.monotonic() >= entry.nextPoll;
        if (isDue && !this.#isEnding) await this.#poll(entry);
      }
      await host.sleep(TICK_MS, this.#ending.signal);
    }
  }

  /** @param rest reads what the read that began then has left */
  async #poll(
    entry: MirroredChannel,
    rest?: { readonly read: () => Promise<HttpData>; readonly began: Instant },
  ): Promise<void> {
    const { host } = this.options;
    const { pushes, source } = entry;
    const began = rest?.began ?? { at: host.monotonic(), time: host.now() };
    this.#budget.restart();
    const found = await (rest?.read() ?? source.read(entry.completeAt)).catch(failureOf);
    entry.pauseMs = this.#pauseMs(entry.channel, found instanceof Failure ? 0 : host.monotonic() - began.at);
    entry.nextPoll = host.monotonic() + entry.pauseMs;
    const isOvertaken = entry.isStreamed || entry.pushes !== pushes;
    if (this.#isEnding || isOvertaken || this.#entries.get(channelKey(entry.channel)) !== entry) return;
    if (found instanceof Failure) {
      this.#problem = found.message;
      return this.#changes.notify();
    }
    if (this.#state === 'none') this.#problem = null;
    entry.polled = began.at;
    entry.completeAt = began.time;
    this.#takePolled(entry, found, began);
    if (found.readRemaining !== undefined) await this.#poll(entry, { read: found.readRemaining, began });
  }

  /** @param began its response may be as old */
  #takePolled(
    entry: MirroredChannel,
    { data, time, scope, onDelivered }: HttpData,
    { at, time: received }: Instant,
  ): void {
    const news = entry.source.deduplicate({ data, time });
    onDelivered?.();
    const isNothing = Array.isArray(news.data) && news.data.length === 0 && scope === 'delta';
    if (isNothing && entry.kept !== undefined) {
      entry.kept = { ...entry.kept, source: 'polling', received, at };
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
    this.#keep(entry, event, 'polling', at);
    this.#emit(event);
  }
}

/** A read that failed is tried again at the next poll; what is known meanwhile gets old. */
function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Failure)) throw thrown;
  return thrown;
}
