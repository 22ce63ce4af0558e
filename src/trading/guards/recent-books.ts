import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { BookView } from '../preview/market-view.js';

/** The oldest book that guards accept, in milliseconds since its request began. */
const MAX_AGE_MS = 1_000;

interface ReadBook {
  readonly book: BookView;
  readonly isFresh: () => boolean;
}

/**
 * The books that guards have read for the orders of one shell, so that orders in quick succession share one request. Only guards use
 * them: what an expression such as `ask` evaluates to, and a preview, come from a book of their own.
 */
export class RecentBooks {
  readonly #clocks: Pick<Host, 'now' | 'monotonic'>;

  readonly #books = new Map<string, ReadBook>();

  constructor(clocks: Pick<Host, 'now' | 'monotonic'>) {
    this.#clocks = clocks;
  }

  /** The book of a market (any key), if it is fresh; otherwise reads and keeps it. A Failure is not kept. */
  async of(market: string, read: () => Promise<BookView | Failure>): Promise<BookView | Failure> {
    const known = this.#books.get(market);
    if (known?.isFresh()) return known.book;
    const { now, monotonic } = this.#clocks;
    const [began, started] = [now(), monotonic()];
    // a clock that was set, or that stood still while the machine slept, makes no book younger
    const isFresh = () => now() >= began && Math.max(now() - began, monotonic() - started) <= MAX_AGE_MS;
    const book = await read();
    if (book instanceof Failure) this.#books.delete(market);
    else this.#books.set(market, { book, isFresh });
    return book;
  }

  /** Drops all books: something may have moved the market by itself. */
  forget(): void {
    this.#books.clear();
  }
}
