/**
 * Makes an `Intl.ListFormat` only when it formats something. The build replaces `Intl.ListFormat` in packages by it
 * (scripts/build.js).
 */
export class ListFormat {
  readonly #options: ConstructorParameters<typeof Intl.ListFormat>;

  constructor(...options: ConstructorParameters<typeof Intl.ListFormat>) {
    this.#options = options;
  }

  format(list: Iterable<string>): string {
    return new globalThis.Intl.ListFormat(...this.#options).format(list);
  }
}
