import type { Entry } from './journal/entry.js';

/**
 * Whether a write has left this machine. Until then, while it waits for the exchange's limits or for what has to be known
 * before, it can be taken back, and nobody has to find out what became of it.
 */
export class Departure {
  #entry: Pick<Entry, 'note' | 'settle'> | undefined;
  #hasLeft = false;
  #isTakenBack = false;

  /** The write is recorded: from now on the journal says when it leaves, and where it is taken back. */
  recorded(entry: Pick<Entry, 'note' | 'settle'>): void {
    this.#entry = entry;
  }

  /** Asked at the very moment at which it would leave. */
  readonly goes = (): boolean => {
    this.#hasLeft = !this.#isTakenBack;
    if (this.#hasLeft) this.#entry?.note('sent');
    return this.#hasLeft;
  };

  /** Lets it not leave any more, and says so in the journal; false where it may have left. */
  takeBack(): boolean {
    if (this.#hasLeft) return false;
    if (!this.#isTakenBack) {
      const settlement = { outcome: 'notSent', id: null, duplicates: [] } as const;
      this.#entry?.settle(settlement, 'not sent: it was interrupted before');
    }
    this.#isTakenBack = true;
    return true;
  }
}
