import type { ExchangeStream } from './events.js';

/**
 * Signals when the exchange pushes a change of an order. It connects in the background and never fails: without a stream, or
 * with a dead or unreadable one, it signals nothing. All that wait for a market share one stream.
 */
export class OrderPushStreams {
  readonly #byMarket = new Map<string, { readonly users: Set<OrderPushes>; readonly end: AbortController }>();

  /** @param open opens a stream of the orders of a market */
  constructor(private readonly open: (market: string, signal: AbortSignal) => Promise<ExchangeStream>) {}

  /** Its stream is closed with the last that use it. */
  of(market: string): OrderPushes {
    const { users, end } = this.#byMarket.get(market) ?? this.#start(market);
    const pushes = new OrderPushes(() => {
      users.delete(pushes);
      if (users.size > 0) return;
      end.abort();
      this.#byMarket.delete(market);
    });
    users.add(pushes);
    return pushes;
  }

  #start(market: string) {
    const started = { users: new Set<OrderPushes>(), end: new AbortController() };
    this.#byMarket.set(market, started);
    const follow = async () => {
      for await (const event of await this.open(market, started.end.signal))
        if (event.type === 'data') for (const pushes of started.users) pushes.notify();
    };
    follow().catch(() => undefined);
    return started;
  }
}

/** The pushes of a market, for one that waits. */
export class OrderPushes {
  #isPending = false;
  #wake: (() => void) | undefined;

  constructor(readonly close: () => void) {}

  /** Resolves at the next push, at once if one came since the last call, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isPending && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    if (!signal.aborted) this.#isPending = false;
  }

  notify(): void {
    this.#isPending = true;
    this.#wake?.();
  }
}
