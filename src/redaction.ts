const MASK = '***';

/** In a URL or a printed object: `accesskey=…`, `sign%3D…`, `"sign": "…"`, `safePwd: '…'`, `'sign' => '…'`. */
const NAMED = /\b(accesskey|sign|safePwd)(=|%3D|["']?\s*(?::|=>)\s*['"]?)[^&\s'",}\]]+/gi;

/** Bytes as the runtime prints them: what is read from stdin may be a key. */
const BYTES = /<Buffer(?: [0-9a-f]{2})+/g;

/** Shorter texts would mask ordinary words. */
const SHORTEST = 4;

/** So many first characters of a secret give it away, wherever the rest was cut off. */
const TELLING = 8;

/**
 * Knows what must not be shown and takes it out of text. It stands before everything that leaves on stderr, because the
 * runtime's own debug output prints whole URLs, and here the URL carries the access key, the signature and the fund
 * password.
 */
export class Redaction {
  readonly #secrets = new Set<string>();
  /** Matches where a secret may begin; undefined while a new secret is not in it yet. */
  #beginnings: RegExp | undefined;

  /** From now on the value is masked in every form in which a URL, JSON or the runtime's debug output may show it. */
  keep(secret: string): void {
    for (const form of formsOf(secret)) if (form.length >= SHORTEST) this.#secrets.add(form);
    this.#beginnings = undefined;
  }

  /** Values before names: a name's pattern ends at a quote or a comma, which a fund password may hold. */
  apply(text: string): string {
    return this.#withoutValues(text).replace(NAMED, `$1$2${MASK}`).replace(BYTES, `<Buffer ${MASK}`);
  }

  /** From the beginning of a secret as far as any form of any secret goes on: what was cut short is masked as well. */
  #withoutValues(text: string): string {
    this.#beginnings ??= beginningsOf(this.#secrets);
    let masked = '';
    let from = 0;
    for (const { index } of text.matchAll(this.#beginnings)) {
      if (index >= from) masked += text.slice(from, index) + MASK;
      for (const secret of this.#secrets) from = Math.max(from, index + sharedLength(secret, text, index));
    }
    return masked + text.slice(from);
  }
}

function formsOf(secret: string): string[] {
  // a lone surrogate has no percent-encoding, and no request can carry it
  const text = Buffer.from(secret).toString();
  const query = new URL(`http://localhost/?${encodeURIComponent(text)}`).search.slice(1);
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  // printed between quotes of three kinds, the backslash is always escaped and the quote sometimes
  const escapes = secret.replaceAll('\\', '\\\\');
  const quoted = [escapes.replaceAll("'", "\\'"), escapes.replaceAll('"', '\\"'), escapes.replaceAll('`', '\\`')];
  return [secret, encodeURIComponent(text), query, form, escapes, ...quoted];
}

function beginningsOf(secrets: ReadonlySet<string>): RegExp {
  const beginnings = new Set([...secrets].map((secret) => escaped(secret.slice(0, TELLING))));
  // without any, a pattern that matches nowhere
  return new RegExp([...beginnings].join('|') || '(?!)', 'g');
}

/** How many characters of the secret stand in the text at this place. */
function sharedLength(secret: string, text: string, start: number): number {
  let length = 0;
  while (length < secret.length && secret[length] === text[start + length]) length += 1;
  return length;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
