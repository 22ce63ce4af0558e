import type { Order } from '../../domain/order.js';
import type { ExchangeStream } from './events.js';

interface Started {
  readonly users: Set<OrderPushes>;
  readonly end: AbortController;
  /** Undefined until it is open. */
  stream: Pick<ExchangeStream, 'of'> | undefined;
}

/**
 * Signals when the exchange pushes a change of an order. It connects in the background and never fails: without a stream, or
 * with a dead or unreadable one, it signals nothing. All that wait for a market share one stream.
 */
export class OrderPushStreams {
  readonly #open: (market: string, signal: AbortSignal) => Promise<ExchangeStream>;

  readonly #byMarket = new Map<string, Started>();

  /** @param open opens a stream of the orders of a market */
  constructor(open: (market: string, signal: AbortSignal) => Promise<ExchangeStream>) {
    this.#open = open;
  }

  /** Its stream is closed with the last that use it. */
  of(market: string): OrderPushes {
    const started = this.#byMarket.get(market) ?? this.#start(market);
    const { users, end } = started;
    const close = () => {
      users.delete(pushes);
      if (users.size > 0) return;
      end.abort();
      this.#byMarket.delete(market);
    };
    const order = (id: string) => started.stream?.of({ kind: 'orders', market })?.value.find((one) => one.id === id);
    const pushes = new OrderPushes(close, order);
    users.add(pushes);
    return pushes;
  }

  #start(market: string) {
    const started: Started = { users: new Set(), end: new AbortController(), stream: undefined };
    this.#byMarket.set(market, started);
    const follow = async () => {
      const stream = await this.#open(market, started.end.signal);
      started.stream = stream;
      for await (const event of stream) if (event.type === 'data') for (const pushes of started.users) pushes.notify();
    };
    follow().catch(() => undefined);
    return started;
  }
}

/** The pushes of a market, for one that waits. */
export class OrderPushes {
  #isPending = false;
  #wake: (() => void) | undefined;

  /** @param order returns an order as pushes have shown it last */
  constructor(
    readonly close: () => void,
    readonly order: (id: string) => Order | undefined,
  ) {}

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
