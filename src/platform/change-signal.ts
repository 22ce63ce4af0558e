/** Wakes everyone who waits for a change. */
export class ChangeSignal {
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  /**
   * Resolves at the next {@link notify}, when the signal is aborted, or when this is closed. Call it before you read: what
   * changes between reading and waiting is not missed then.
   */
  next(signal?: AbortSignal): Promise<void> {
    if (this.#isClosed || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  notify(): void {
    for (const done of [...this.#waiting]) done();
  }

  /** Wakes everyone. Later waits end at once. */
  close(): void {
    this.#isClosed = true;
    this.notify();
  }
}
