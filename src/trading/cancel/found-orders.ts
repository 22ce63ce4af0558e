import type { Order, OrderReference } from '../../domain/order.js';
import type { Host } from '../../platform/host.js';

/** How long the answers to cancellations hold up the next page, in milliseconds. */
const ANSWER_MS = 500;

/** Orders that are taken while others are still looked for, each once. */
export class FoundOrders implements AsyncIterable<OrderReference> {
  readonly #found = new Set<string>();
  readonly #waiting: string[] = [];
  #isOver = false;
  #wake = () => {};
  #unanswered = 0;
  /** Called when there is nothing more to wait for. */
  #released: (() => void)[] = [];

  /** Returns how many of them are new. */
  add(orders: readonly Order[]): number {
    const fresh = orders.map(({ id }) => id).filter((id) => !this.#found.has(id));
    for (const id of fresh) this.#found.add(id);
    this.#waiting.push(...fresh);
    this.#unanswered += fresh.length;
    this.#wake();
    return fresh.length;
  }

  /** The cancellation of one of them was answered. */
  answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) for (const release of this.#released.splice(0)) release();
  }

  /** Waits until all that were found are answered, for a moment at most. */
  async whenAnswered(host: Pick<Host, 'sleep'>): Promise<void> {
    if (this.#unanswered === 0) return;
    const end = new AbortController();
    const released = new Promise<void>((resolve) => {
      this.#released.push(resolve);
    });
    await Promise.race([released, host.sleep(ANSWER_MS, end.signal)]);
    end.abort();
  }

  /** No more are added. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  get ids(): readonly string[] {
    return [...this.#found];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OrderReference> {
    for (;;) {
      for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) yield { id };
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
