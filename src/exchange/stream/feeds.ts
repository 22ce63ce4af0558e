import { setMaxListeners } from 'node:events';
import type { Aged } from '../../domain/aged.js';
import { Failure } from '../../errors.js';
import { ChangeSignal } from '../../platform/change-signal.js';
import type { Host } from '../../platform/host.js';
import { TimeBudget } from '../../platform/time-budget.js';
import type { ExchangeClient } from '../exchange-client.js';
import { refusalKind } from '../requests/observed-codes.js';
import type { Connection, ConnectionUser } from './connection.js';
import {
  type Channel,
  type ChannelData,
  type ChannelKind,
  type ChannelOf,
  channelKey,
  isPrivate,
  type StateEvent,
  type StreamEvent,
  type WantedSince,
} from './events.js';
import { Feed, type FeedContext } from './feed.js';
import type { HttpReads } from './read-schedule.js';

export interface FeedsOptions {
  readonly host: Host;
  readonly channels: readonly Channel[];
  /** Returns the client that reads over HTTP; the signal ends its requests. */
  readonly clientOf: (budget: TimeBudget, signal: AbortSignal) => ExchangeClient;
  /** Makes the connection to the exchange's streams; null if it has none. */
  readonly connection: ((user: ConnectionUser) => StreamConnection) | null;
  /** The markets whose orders belong to the channel of all orders, in addition to those that were pushed. */
  readonly orderMarkets?: ((client: ExchangeClient) => Promise<readonly string[]>) | undefined;
  /** Finds a market by its name without underscore. */
  readonly marketNamed?: ((joined: string) => string | undefined) | undefined;
  /** Default: polls. Without polls, a stream that cannot be had is the failure of all. */
  readonly reads?: HttpReads | undefined;
  /** Default: any age will do. */
  readonly wantedSince?: WantedSince | undefined;
  /** Throws Failure `credentials` if a channel of an account cannot be read. */
  readonly requireKeys?: (() => void) | undefined;
  /** Takes each event in its order. */
  readonly observe?: ((event: StreamEvent) => void) | undefined;
  /** Takes the failure after which nothing can come any more. */
  readonly failed?: ((thrown: unknown) => void) | undefined;
  /** Ends all. */
  readonly signal?: AbortSignal | undefined;
}

/** What feeds need of their connection. */
type StreamConnection = Pick<
  Connection,
  'run' | 'subscribe' | 'subscribeAgain' | 'unsubscribe' | 'latencyMs' | 'unreadable'
>;

/** So many reads over HTTP at a time: market data has no limit of its own. */
const MAX_READS = 8;
/** How long a response over HTTP may take before the read is tried again later. */
const READ_MS = 20_000;
/** How often it is checked which reads are due. */
const TICK_MS = 250;

/** The feeds of several channels, over one connection if the exchange has a stream. */
export class Feeds {
  readonly #options: FeedsOptions;

  readonly #feeds = new Map<string, Feed>();
  readonly #byWire = new Map<string, readonly Feed[]>();
  readonly #ending = new AbortController();
  readonly #budget: TimeBudget;
  readonly #context: FeedContext;
  readonly #connection: StreamConnection | undefined;
  readonly #changes = new ChangeSignal();
  readonly #running: Promise<unknown>;
  #state: Feeds['state'];
  #problem: string | null = null;
  /** Reads over HTTP that are under way, and those that wait for one of them. */
  #reads = 0;
  readonly #waitingReads: (() => void)[] = [];

  constructor(options: FeedsOptions) {
    this.#options = options;

    const {
      host,
      clientOf,
      orderMarkets,
      marketNamed,
      channels,
      connection,
      reads = 'polls',
      signal,
      wantedSince,
    } = options;
    this.#budget = new TimeBudget(READ_MS, host.monotonic);
    this.#state = connection === null ? 'none' : 'connecting';
    this.#context = {
      host,
      reads,
      client: clientOf(this.#budget, this.#ending.signal).restartingBudget(this.#budget),
      orderMarkets: orderMarkets ?? (async () => []),
      marketNamed: marketNamed ?? (() => undefined),
      wantedSince: wantedSince ?? (() => null),
      hasStream: () => this.#state !== 'none',
      emit: (event) => this.#emit(event),
      read: (work) => this.#read(work),
      subscribeAgain: (feed) => this.#connection?.subscribeAgain(feed),
      polled: (problem) => this.#polled(problem),
      fail: (thrown) => this.#fail(thrown),
    };
    // each request and each pause listens to it
    setMaxListeners(0, this.#ending.signal);
    for (const channel of channels) this.add(channel);
    this.#connection = connection?.({
      feeds: () => this.#feeds.values(),
      named: (wire) => this.#byWire.get(wire) ?? [],
      enter: (state, reason) => this.#enter(state, reason),
      startOver: (lastFrame, reason) => this.#startOver(lastFrame, reason),
      refused: (channel, code, message) => {
        this.#problem = message;
        const refusal = refusalKind(code);
        this.#emit({ type: 'refused', channel, received: host.now(), refusal, code, message });
      },
      fail: (thrown) => this.#fail(thrown),
      ending: this.#ending.signal,
    });
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#running = Promise.all([this.#stayConnected(), this.#readWhatIsDue()]);
    if (signal?.aborted) this.#abort();
  }

  readonly #abort = () => void this.close();

  /** What is known of a channel; undefined before anything is, and for a channel that is not followed. */
  of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): Aged<ChannelData[Kind]> | undefined {
    // a key belongs to one kind of channel
    return this.#feeds.get(channelKey(channel as Channel))?.aged as Aged<ChannelData[Kind]> | undefined;
  }

  /** The state of the connection; `none` if there is no stream or it will not come back: everything is polled. */
  get state(): StateEvent['state'] | 'none' {
    return this.#state;
  }

  /** Why there is no connection or the last poll failed; null for neither. */
  get problem(): string | null {
    return this.#problem;
  }

  /** How long the last heartbeat took to be answered, in milliseconds; null before the first. */
  get latencyMs(): number | null {
    return this.#connection?.latencyMs ?? null;
  }

  /** How many frames could not be read or belonged to nothing that was subscribed to. */
  get unreadable(): number {
    return this.#connection?.unreadable ?? 0;
  }

  /** Follows one more channel, over the same connection. Throws Failure `credentials` if it needs keys and there are none. */
  add(channel: Channel): void {
    const key = channelKey(channel);
    if (this.#feeds.has(key)) return;
    if (isPrivate(channel)) this.#options.requireKeys?.();
    const feed = this.#begin(channel);
    if (this.#state === 'connected') this.#connection?.subscribe([feed]);
  }

  /** Forgets a channel and ends its subscription. */
  remove(channel: Channel): void {
    const feed = this.#feeds.get(channelKey(channel));
    if (feed === undefined) return;
    this.#forget(feed);
    if (this.#state === 'connected') this.#connection?.unsubscribe(feed);
  }

  /** The reader of the events could not take all of a channel: everything is read again. */
  overflowed(key: string): void {
    this.#feeds.get(key)?.overflowed();
  }

  /**
   * Resolves when something has come, the connection was lost or is back, the signal is aborted, or this is closed. Call it
   * before you read: what changes between reading and waiting is not missed then.
   */
  changed(signal?: AbortSignal): Promise<void> {
    return this.#changes.next(signal);
  }

  /** Resolves when the connection is closed and no timer is left. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#budget.restart(0);
    for (const feed of this.#feeds.values()) feed.end();
    this.#changes.close();
    await this.#running;
    await Promise.allSettled([...this.#feeds.values()].map(({ reading }) => reading));
  }

  #begin(channel: Channel): Feed {
    const feed = new Feed(channel, this.#context);
    this.#feeds.set(feed.key, feed);
    this.#byWire.set(feed.wire, [...(this.#byWire.get(feed.wire) ?? []), feed]);
    return feed;
  }

  #forget(feed: Feed): void {
    this.#feeds.delete(feed.key);
    const others = (this.#byWire.get(feed.wire) ?? []).filter((one) => one !== feed);
    if (others.length === 0) this.#byWire.delete(feed.wire);
    else this.#byWire.set(feed.wire, others);
    feed.end();
  }

  /** Forgets what is known, which is of an exchange that is gone: every channel begins again. */
  #startOver(from: number, reason: string): void {
    const received = this.#options.host.now();
    const gap = { from, to: received, resynchronised: false, permanent: true };
    for (const feed of [...this.#feeds.values()]) {
      this.#forget(feed);
      const { channel } = this.#begin(feed.channel);
      this.#emit({ type: 'gap', channel, received, gap, reason, hasStartedOver: true });
    }
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  async #stayConnected(): Promise<void> {
    try {
      await this.#connection?.run();
    } catch (thrown) {
      if (!(thrown instanceof Failure) || this.#context.reads !== 'polls') return this.#fail(thrown);
      this.#enter('reconnecting', thrown.message);
      this.#state = 'none';
      this.#changes.notify();
    }
  }

  async #readWhatIsDue(): Promise<void> {
    while (!this.#isEnding) {
      for (const feed of this.#feeds.values()) feed.tick();
      await this.#options.host.sleep(TICK_MS, this.#ending.signal);
    }
  }

  /** A few reads over HTTP at a time, each with all of its time. */
  async #read<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#reads < MAX_READS) this.#reads += 1;
    else await new Promise<void>((resolve) => this.#waitingReads.push(resolve));
    try {
      if (!this.#isEnding) this.#budget.restart();
      return await work();
    } finally {
      const next = this.#waitingReads.shift();
      if (next === undefined) this.#reads -= 1;
      else next();
    }
  }

  #enter(state: StateEvent['state'], reason: string | null): void {
    // each new attempt reports that it connects
    const isAttempt = state === 'connecting' && this.#state !== 'connecting';
    if (!isAttempt) [this.#state, this.#problem] = [state, reason];
    this.#emit({ type: 'state', state, received: this.#options.host.now(), reason });
  }

  #polled(problem: string | null): void {
    if (problem !== null || this.#state === 'none') this.#problem = problem;
    this.#changes.notify();
  }

  #emit(event: StreamEvent): void {
    this.#options.observe?.(event);
    this.#changes.notify();
  }

  /** Nothing can come any more. */
  #fail(thrown: unknown): void {
    const { failed } = this.#options;
    if (failed === undefined) throw thrown;
    failed(thrown);
    void this.close();
  }
}
