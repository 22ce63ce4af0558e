import type { Writable } from 'node:stream';

type Environment = Readonly<Record<string, string | undefined>>;

const MASK = '***';

/** In a URL or a printed object: `accesskey=…`, `sign%3D…`, `"sign": "…"`, `safePwd: '…'`, `'sign' => '…'`. */
const NAMED = /\b(accesskey|sign|safePwd)(=|%3D|["']?\s*(?::|=>)\s*['"]?)[^&\s'",}\]]+/gi;

/** Bytes as the runtime prints them. What is read from stdin may be a key. */
const BYTES = /<Buffer(?: [0-9a-f]{2})+/g;

/** Shorter texts would mask ordinary words. */
const SHORTEST = 4;

/** So many characters of a secret in a row give it away, even if the rest is cut off. */
const TELLING = 8;

/** Keys and signatures are at least this long, and no amount, id or word is like a part of them. */
const LONG = 16;

/** So many signatures are masked in every form, and parts of them: those of 40 seconds at the 60 requests a second that a key may send. */
const SIGNATURES = 2_400;

/** What is kept of an older one: so many of its digits, which are exact as a number and no chance repeats. */
const KEPT_DIGITS = 13;
const SIGNATURE_DIGITS = 32;
const HEXADECIMAL = new RegExp(`[0-9a-f]{${KEPT_DIGITS},}`, 'gi');

/** A letter, a digit, or the percent-encoding of a character, however often that was encoded again. */
const ENCODED = /%(?:25)*([0-9a-f]{2})|[a-z0-9]/gi;

/**
 * Masks secrets in text. Everything on stderr passes it: the runtime's debug output prints whole URLs, and here a URL
 * carries the access key, the signature and the fund password.
 */
export class Redaction {
  readonly #lasting = new Secrets();
  #recentSignatures = new Secrets();
  #olderSignatures = new Secrets();
  /** All signatures of this process, by their first digits. They are a few bytes each: `pit watch` signs for days. */
  readonly #signatures = new Set<number>();

  /** From now on the value is masked in every form in which a URL, JSON or the runtime's debug output may show it. */
  addSecret(secret: string): void {
    this.#lasting.add(secret);
  }

  /**
   * The same for the signature of a request. Whoever has a signed URL can send it again at any time, so none is forgotten; but once
   * many more were added, it is only masked as the exchange would take it, whole or cut short.
   */
  addSignature(signature: string): void {
    this.#signatures.add(beginningOf(signature));
    if (this.#recentSignatures.count === SIGNATURES) {
      this.#olderSignatures = this.#recentSignatures;
      this.#recentSignatures = new Secrets();
    }
    this.#recentSignatures.add(signature);
  }

  get #all(): readonly Secrets[] {
    return [this.#lasting, this.#recentSignatures, this.#olderSignatures].filter(({ count }) => count > 0);
  }

  /**
   * Masks what is written to stderr. Of lines of JSON, it masks the texts alone: a secret may look like a number or a part of an escape
   * there, and each line stays a document.
   */
  applyToOutput(text: string): string {
    return inJson(text, (one) => this.apply(one), areJsonLines);
  }

  /** Values before names: a name's pattern ends at a quote or a comma, which a fund password may hold. */
  apply(text: string): string {
    return this.#withoutSignatures(this.#withoutParts(this.#withoutValues(text)))
      .replace(NAMED, `$1$2${MASK}`)
      .replace(BYTES, `<Buffer ${MASK}`);
  }

  /**
   * Masks only whole keys and signatures. It is for answers and records: a short fund password may be a part of an amount or
   * an id there. Of a JSON document, it masks the texts alone, however they are escaped.
   */
  applyToData(text: string): string {
    return inJson(text, (one) => this.#withoutWhole(one), isJson);
  }

  #withoutWhole(text: string): string {
    let masked = text;
    for (const { longForms } of this.#all)
      for (const form of longForms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK);
    return this.#withoutSignatures(masked);
  }

  /** Every signature of this process, also if text that looks alike stands before or after it. */
  #withoutSignatures(text: string): string {
    if (this.#signatures.size === 0) return text;
    return text.replace(HEXADECIMAL, (digits) => {
      for (let at = 0; at + KEPT_DIGITS <= digits.length; at += 1)
        if (this.#signatures.has(beginningOf(digits.slice(at))))
          return `${digits.slice(0, at)}${MASK}${this.#withoutSignatures(digits.slice(at + SIGNATURE_DIGITS))}`;
      return digits;
    });
  }

  /** Parts of long secrets, also with other characters between their letters, or percent-encoded. */
  #withoutParts(text: string): string {
    const parts = this.#all.map((secrets) => secrets.parts).filter(({ size }) => size > 0);
    if (parts.length === 0) return text;
    const letters = lettersOf(text);
    let masked = '';
    let from = 0;
    for (let index = 0; index + TELLING <= letters.text.length; index += 1) {
      const part = letters.text.slice(index, index + TELLING);
      if (!parts.some((some) => some.has(part))) continue;
      const [start = 0, end = 0] = [letters.starts[index], letters.ends[index + TELLING - 1]];
      if (start >= from) masked += text.slice(from, start) + MASK;
      from = end;
    }
    return masked + text.slice(from);
  }

  /** From the beginning of a secret as far as any form of any secret goes on: what was cut short is masked as well. */
  #withoutValues(text: string): string {
    const all = this.#all;
    let masked = '';
    let from = 0;
    for (let index = 0; index + SHORTEST <= text.length; index += 1) {
      const first = text.slice(index, index + SHORTEST);
      // hardly any place of a text begins like a secret
      if (!all.some(({ forms }) => forms.has(first))) continue;
      const forms = all.flatMap((secrets) => [...(secrets.forms.get(first) ?? [])]);
      const shared = forms.map((secret) => ({ secret, length: sharedLength(secret, text, index) }));
      if (!shared.some(({ secret, length }) => length >= Math.min(secret.length, TELLING))) continue;
      if (index >= from) masked += text.slice(from, index) + MASK;
      from = Math.max(from, ...shared.map(({ length }) => index + length));
    }
    return masked + text.slice(from);
  }
}

/** Secrets in every form in which they may be shown. */
class Secrets {
  count = 0;
  /** By their first characters: each request adds a signature, and a batch sends thousands. */
  readonly forms = new Map<string, Set<string>>();
  /** Every part of a long secret that gives it away, letters and digits only. */
  readonly parts = new Set<string>();
  readonly longForms = new Set<string>();

  add(secret: string): void {
    this.count += 1;
    // each request adds a signature, which has nothing to decode
    const letters = LETTERS.test(secret) ? secret.toLowerCase() : lettersOf(secret).text;
    if (letters.length >= LONG) {
      for (let index = 0; index + TELLING <= letters.length; index += 1)
        this.parts.add(letters.slice(index, index + TELLING));
    }
    for (const form of formsOf(secret)) {
      if (form.length < SHORTEST) continue;
      if (form.length >= LONG) this.longForms.add(form);
      const first = form.slice(0, SHORTEST);
      const forms = this.forms.get(first);
      if (forms === undefined) this.forms.set(first, new Set([form]));
      else forms.add(form);
    }
  }
}

/** A text of a JSON document, with its quotation marks, and the colon after it if it is a name. */
const JSON_TEXT = /("(?:[^"\\]|\\.)*")(\s*:)?/gs;

/**
 * The names in pit's own objects on stderr. They stand there whatever the secrets are: to mask one would break the object, and tell that
 * it is a secret. Any other name may have come from outside.
 */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'note',
  'warning',
  'message',
  'hint',
  'error',
  'kind',
  'exitCode',
  'code',
  'clientId',
  'order',
  'halted',
  'market',
  'cancelsAt',
]);

/** Masks a text as a whole, or if it is JSON, each text in it but {@link OWN_NAMES}. */
function inJson(text: string, mask: (one: string) => string, isDocument: (text: string) => boolean): string {
  const masked = mask(text);
  if (masked === text && !text.includes('\\')) return text;
  if (!isDocument(text)) return masked;
  return text.replace(JSON_TEXT, (whole, quoted: string, colon: string = '') => {
    const one = JSON.parse(quoted) as string;
    if (colon !== '' && OWN_NAMES.has(one)) return whole;
    const harmless = mask(one);
    return harmless === one ? whole : `${inAscii(JSON.stringify(harmless))}${colon}`;
  });
}

/** Escapes what may hide text on a terminal: all but plain ASCII. */
function inAscii(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function areJsonLines(text: string): boolean {
  return text.split('\n').every((line) => line === '' || (line.startsWith('{') && isJson(line)));
}

function beginningOf(signature: string): number {
  return Number.parseInt(signature.slice(0, KEPT_DIGITS), 16);
}

/** Letters and digits alone. */
const LETTERS = /^[a-z0-9]*$/i;

/** Characters that a URL, a form and a quotation all leave as they are. */
const PLAIN = /^[\w.-]*$/;

function formsOf(secret: string): string[] {
  if (PLAIN.test(secret)) return [secret];
  // a lone surrogate has no percent-encoding, and no request can carry it
  const text = Buffer.from(secret).toString();
  const query = new URL(`http://localhost/?${encodeURIComponent(text)}`).search.slice(1);
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  // printed between quotes of three kinds, the backslash is always escaped and the quote sometimes
  const escapes = secret.replaceAll('\\', '\\\\');
  const quoted = [escapes.replaceAll("'", "\\'"), escapes.replaceAll('"', '\\"'), escapes.replaceAll('`', '\\`')];
  return [secret, encodeURIComponent(text), query, form, escapes, ...quoted];
}

/** The letters and digits of a text in lower case, percent-encoding undone, with where each begins and ends in the text. */
function lettersOf(text: string): { readonly text: string; readonly starts: number[]; readonly ends: number[] } {
  const [starts, ends]: [number[], number[]] = [[], []];
  let letters = '';
  for (const { 0: whole, 1: code, index } of text.matchAll(ENCODED)) {
    const character = code === undefined ? whole : String.fromCharCode(Number.parseInt(code, 16));
    if (!/^[a-z0-9]$/i.test(character)) continue;
    letters += character.toLowerCase();
    starts.push(index);
    ends.push(index + whole.length);
  }
  return { text: letters, starts, ends };
}

/** How many characters of the secret stand in the text at this place. */
function sharedLength(secret: string, text: string, start: number): number {
  let length = 0;
  while (length < secret.length && secret[length] === text[start + length]) length += 1;
  return length;
}

/**
 * Puts a redaction before the stream itself, so that the runtime's own debug lines (NODE_DEBUG) pass it too. The keys of
 * the environment are masked from the start: such lines print whole environments.
 */
export function maskSecrets(stream: Writable, redaction: Redaction): void {
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const masked = redaction.applyToOutput(text);
    // bytes that need no mask pass as they are, whether or not they are text
    return write(masked === text ? chunk : masked, ...rest);
  };
}

/** Masks the secrets of an environment. */
export function redactionOf(environment: Environment): Redaction {
  const redaction = new Redaction();
  const { PIT_ACCESS_KEY = '', PIT_SECRET_KEY = '' } = environment;
  // as pit uses them: white space at the edges is no part of a key
  for (const key of [PIT_ACCESS_KEY, PIT_SECRET_KEY]) redaction.addSecret(key.trim());
  for (const secret of proxySecrets(environment)) redaction.addSecret(secret);
  return redaction;
}

/** The variables that name a proxy, as other programs know them, in the case that counts first. */
export const PROXY_VARIABLES = [
  'https_proxy',
  'HTTPS_PROXY',
  'http_proxy',
  'HTTP_PROXY',
  'all_proxy',
  'ALL_PROXY',
] as const;

/** The secrets of the proxies in an environment: logins, passwords, and their encoded forms. @internal for its test */
export function proxySecrets(environment: Environment): string[] {
  return PROXY_VARIABLES.flatMap((name) => secretsOf(environment[name] ?? ''));
}

function secretsOf(text: string): string[] {
  // everything before the last @ may be a login, even if the text is not a URL
  const [, login = ''] = /^(?:[a-z0-9+.-]+:\/\/)?(.*)@/i.exec(text) ?? [];
  if (login === '') return [];
  const [, password = ''] = /^[^:]*:(.*)$/.exec(login) ?? [];
  const plain = decoded(login);
  return [login, plain, password, decoded(password), Buffer.from(plain).toString('base64')];
}

/** Decodes percent-encoding; returns the text itself if that is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
