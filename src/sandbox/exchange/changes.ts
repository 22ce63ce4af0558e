import type { AccountOrder } from '../orders/order.js';

/** Names of what a stream may show. A wallet is an account of the ledger. */
export const topics = {
  book: ofMarket('book'),
  trades: ofMarket('trades'),
  candles: ofMarket('candles'),
  orders: (account: string, market: string) => `orders ${account} ${market}`,
  balances: (wallet: string) => `balances ${wallet}`,
};

/** The same text for the same market: a replay asks for it at each price, and a new text is slow to look up. */
function ofMarket(what: string): (market: string) => string {
  const known = new Map<string, string>();
  return (market) => {
    let topic = known.get(market);
    if (topic === undefined) {
      topic = `${what} ${market}`;
      known.set(market, topic);
    }
    return topic;
  };
}

/**
 * Is called while a change is being made, with one of the {@link topics} and the order that changed. It notes the change and reads
 * the new state later.
 */
type ChangeListener = (topic: string, order?: AccountOrder) => void;

/**
 * The one place where matching engine, ledger and simulator report what changed. The views that answer over HTTP are read again
 * for whatever was reported, so that a stream shows the same.
 */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();

  /** Adds a listener. Call what is returned to remove it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The book of a market may have changed. */
  book(market: string): void {
    this.#report(topics.book(market));
  }

  /** A trade, after trades and candles have it. */
  trade(market: string): void {
    this.#report(topics.trades(market));
  }

  /** A market's candles show a price at which nothing was traded. */
  candles(market: string): void {
    this.#report(topics.candles(market));
  }

  /** An order of a customer is new, or has changed. */
  order(order: AccountOrder): void {
    this.#report(topics.orders(order.account, order.market.name), order);
  }

  /** A balance of a ledger account, named `account/coin`. */
  balance(name: string): void {
    this.#report(topics.balances(name.slice(0, name.lastIndexOf('/'))));
  }

  #report(topic: string, order?: AccountOrder): void {
    for (const listener of this.#listeners) listener(topic, order);
  }
}
