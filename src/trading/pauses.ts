import type { TradingAccount } from './account.js';

/** A shorter wait opens no stream. */
const QUICK_MS = 2_000;
/** The shortest pause, however many pushes come. */
const SPACING_MS = 250;

/** Pauses between requests. A pushed order change ends one early; nothing depends on pushes. */
export class Pauses {
  #waitedMs = 0;
  #pushes: ReturnType<NonNullable<TradingAccount['orderPushes']>>;

  /** @param market the market whose pushes end a pause; undefined if no stream reports what is waited for */
  constructor(
    private readonly account: Pick<TradingAccount, 'host' | 'orderPushes'>,
    private readonly market: string | undefined,
  ) {}

  /**
   * Returns whether a push has ended the pause.
   * @param end also ends the pause
   */
  async wait(milliseconds: number, end?: AbortSignal): Promise<boolean> {
    const { host, orderPushes } = this.account;
    this.#waitedMs += milliseconds;
    if (this.#waitedMs > QUICK_MS && this.market !== undefined) this.#pushes ??= orderPushes?.(this.market);
    const pushes = this.#pushes;
    if (pushes === undefined || milliseconds <= SPACING_MS) {
      await host.sleep(milliseconds, end);
      return false;
    }
    const over = new AbortController();
    const cut = end === undefined ? over.signal : AbortSignal.any([over.signal, end]);
    const pushed = async () => {
      await host.sleep(SPACING_MS, cut);
      await pushes.next(cut);
      return true;
    };
    const elapsed = host.sleep(milliseconds, cut).then(() => false);
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
