import type { TradingAccount } from './account.js';

/** A wait that is over by then needs no stream. */
const QUICK_MS = 2_000;
/** The exchange is not read more often than this because of pushes, however many come. */
const SPACING_MS = 250;

/**
 * Pauses between reads. A pushed order change ends a pause early; nothing depends on pushes.
 */
export class ReadPauses {
  #waitedMs = 0;
  #pushes: ReturnType<NonNullable<TradingAccount['orderPushes']>>;

  /** @param market undefined for what no stream tells of */
  constructor(
    private readonly account: Pick<TradingAccount, 'host' | 'orderPushes'>,
    private readonly market: string | undefined,
  ) {}

  /** Returns whether a push has ended the pause. */
  async wait(milliseconds: number): Promise<boolean> {
    const { host, orderPushes } = this.account;
    this.#waitedMs += milliseconds;
    if (this.#waitedMs > QUICK_MS && this.market !== undefined) this.#pushes ??= orderPushes?.(this.market);
    const pushes = this.#pushes;
    if (pushes === undefined || milliseconds <= SPACING_MS) {
      await host.sleep(milliseconds);
      return false;
    }
    const over = new AbortController();
    const pushed = async () => {
      await host.sleep(SPACING_MS, over.signal);
      await pushes.next(over.signal);
      return true;
    };
    const elapsed = host.sleep(milliseconds, over.signal).then(() => false);
    try {
      return await Promise.race([elapsed, pushed()]);
    } finally {
      over.abort();
    }
  }

  close(): void {
    this.#pushes?.close();
  }
}
