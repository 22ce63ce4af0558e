/** The time a whole command may take. All requests, retries and waits of the command draw from the same one. */
export class Budget {
  readonly #end: number;

  constructor(
    readonly milliseconds: number,
    private readonly now: () => number,
  ) {
    this.#end = now() + milliseconds;
  }

  get leftMs(): number {
    return Math.max(0, this.#end - this.now());
  }

  allows(milliseconds: number): boolean {
    return this.leftMs > milliseconds;
  }
}
