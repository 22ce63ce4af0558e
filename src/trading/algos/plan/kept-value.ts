/** A value that is kept while what it is made of stays the same. */
export class KeptValue<Value> {
  #known: { readonly parts: readonly unknown[]; readonly value: Value } | undefined;

  /** @param parts what it is made of: always as many, each compared by its identity */
  of(parts: readonly unknown[], make: () => Value): Value {
    const known = this.#known;
    if (known?.parts.every((part, index) => part === parts[index]) === true) return known.value;
    const value = make();
    this.#known = { parts, value };
    return value;
  }
}
