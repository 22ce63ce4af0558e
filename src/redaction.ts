const MASK = '***';

/** In a URL or a printed object: `accesskey=…`, `"sign": "…"`, `safePwd: '…'`. */
const NAMED = /\b(accesskey|sign|safePwd)(=|"?\s*:\s*['"]?)[^&\s'",}\]]+/gi;

/** Shorter texts would mask ordinary words. */
const SHORTEST = 4;

/**
 * Knows what must not be shown and takes it out of text. It stands before everything that leaves on stderr, because the
 * runtime's own debug output prints whole URLs, and here the URL carries the access key, the signature and the fund
 * password.
 */
export class Redaction {
  readonly #secrets = new Set<string>();

  /** From now on the value is masked, as it is and percent-encoded. */
  keep(secret: string): void {
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      if (form.length >= SHORTEST) this.#secrets.add(form);
    }
  }

  apply(text: string): string {
    let masked = text.replace(NAMED, `$1$2${MASK}`);
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, MASK);
    return masked;
  }
}
