import type { JournalEntry } from './journal/entry.js';

/**
 * Whether a write has left this machine. Until then, while it waits for the exchange's limits or for what has to be known
 * first, it can be cancelled, and its outcome is known.
 */
export class SendGate {
  #entry: Pick<JournalEntry, 'note' | 'settle'> | undefined;
  #hasLeft = false;
  #isCancelled = false;

  /** The write is recorded: from now on the journal says when it leaves or is cancelled. */
  attachEntry(entry: Pick<JournalEntry, 'note' | 'settle'>): void {
    this.#entry = entry;
  }

  /** Asked at the moment the request would leave. */
  readonly mayLeave = (): boolean => {
    this.#hasLeft = !this.#isCancelled;
    if (this.#hasLeft) this.#entry?.note('sent');
    return this.#hasLeft;
  };

  /** Keeps the write from leaving, and says so in the journal; false if it may have left. */
  cancel(): boolean {
    if (this.#hasLeft) return false;
    if (!this.#isCancelled) {
      const settlement = { outcome: 'notSent', id: null, duplicates: [] } as const;
      this.#entry?.settle(settlement, 'not sent: it was interrupted before');
    }
    this.#isCancelled = true;
    return true;
  }
}
