import { inspect } from 'node:util';

const MASK = '***';

/** In a URL or a printed object: `accesskey=…`, `sign%3D…`, `"sign": "…"`, `safePwd: '…'`, `'sign' => '…'`. */
const NAMED = /\b(accesskey|sign|safePwd)(=|%3D|["']?\s*(?::|=>)\s*['"]?)[^&\s'",}\]]+/gi;

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
  /** Longest first, so that a secret that begins another one leaves nothing of it. */
  #secrets: readonly string[] = [];

  /** From now on the value is masked in every form in which a URL, JSON or the runtime's debug output may show it. */
  keep(secret: string): void {
    const forms = formsOf(secret).filter((form) => form.length >= SHORTEST);
    this.#secrets = [...new Set([...this.#secrets, ...forms])].sort((left, right) => right.length - left.length);
  }

  /** Values before names: a name's pattern ends at a quote or a comma, which a fund password may hold. */
  apply(text: string): string {
    return this.#secrets.reduce(without, text).replace(NAMED, `$1$2${MASK}`);
  }
}

function formsOf(secret: string): string[] {
  // a lone surrogate has no percent-encoding, and no request can carry it
  const text = Buffer.from(secret).toString();
  const query = new URL(`http://localhost/?${encodeURIComponent(text)}`).search.slice(1);
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  return [
    secret,
    encodeURIComponent(text),
    query,
    form,
    JSON.stringify(secret).slice(1, -1),
    inspect(secret).slice(1, -1),
  ];
}

/** Masks the secret, and its beginning where the text does not go on with the rest. */
function without(text: string, secret: string): string {
  const head = secret.slice(0, TELLING);
  let masked = '';
  let from = 0;
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, from)) {
    masked += text.slice(from, at) + MASK;
    from = at + head.length;
    while (from < text.length && text[from] === secret[from - at]) from += 1;
  }
  return masked + text.slice(from);
}
