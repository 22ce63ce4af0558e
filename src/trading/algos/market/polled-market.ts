import type { Depth, Trade } from '../../../domain/market-data.js';
import { Failure } from '../../../errors.js';
import type { Exchange } from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';
import type { BookView } from '../../preview/market-view.js';

export interface PolledMarketOptions {
  readonly host: Pick<Host, 'monotonic'>;
  readonly market: string;
  readonly client: Pick<Exchange, 'depth' | 'trades'>;
  readonly restartBudget: () => void;
  /** Called when the market was read. */
  readonly came: () => void;
}

/** What was read, and when that began, on the monotonic clock. */
export interface Seen<Value> {
  readonly value: Value;
  readonly at: number;
}

/** How much of the book is read: more than a step of an algo order needs. */
const LEVELS = 20;
/** After a read that failed, in milliseconds. */
const PAUSE_MS = 1_000;

/** A market as it was read over HTTP, because nothing was pushed or somebody has asked for it. */
export class PolledMarket {
  readonly #options: PolledMarketOptions;

  book: Seen<Depth> | undefined;
  trades: Seen<readonly Trade[]> | undefined;
  #isReading = false;
  #isRefreshDue = false;
  #nextRead = 0;
  #hasEnded = false;

  constructor(options: PolledMarketOptions) {
    this.#options = options;
  }

  /** Reads at the next {@link tick}, although nothing is old. */
  refresh(): void {
    this.#isRefreshDue = true;
  }

  /** Called often. @param isOld whether what is known is about to become stale */
  tick(isOld: boolean, needsTrades: boolean): void {
    const isDue = (isOld || this.#isRefreshDue) && this.#options.host.monotonic() >= this.#nextRead;
    if (isDue && !this.#isReading) void this.read(needsTrades);
  }

  async read(needsTrades: boolean): Promise<void> {
    const { host, client, restartBudget, market, came } = this.#options;
    [this.#isReading, this.#isRefreshDue] = [true, false];
    try {
      const at = host.monotonic();
      restartBudget();
      const [depth, trades] = await Promise.all([
        client.depth({ market, size: LEVELS }),
        needsTrades ? client.trades(market) : undefined,
      ]);
      if (this.#hasEnded) return;
      this.book = { value: depth, at };
      if (trades !== undefined) this.trades = { value: trades, at };
      this.#nextRead = 0;
      came();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#nextRead = host.monotonic() + PAUSE_MS;
    } finally {
      this.#isReading = false;
    }
  }

  /** Reads the book for guards, beside all other reads. */
  async readBookView(): Promise<BookView | Failure> {
    const { client, market, restartBudget } = this.#options;
    try {
      restartBudget();
      const { bids, asks } = await client.depth({ market, size: LEVELS });
      return { bids, asks, last: null };
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  /** What is read from now on counts no more. */
  end(): void {
    this.#hasEnded = true;
  }
}
