import { type Account, crossWallet } from '../accounts/accounts.js';
import { lentTo } from '../accounts/ledger.js';
import type { ChangeListener } from '../exchange/changes.js';
import type { Exchange } from '../exchange/exchange.js';
import { withdrawing } from '../funds/withdrawals.js';
import { MINUTE } from '../markets/candles.js';
import type { Order } from '../orders/order.js';
import { STREAMS } from '../server/interface-details.js';
import { CLOSE, type StreamConnection } from './connection.js';
import type { Feed, Subscription, Update } from './feed.js';
import type { FeedTriggers, MarketFeed } from './market-feeds.js';
import { ASSETS, AssetsFeed, OrderChanges, OrderSnapshots, type OrdersFeed } from './user-feeds.js';

/** What the hub keeps of a feed, in addition to the feed itself. */
interface FeedDefinition {
  readonly feed: Feed;
  /** Whether what it shows has to be on disk before it is sent, as in a signed answer. */
  readonly needsDurability: boolean;
  /** Starts to hear of changes. Returns how to stop. */
  readonly listen: () => () => void;
}

interface ActiveFeed extends FeedDefinition {
  readonly detach: () => void;
}

/** How often to advance the exchange while somebody is subscribed, in ms: minimum and maximum. */
const MIN_ADVANCE_MS = 10;
const MAX_ADVANCE_MS = 250;

/**
 * Publishes the feeds that have subscribers. On a change it reads the views again that answer over HTTP, and sends what differs.
 * While there are subscribers, it lets the exchange advance when something is due, because no request does so.
 */
export class StreamHub implements ChangeListener {
  private readonly feeds = new Map<string, ActiveFeed>();
  private readonly marketFeeds = new Map<string, Map<Feed, FeedTriggers>>();
  private readonly orderFeeds = new Map<string, Set<OrdersFeed>>();
  private readonly balanceFeeds = new Map<string, Set<Feed>>();
  /** What has changed in which markets since the last push. */
  private readonly changed = new Map<string, { -readonly [Change in keyof FeedTriggers]: boolean }>();
  private readonly changedUserFeeds = new Set<Feed>();
  private unlisten: (() => void) | undefined;
  private advanceTimer: NodeJS.Timeout | undefined;
  private marketPush: NodeJS.Timeout | undefined;
  private lastMarketPush = Number.NEGATIVE_INFINITY;
  private userPush: NodeJS.Immediate | undefined;
  private snapshotPush: NodeJS.Timeout | undefined;
  private lastMinute = 0;
  /** The messages of signed feeds, one batch after the other. */
  private durable: Promise<void> = Promise.resolve();

  constructor(
    private readonly exchange: Exchange,
    private readonly log: (line: string) => void,
  ) {}

  /**
   * Adds a subscriber, who gets the opening messages at once. `name` is that of the subscription on its connection, where a new
   * one replaces an old one; `key` is the feed's, which `make` makes if nobody listens to it yet.
   */
  subscribe(connection: StreamConnection, name: string, key: string, zip: boolean, make: () => FeedDefinition): void {
    const kept = this.feeds.get(key) ?? this.activate(key, make());
    const { feed } = kept;
    // first bring earlier subscribers up to the state that the initial messages show
    if (feed.subscriptions.size > 0) this.push(kept);
    const subscription: Subscription = { connection, feed, key, isCompressed: zip, missed: undefined };
    const opening = feed.initialMessages();
    const open = () => {
      for (const message of opening) connection.deliver(subscription, message, '');
    };
    feed.subscriptions.add(subscription);
    // add before removing: a feed without subscribers drops what it has not sent
    this.unsubscribe(connection, name);
    connection.subscriptions.set(name, subscription);
    if (!kept.needsDurability) open();
    else if (opening.length > 0) this.whenDurable(open);
  }

  /** Does nothing if there is no such subscription. */
  unsubscribe(connection: StreamConnection, name: string): void {
    const subscription = connection.subscriptions.get(name);
    if (subscription === undefined) return;
    connection.subscriptions.delete(name);
    const { feed, key } = subscription;
    feed.subscriptions.delete(subscription);
    const kept = this.feeds.get(key);
    if (kept?.feed === feed && feed.subscriptions.size === 0) this.deactivate(key, kept);
  }

  /** Sends a subscriber that was too slow the newest state instead of what it missed. */
  resume(subscription: Subscription): void {
    const kept = this.feeds.get(subscription.key);
    if (kept === undefined) return;
    this.push(kept);
    const { missed } = subscription;
    subscription.missed = undefined;
    if (missed === undefined) return;
    const messages = subscription.feed.resume(missed);
    const send = () => {
      for (const [index, message] of messages.entries())
        subscription.connection.deliver(subscription, message, `resumed ${index}`);
    };
    if (kept.needsDurability) this.whenDurable(send);
    else send();
  }

  /** Ends all feeds. The connections stay. */
  close(): void {
    for (const [key, kept] of this.feeds) this.deactivate(key, kept);
  }

  marketEntry({ market, triggers, feed }: MarketFeed): FeedDefinition {
    const attach = () => {
      const feeds = this.marketFeeds.get(market) ?? new Map<Feed, FeedTriggers>();
      this.marketFeeds.set(market, feeds.set(feed, triggers));
      return () => {
        feeds.delete(feed);
        if (feeds.size === 0) this.marketFeeds.delete(market);
      };
    };
    return { feed, needsDurability: false, listen: attach };
  }

  ordersEntry(account: Account, market: string, channel: 'push_user_incr_record' | 'push_user_record'): FeedDefinition {
    const owned = { exchange: this.exchange, account, market, channel };
    const feed = channel === 'push_user_record' ? new OrderSnapshots(owned) : new OrderChanges(owned);
    return { feed, needsDurability: true, listen: () => addTo(this.orderFeeds, [`${account.id}/${market}`], feed) };
  }

  assetsEntry(account: Account, channel: keyof typeof ASSETS): FeedDefinition {
    const feed = new AssetsFeed({ exchange: this.exchange, account, channel }, ASSETS[channel]);
    const cross = crossWallet(account.id);
    const wallets =
      channel === 'push_user_cross_asset' ? [cross, lentTo(cross)] : [account.id, withdrawing(account.id)];
    return { feed, needsDurability: true, listen: () => addTo(this.balanceFeeds, wallets, feed) };
  }

  book(market: string): void {
    this.marketChanged(market, 'book');
  }

  trade(market: string): void {
    this.marketChanged(market, 'trades');
  }

  candles(market: string): void {
    this.marketChanged(market, 'candles');
  }

  order(order: Order): void {
    const feeds = this.orderFeeds.get(`${order.account}/${order.market.name}`);
    if (feeds === undefined) return;
    for (const feed of feeds) {
      feed.changed(order);
      this.userChanged(feed);
    }
  }

  balance(name: string): void {
    if (this.balanceFeeds.size === 0) return;
    const feeds = this.balanceFeeds.get(name.slice(0, name.lastIndexOf('/')));
    for (const feed of feeds ?? []) this.userChanged(feed);
  }

  private activate(key: string, entry: FeedDefinition): ActiveFeed {
    if (this.feeds.size === 0) {
      this.unlisten = this.exchange.changes.listen(this);
      this.lastMinute = this.minute();
      this.scheduleAdvance();
    }
    const kept = { ...entry, detach: entry.listen() };
    this.feeds.set(key, kept);
    return kept;
  }

  private deactivate(key: string, { feed, detach }: ActiveFeed): void {
    detach();
    this.changedUserFeeds.delete(feed);
    this.feeds.delete(key);
    if (this.feeds.size > 0) return;
    this.unlisten?.();
    this.changed.clear();
    for (const timer of [this.advanceTimer, this.marketPush, this.snapshotPush]) clearTimeout(timer);
    clearImmediate(this.userPush);
    this.marketPush = undefined;
    this.snapshotPush = undefined;
    this.userPush = undefined;
  }

  /** Advances the exchange whenever something is due by its clock, which may be set or run faster at any time. */
  private scheduleAdvance(): void {
    const due = Math.ceil(this.exchange.dueIn ?? MAX_ADVANCE_MS);
    this.advanceTimer = setTimeout(() => this.advance(), Math.min(MAX_ADVANCE_MS, Math.max(MIN_ADVANCE_MS, due)));
  }

  private advance(): void {
    try {
      this.exchange.advance();
      const minute = this.minute();
      if (minute !== this.lastMinute) for (const market of this.marketFeeds.keys()) this.candles(market);
      this.lastMinute = minute;
    } catch (error) {
      this.report('the exchange could not go on', error);
    }
    this.scheduleAdvance();
  }

  private minute(): number {
    return Math.floor(this.exchange.status().time / MINUTE);
  }

  private marketChanged(market: string, change: keyof FeedTriggers): void {
    if (!this.marketFeeds.has(market)) return;
    const changes = this.changed.get(market) ?? {};
    changes[change] = true;
    this.changed.set(market, changes);
    if (this.marketPush !== undefined) return;
    const wait = this.lastMarketPush + STREAMS.interval - performance.now();
    // at the end of the turn at the earliest, when the change is complete
    this.marketPush = setTimeout(() => this.pushMarkets(), Math.max(0, wait));
  }

  private pushMarkets(): void {
    this.marketPush = undefined;
    this.lastMarketPush = performance.now();
    const changed = [...this.changed];
    this.changed.clear();
    for (const [market, { book, trades, candles }] of changed) {
      for (const [feed, triggers] of this.marketFeeds.get(market) ?? []) {
        const concerns = (book && triggers.book) || (trades && triggers.trades) || (candles && triggers.candles);
        if (concerns) this.guarded(() => feed.deliver(feed.updates()));
      }
    }
  }

  private userChanged(feed: Feed): void {
    this.changedUserFeeds.add(feed);
    if (feed instanceof OrderSnapshots) {
      this.snapshotPush ??= setTimeout(() => {
        this.snapshotPush = undefined;
        this.pushUsers((each) => each instanceof OrderSnapshots);
      }, STREAMS.snapshotInterval);
      return;
    }
    this.userPush ??= setImmediate(() => {
      this.userPush = undefined;
      this.pushUsers((each) => !(each instanceof OrderSnapshots));
    });
  }

  private pushUsers(isDue: (feed: Feed) => boolean): void {
    const batches: [Feed, readonly Update[]][] = [];
    for (const feed of [...this.changedUserFeeds].filter(isDue)) {
      this.changedUserFeeds.delete(feed);
      this.guarded(() => batches.push([feed, feed.updates()]));
    }
    this.whenDurable(() => {
      for (const [feed, updates] of batches) feed.deliver(updates);
    });
  }

  private push({ feed, needsDurability }: ActiveFeed): void {
    const updates = feed.updates();
    if (updates.length === 0) return;
    if (needsDurability) this.whenDurable(() => feed.deliver(updates));
    else feed.deliver(updates);
  }

  /** Sends after everything that the messages report is on disk, and after what was to be sent before. */
  private whenDurable(send: () => void): void {
    const written = this.exchange.durable();
    written.catch(() => undefined); // it is reported below, when its turn comes
    this.durable = this.durable.then(() => written).then(send, (error: unknown) => this.fail(error));
  }

  /** Drops pushes whose data could not be written, and closes their connections, so that clients read everything again. */
  private fail(error: unknown): void {
    this.report('a push was not sent', error);
    for (const { feed, needsDurability } of this.feeds.values()) {
      if (needsDurability)
        for (const { connection } of feed.subscriptions)
          connection.close(CLOSE.failed, 'the data could not be written');
    }
  }

  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.report('a push failed', error);
    }
  }

  private report(what: string, error: unknown): void {
    this.log(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

/** Adds a feed under several names. Returns how to remove it. */
function addTo<Kind>(feeds: Map<string, Set<Kind>>, names: readonly string[], feed: Kind): () => void {
  for (const name of names) feeds.set(name, (feeds.get(name) ?? new Set()).add(feed));
  return () => {
    for (const name of names) {
      feeds.get(name)?.delete(feed);
      if (feeds.get(name)?.size === 0) feeds.delete(name);
    }
  };
}
