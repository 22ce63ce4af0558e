import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { Journal } from '../journal/journal.js';

/** How long an order that the journal does not know stays unknown, in milliseconds: it may be placed just now. */
const FRESH_MS = 2_000;

/**
 * The ids that orders were placed with, as far as the journal keeps them: the exchange lists orders without them. A journal that
 * cannot be read knows none, and what is listed is right without them.
 */
export class KnownClientIds {
  readonly #journal: () => Journal;
  readonly #monotonic: () => number;

  #names: ReadonlyMap<string, string> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(journal: () => Journal, monotonic: () => number) {
    this.#journal = journal;
    this.#monotonic = monotonic;
  }

  /** The id that the exchange named, or else that of the journal; null if neither is known. */
  of({ id, clientId }: Pick<Order, 'id' | 'clientId'>): string | null {
    if (clientId !== null) return clientId;
    if (!this.#names.has(id) && this.#monotonic() - this.#readAt > FRESH_MS) this.#read();
    return this.#names.get(id) ?? null;
  }

  #read(): void {
    try {
      this.#names = this.#journal().archive.clientIds();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    this.#readAt = this.#monotonic();
  }
}
