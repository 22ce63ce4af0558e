import type { Order } from '../orders/order.js';

/** Is called while a change is being made. A listener notes the change and reads the new state later. */
export interface ChangeListener {
  /** The book of a market may have changed. */
  book(market: string): void;
  /** A trade, after tape and candles have it. */
  trade(market: string): void;
  /** A market's candles show a price at which nothing was traded. */
  candles(market: string): void;
  /** An order of a customer is new, or has changed. */
  order(order: Order): void;
  /** A balance of a ledger account, named `account/coin`. */
  balance(name: string): void;
}

/**
 * The one place where matching engine, ledger and simulator report what changed. The views that answer over HTTP are read again
 * for whatever was reported, so that a stream shows the same. Without listeners a report costs nothing.
 */
export class Changes implements ChangeListener {
  private listeners: readonly ChangeListener[] = [];

  /** Adds a listener. Call what is returned to remove it. */
  listen(listener: ChangeListener): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    };
  }

  book(market: string): void {
    for (const listener of this.listeners) listener.book(market);
  }

  trade(market: string): void {
    for (const listener of this.listeners) listener.trade(market);
  }

  candles(market: string): void {
    for (const listener of this.listeners) listener.candles(market);
  }

  order(order: Order): void {
    for (const listener of this.listeners) listener.order(order);
  }

  balance(name: string): void {
    for (const listener of this.listeners) listener.balance(name);
  }
}
