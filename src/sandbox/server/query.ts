import { Refusal } from '../refusals.js';

/** A request target in its two parts, as they were sent. */
interface Target {
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Splits a request target. The absolute form, which proxies send, is understood. */
export function splitTarget(url: string): Target {
  const target = url.startsWith('/') ? url : url.replace(ABSOLUTE, '');
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** More than any operation has; a client may send some that the interface does not know. */
const MOST_PARAMETERS = 100;

/**
 * Reads a query string as the commonest servers read a form: `+` is a space, percent sequences are UTF-8. Chosen, not
 * documented: a name given twice is refused, because it is not known which of the two would be signed. The result keeps
 * the values decoded, as they are signed.
 *
 * Throws {@link Refusal} on raw bytes beyond ASCII, percent nonsense, too many parameters, and names that are doubled or not printable ASCII.
 */
export function readQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  // some HTTP parsers let such bytes through, and whether they were meant as UTF-8 is a guess
  if (/[^ -~]/.test(query)) throw new Refusal('badParameter', 'characters beyond ASCII must be percent-encoded');
  const parts = query.split('&');
  if (parts.length > MOST_PARAMETERS) throw new Refusal('badParameter', 'too many parameters');
  for (const part of parts) {
    if (part === '') continue;
    const mark = part.indexOf('=');
    const name = decode(mark === -1 ? part : part.slice(0, mark));
    if (!/^[!-~]+$/.test(name)) throw new Refusal('badParameter', 'a name that is not printable ASCII');
    if (parameters.has(name)) throw new Refusal('badParameter', `${name.slice(0, 40)} is given twice`);
    parameters.set(name, mark === -1 ? '' : decode(part.slice(mark + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new Refusal('badParameter', 'a percent sequence that is not UTF-8');
  }
}
