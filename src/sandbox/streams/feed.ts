import type { AccountOrder } from '../orders/order.js';
import { Message } from './message.js';

/** A connection, as a feed needs it. */
interface Subscriber {
  deliver(subscription: Subscription, message: Message): void;
  /** Closes with a reason for the client. */
  close(code: number, reason: string): void;
}

/** Who listens to a feed. */
export interface Subscription {
  readonly connection: Subscriber;
  readonly feed: ServedFeed;
  /** The feed's key in the hub. */
  readonly key: string;
  /** Whether it gets base64 of zlib. */
  readonly isCompressed: boolean;
}

/** What feeds differ in. */
export interface FeedTerms {
  /** The channel's name on the wire, and that of its description. */
  readonly channel: string;
  readonly kind: string;
  /** What it shows, by the names of the exchange's `topics`. */
  readonly topics: readonly string[];
  /**
   * When updates are sent. Market data: at once, then at most every `STREAMS.interval` ms. What is of an account has to be on disk
   * first, as in a signed answer; snapshots of it follow at most every `STREAMS.snapshotInterval` ms.
   */
  readonly pace: 'market' | 'account' | 'snapshot';
}

/**
 * The updates of one channel, made once for all its subscribers. It exists only while it has any.
 */
export abstract class ServedFeed {
  readonly subscriptions = new Set<Subscription>();

  constructor(readonly terms: FeedTerms) {}

  /** An order of one of its topics has just changed. */
  orderChanged(_order: AccountOrder): void {
    // most feeds read what they show when they send it
  }

  /** The messages that a new subscriber gets at once. */
  abstract initialMessages(): readonly Message[];

  /** What changed since it was last called, for those who listen already. */
  abstract updates(): readonly Message[];

  deliver(updates: readonly Message[]): void {
    for (const message of updates) {
      for (const subscription of this.subscriptions) subscription.connection.deliver(subscription, message);
    }
  }
}

/** What a feed shows: the part that is compared for changes, and the whole text. */
interface Rendering {
  readonly comparable: string;
  readonly text: string;
}

/** A feed whose every message is its whole state. */
export class StateFeed extends ServedFeed {
  readonly #render: () => Rendering;

  #shown: string | undefined;

  constructor(terms: FeedTerms, render: () => Rendering) {
    super(terms);
    this.#render = render;
  }

  initialMessages(): readonly Message[] {
    const { comparable, text } = this.#render();
    this.#shown ??= comparable;
    return [new Message(text)];
  }

  updates(): readonly Message[] {
    const { comparable, text } = this.#render();
    if (comparable === this.#shown) return [];
    this.#shown = comparable;
    return [new Message(text)];
  }
}
