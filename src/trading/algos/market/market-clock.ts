import type { Depth } from '../../../domain/market-data.js';
import type { Exchange } from '../../../exchange/exchange.js';

/**
 * The clock of the market-data host, which dates books too: one that runs faster than this machine's shows there. Until that host has
 * answered, and again after this machine's clock was set, only books show the time: this machine's may be hours off.
 */
export class MarketClock {
  readonly #client: Pick<Exchange, 'isMarketTimeKnown' | 'marketNow' | 'now'>;

  /** The time of the newest book that was ever seen; 0 before the first. */
  #newestBook = 0;
  /** The last time that the host has shown; 0 before the first. */
  #shown = 0;

  constructor(client: Pick<Exchange, 'isMarketTimeKnown' | 'marketNow' | 'now'>) {
    this.#client = client;
  }

  /** Milliseconds since the Unix epoch. @param book the newest that is known */
  now(book: Pick<Depth, 'time'> | undefined): number {
    this.#newestBook = Math.max(this.#newestBook, book?.time ?? 0);
    if (this.#client.isMarketTimeKnown) this.#shown = this.#client.marketNow();
    const known = Math.max(this.#shown, this.#newestBook);
    return known === 0 ? this.#client.now() : known;
  }
}
