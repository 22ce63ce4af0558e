import type { Order } from '../../domain/order.js';
import type { TradingContext } from '../trading-context.js';

/** A stream is opened once the pauses add up to more than this. */
const STREAM_AFTER_MS = 2_000;
/** No pause is shorter, however many pushes come. */
const SHORTEST_PAUSE_MS = 250;

/** Pauses between requests. A pushed order change ends one early; nothing depends on pushes. */
export class Pauses {
  readonly #trading: Pick<TradingContext, 'host' | 'orderPushes'>;
  readonly #market: string | undefined;
  readonly #streamAfterMs: number;

  #waitedMs = 0;
  #pushes: ReturnType<NonNullable<TradingContext['orderPushes']>>;

  /**
   * @param market the market whose pushes end a pause; undefined if the stream does not report the awaited change
   * @param streamAfterMs how long the pauses may be together before a stream is opened
   */
  constructor(
    trading: Pick<TradingContext, 'host' | 'orderPushes'>,
    market: string | undefined,
    streamAfterMs = STREAM_AFTER_MS,
  ) {
    this.#trading = trading;
    this.#market = market;
    this.#streamAfterMs = streamAfterMs;
  }

  /** The order as pushes have shown it last; undefined if none was about it, or there is no stream yet. */
  pushedOrder(id: string): Order | undefined {
    return this.#pushes?.order(id);
  }

  /** Whether a stream was opened. */
  get hasStream(): boolean {
    return this.#pushes !== undefined;
  }

  /**
   * Waits, and returns whether a push ended the pause.
   * @param signal ends the pause too
   */
  async wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const { host, orderPushes } = this.#trading;
    this.#waitedMs += milliseconds;
    if (this.#waitedMs > this.#streamAfterMs && this.#market !== undefined)
      this.#pushes ??= orderPushes?.(this.#market);
    const pushes = this.#pushes;
    if (pushes === undefined) {
      await host.sleep(milliseconds, signal);
      return false;
    }
    const finished = new AbortController();
    const stop = signal === undefined ? finished.signal : AbortSignal.any([finished.signal, signal]);
    const pushed = async () => {
      await host.sleep(SHORTEST_PAUSE_MS, stop);
      await pushes.next(stop);
      return true;
    };
    const elapsed = host.sleep(milliseconds, stop).then(() => false);
    try {
      return await Promise.race([elapsed, pushed()]);
    } finally {
      finished.abort();
    }
  }

  close(): void {
    this.#pushes?.close();
  }
}
