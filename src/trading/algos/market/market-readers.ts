import type { BestPrices } from '../../../domain/book.js';
import type { Trade } from '../../../domain/market-data.js';
import type { OrderUpdate } from '../../../exchange/exchange.js';
import type { GapReader } from './market-gaps.js';

/** Who hears what comes of a market. */
export interface MarketReader extends GapReader {
  /** Something has come: the book, trades, or the end of a gap. */
  changed(): void;
  /** Whether a book with these prices, and trades beside it, change nothing: then it need not be told of them. */
  isUnmovedBy(best: BestPrices): boolean;
  /** Trades that were not known before. */
  traded(trades: readonly Trade[]): void;
  /** Own orders that are new or have changed. */
  orders(orders: readonly OrderUpdate[]): void;
}

/** All who hear what comes of a market. One that hears it may leave at once. */
export class MarketReaders {
  readonly #readers = new Set<MarketReader>();

  add(reader: MarketReader): void {
    this.#readers.add(reader);
  }

  remove(reader: MarketReader): void {
    this.#readers.delete(reader);
  }

  get all(): readonly MarketReader[] {
    return [...this.#readers];
  }

  areUnmovedBy(best: BestPrices): boolean {
    return this.all.every((reader) => reader.isUnmovedBy(best));
  }

  traded(trades: readonly Trade[]): void {
    for (const reader of this.#readers) reader.traded(trades);
  }

  orders(orders: readonly OrderUpdate[]): void {
    for (const reader of this.#readers) reader.orders(orders);
  }

  /** @param best the prices of the book, if nothing else has changed but trades; null otherwise */
  changed(best: BestPrices | null = null): void {
    for (const reader of this.all) if (best === null || !reader.isUnmovedBy(best)) reader.changed();
  }
}
