/** What goes on beside a loop, which looks again when a part of it is over. */
export class WorkUnderWay {
  readonly #failed: (thrown: unknown) => void;
  readonly #over: () => void;
  readonly #parts = new Set<Promise<void>>();

  /** @param over called when a part of it is over */
  constructor(failed: (thrown: unknown) => void, over: () => void) {
    [this.#failed, this.#over] = [failed, over];
  }

  get isIdle(): boolean {
    return this.#parts.size === 0;
  }

  follow(work: Promise<unknown>): void {
    const followed: Promise<void> = work
      .then(() => undefined, this.#failed)
      .finally(() => {
        this.#parts.delete(followed);
        this.#over();
      });
    this.#parts.add(followed);
  }

  /** Resolves when what goes on now is over. */
  async done(): Promise<void> {
    await Promise.all(this.#parts);
  }
}
