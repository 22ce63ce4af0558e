/**
 * `Intl.ListFormat` that is made when it first formats something. The build puts it in the place of the one that a package
 * makes when it is loaded.
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
