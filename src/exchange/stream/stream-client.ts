import type { Aged } from '../../domain/aged.js';
import { EventQueue } from './event-queue.js';
import type { ChannelData, ChannelKind, ChannelOf, ExchangeStream, StateEvent, StreamEvent } from './events.js';
import { Feeds, type FeedsOptions } from './feeds.js';

export type StreamOptions = Omit<FeedsOptions, 'observe' | 'failed'>;

/** The events of several feeds, for one reader who may be slow. */
export class StreamClient implements ExchangeStream {
  readonly feeds: Feeds;
  readonly #queue: EventQueue;
  #isClosed = false;

  constructor(options: StreamOptions) {
    this.#queue = new EventQueue((key) => this.feeds.overflowed(key));
    this.feeds = new Feeds({
      reads: 'checks',
      ...options,
      observe: (event) => this.#queue.push(event),
      failed: (thrown) => {
        this.#isClosed = true;
        this.#queue.end(thrown);
      },
    });
    options.signal?.addEventListener('abort', () => void this.close(), { once: true });
    if (options.signal?.aborted) void this.close();
  }

  of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): Aged<ChannelData[Kind]> | undefined {
    return this.feeds.of(channel);
  }

  get state(): StateEvent['state'] | 'closed' {
    const { state } = this.feeds;
    return this.#isClosed || state === 'none' ? 'closed' : state;
  }

  get latencyMs(): number | null {
    return this.feeds.latencyMs;
  }

  get unreadable(): number {
    return this.feeds.unreadable;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.clear();
    await this.feeds.close();
  }
}
