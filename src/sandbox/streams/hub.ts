import { topics } from '../exchange/changes.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import { MINUTE } from '../markets/candles.js';
import type { AccountOrder } from '../orders/order.js';
import { STREAMS } from '../server/interface-details.js';
import { CLOSE, type StreamConnection } from './connection.js';
import type { FeedTerms, ServedFeed, Subscription } from './feed.js';

/** How often to advance the exchange while there are subscribers, in ms: minimum and maximum. */
const MIN_ADVANCE_MS = 10;
const MAX_ADVANCE_MS = 250;

/**
 * Publishes the feeds that have subscribers. On a change it reads the views again that answer over HTTP, and sends what differs.
 * While there are subscribers, it lets the exchange advance when something is due, because no request does so.
 */
export class StreamHub {
  readonly #exchange: SandboxExchange;
  readonly #log: (line: string) => void;

  readonly #feeds = new Map<string, ServedFeed>();
  readonly #byTopic = new Map<string, Set<ServedFeed>>();
  /** Feeds whose topics have changed since they were last sent. */
  readonly #changed: Readonly<Record<FeedTerms['pace'], Set<ServedFeed>>> = {
    market: new Set(),
    account: new Set(),
    snapshot: new Set(),
  };
  #unlisten: (() => void) | undefined;
  #advanceTimer: NodeJS.Timeout | undefined;
  readonly #pushes: Partial<Record<FeedTerms['pace'], NodeJS.Timeout>> = {};
  #lastMarketPush = Number.NEGATIVE_INFINITY;
  #lastMinute = 0;
  /** The messages of signed feeds, one batch after the other. */
  #durable: Promise<void> = Promise.resolve();
  /** All messages of an exchange with a latency, one after the other. */
  #arrived: Promise<void> = Promise.resolve();

  constructor(exchange: SandboxExchange, log: (line: string) => void) {
    this.#exchange = exchange;
    this.#log = log;
  }

  /**
   * Adds a subscriber, who gets the opening messages at once. `name` is that of the subscription on its connection, where a new
   * one replaces an old one; `key` is the feed's, which `make` makes if it has no listener yet.
   */
  subscribe(connection: StreamConnection, name: string, key: string, zip: boolean, make: () => ServedFeed): void {
    const feed = this.#feeds.get(key) ?? this.#activate(key, make());
    // first bring earlier subscribers up to the state that the initial messages show
    if (feed.subscriptions.size > 0) this.#push(feed);
    const subscription: Subscription = { connection, feed, key, isCompressed: zip };
    const opening = feed.initialMessages();
    feed.subscriptions.add(subscription);
    // add before removing: a feed without subscribers drops what it has not sent
    this.unsubscribe(connection, name);
    connection.subscriptions.set(name, subscription);
    if (opening.length === 0) return;
    this.#send(feed, () => {
      for (const message of opening) connection.deliver(subscription, message);
    });
  }

  /** Does nothing if there is no such subscription. */
  unsubscribe(connection: StreamConnection, name: string): void {
    const subscription = connection.subscriptions.get(name);
    if (subscription === undefined) return;
    connection.subscriptions.delete(name);
    const { feed, key } = subscription;
    feed.subscriptions.delete(subscription);
    if (this.#feeds.get(key) === feed && feed.subscriptions.size === 0) this.#deactivate(key, feed);
  }

  /** Ends all feeds. The connections stay. */
  close(): void {
    for (const [key, feed] of this.#feeds) this.#deactivate(key, feed);
  }

  #activate(key: string, feed: ServedFeed): ServedFeed {
    if (this.#feeds.size === 0) {
      this.#unlisten = this.#exchange.changes.listen((topic, order) => this.#topicChanged(topic, order));
      this.#lastMinute = this.#minute();
      this.#scheduleAdvance();
    }
    this.#feeds.set(key, feed);
    for (const topic of feed.terms.topics) this.#byTopic.set(topic, (this.#byTopic.get(topic) ?? new Set()).add(feed));
    return feed;
  }

  #deactivate(key: string, feed: ServedFeed): void {
    this.#feeds.delete(key);
    this.#changed[feed.terms.pace].delete(feed);
    for (const topic of feed.terms.topics) {
      const feeds = this.#byTopic.get(topic);
      feeds?.delete(feed);
      if (feeds?.size === 0) this.#byTopic.delete(topic);
    }
    if (this.#feeds.size > 0) return;
    this.#unlisten?.();
    clearTimeout(this.#advanceTimer);
    for (const pace of ['market', 'account', 'snapshot'] as const) {
      clearTimeout(this.#pushes[pace]);
      delete this.#pushes[pace];
    }
  }

  /** Advances the exchange whenever something is due by its clock, which may be set or run faster at any time. */
  #scheduleAdvance(): void {
    const due = Math.ceil(this.#exchange.dueIn ?? MAX_ADVANCE_MS);
    this.#advanceTimer = setTimeout(() => this.#advance(), Math.min(MAX_ADVANCE_MS, Math.max(MIN_ADVANCE_MS, due)));
  }

  #advance(): void {
    try {
      this.#exchange.advance();
      const minute = this.#minute();
      if (minute !== this.#lastMinute)
        for (const market of this.#exchange.markets.keys()) this.#topicChanged(topics.candles(market));
      this.#lastMinute = minute;
    } catch (error) {
      this.#report('the exchange could not go on', error);
    }
    this.#scheduleAdvance();
  }

  #minute(): number {
    return Math.floor(this.#exchange.status().time / MINUTE);
  }

  #topicChanged(topic: string, order?: AccountOrder): void {
    for (const feed of this.#byTopic.get(topic) ?? []) {
      if (order !== undefined) feed.orderChanged(order);
      const { pace } = feed.terms;
      this.#changed[pace].add(feed);
      // at the end of the turn at the earliest, when the change is complete
      this.#pushes[pace] ??= setTimeout(() => this.#pushChanged(pace), this.#waitBefore(pace));
    }
  }

  #waitBefore(pace: FeedTerms['pace']): number {
    if (pace === 'snapshot') return STREAMS.snapshotInterval;
    return pace === 'account' ? 0 : Math.max(0, this.#lastMarketPush + STREAMS.interval - performance.now());
  }

  #pushChanged(pace: FeedTerms['pace']): void {
    delete this.#pushes[pace];
    if (pace === 'market') this.#lastMarketPush = performance.now();
    const feeds = [...this.#changed[pace]];
    this.#changed[pace].clear();
    for (const feed of feeds) {
      try {
        this.#push(feed);
      } catch (error) {
        this.#report('a push failed', error);
      }
    }
  }

  #push(feed: ServedFeed): void {
    const updates = feed.updates();
    if (updates.length > 0) this.#send(feed, () => feed.deliver(updates));
  }

  /** Data of an account are sent when they are on disk, market data at once; all after the latency. */
  #send(feed: ServedFeed, send: () => void): void {
    const deliver = this.#exchange.state.latency === 0 ? send : this.#delayed(send);
    if (feed.terms.pace === 'market') deliver();
    else this.#whenDurable(deliver);
  }

  /** Sends after the latency, in the order in which pushes were made. */
  #delayed(send: () => void): () => void {
    const arrival = this.#exchange.arrival();
    return () => {
      this.#arrived = this.#arrived
        .then(() => arrival)
        .then(send)
        .catch((error: unknown) => this.#report('a push was not sent', error));
    };
  }

  /** Sends after everything that the messages report is on disk, and after what was to be sent before. */
  #whenDurable(send: () => void): void {
    const written = this.#exchange.durable();
    written.catch(() => undefined); // it is reported below, when its turn comes
    this.#durable = this.#durable.then(() => written).then(send, (error: unknown) => this.#fail(error));
  }

  /** Drops pushes whose data could not be written, and closes their connections, so that clients read everything again. */
  #fail(error: unknown): void {
    this.#report('a push was not sent', error);
    for (const { terms, subscriptions } of this.#feeds.values()) {
      if (terms.pace === 'market') continue;
      for (const { connection } of subscriptions) connection.close(CLOSE.failed, 'the data could not be written');
    }
  }

  #report(what: string, error: unknown): void {
    this.#log(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
