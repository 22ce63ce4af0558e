import type { ExchangeStream } from './events.js';

/**
 * Signals when the exchange pushes a change of an order. It connects in the background and never fails: without a stream, or
 * with a dead or unreadable one, it signals nothing.
 */
export class OrderPushes {
  readonly #end = new AbortController();
  #isPending = false;
  #wake: (() => void) | undefined;

  /** @param open opens a stream of orders */
  constructor(open: (signal: AbortSignal) => Promise<ExchangeStream>) {
    this.#follow(open).catch(() => undefined);
  }

  /** Resolves at the next push, at once if one came since the last call, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isPending && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    if (!signal.aborted) this.#isPending = false;
  }

  close(): void {
    this.#end.abort();
  }

  async #follow(open: (signal: AbortSignal) => Promise<ExchangeStream>): Promise<void> {
    for await (const event of await open(this.#end.signal)) {
      if (event.type !== 'data') continue;
      this.#isPending = true;
      this.#wake?.();
    }
  }
}
