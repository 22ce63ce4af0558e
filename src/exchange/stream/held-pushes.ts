/** What was pushed. */
export interface Push {
  readonly data: unknown;
  readonly raw: string;
}

/** So many pushes are held. */
const MAX_HELD = 1_000;
const MAX_HELD_CHARACTERS = 2 ** 20;

/** The pushes that wait until what HTTP shows has been passed on, oldest first, in bounded memory. */
export class HeldPushes {
  #pushes: Push[] = [];
  #characters = 0;

  /** Returns false if there are too many now: they have to be taken. */
  add(push: Push): boolean {
    this.#pushes.push(push);
    this.#characters += push.raw.length;
    return this.#pushes.length <= MAX_HELD && this.#characters <= MAX_HELD_CHARACTERS;
  }

  /** Returns what was held: nothing is held any more. */
  take(): readonly Push[] {
    const pushes = this.#pushes;
    this.#pushes = [];
    this.#characters = 0;
    return pushes;
  }
}
