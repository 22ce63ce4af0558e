import { tryRead } from '../../errors.js';
import type { Feeds } from '../../exchange/exchange.js';
import { OwnFills } from '../../trading/orders/own-fills.js';
import { fillText } from '../order/fill-text.js';
import type { Session } from '../session/session.js';

const ORDERS = { kind: 'orders' } as const;

/** Says what own orders fill, in all markets. */
export class LiveFills {
  readonly #say: (text: string) => void;

  #feeds: Feeds | undefined;
  #ending = new AbortController();

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Follows the account of a session. Without keys, or if the orders cannot be read, there is nothing to say. */
  async follow(session: Session): Promise<void> {
    await this.stop();
    const feeds = await tryRead(() => session.feeds([ORDERS]));
    if (feeds === undefined) return;
    this.#feeds = feeds;
    this.#ending = new AbortController();
    void this.#run(feeds, this.#ending.signal);
  }

  get isFollowing(): boolean {
    return this.#feeds !== undefined;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    const feeds = this.#feeds;
    this.#feeds = undefined;
    await feeds?.close();
  }

  async #run(feeds: Feeds, signal: AbortSignal): Promise<void> {
    const fills = new OwnFills();
    while (!signal.aborted) {
      const changed = feeds.changed(signal);
      const orders = feeds.of(ORDERS)?.value;
      if (orders !== undefined) for (const fill of fills.take(orders)) this.#say(fillText(fill, true));
      await changed;
    }
  }
}
