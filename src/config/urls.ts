import { Failure, usage } from '../errors.js';

/** What a URL is for decides the schemes it may have and the path that pit appends itself. */
export type UrlRole = 'base' | 'trade' | 'ws';

interface Rule {
  readonly secure: string;
  readonly plain: string;
  readonly appended: string;
  readonly example: string;
}

const RULES: Readonly<Record<UrlRole, Rule>> = {
  base: { secure: 'https:', plain: 'http:', appended: '/data/v1', example: 'https://api.example.com' },
  trade: { secure: 'https:', plain: 'http:', appended: '/api', example: 'https://trade.example.com' },
  ws: { secure: 'wss:', plain: 'ws:', appended: '', example: 'wss://api.example.com/websocket' },
};

const LONGEST = 2_048;

/**
 * A host's URL in the one form that pit keeps and compares: scheme and host in lower case, no slash at the end, and without
 * the path that pit appends (`/data/v1`, `/api`), which people paste along, as they do white space around it.
 *
 * No message quotes the URL: a pasted one may carry a password or a signature.
 * @param name what to call it in a message: `--trade-url`, `PIT_TRADE_URL`
 * @param origin its source. Plain http to another machine is a wrong input on the command line, and no usable host (exit 4
 *   in the contract) if it comes from the environment or a profile
 * @throws Failure `usage`, or `credentials` as said above
 */
export function checkUrl(
  role: UrlRole,
  name: string,
  text: string,
  origin: 'argument' | 'stored' = 'argument',
): string {
  const rule = RULES[role];
  const url = parse(name, text.trim(), rule);
  if (url.protocol !== rule.secure && !(url.protocol === rule.plain && isLoopback(url.hostname))) {
    const hint = `Use ${rule.secure}//; ${rule.plain}// is for this machine only (localhost, 127.0.0.1, [::1]).`;
    const message = `${name} would send requests to ${url.hostname} unencrypted (${url.protocol}//).`;
    if (url.protocol !== rule.plain)
      throw usage(`${name} starts with ${url.protocol}, which pit does not speak.`, hint);
    throw new Failure(origin === 'argument' ? 'usage' : 'credentials', message, { hint });
  }
  return withoutEnd(withoutEnd(url.href, '/'), rule.appended);
}

/** Whether a host's name means this machine whatever a name server says: 127.0.0.0/8, `localhost`, `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function parse(name: string, text: string, rule: Rule): URL {
  const refuse = (why: string) => usage(`${name} ${why}.`, `Write it like ${rule.example}.`);
  // The parser would drop tabs and line ends and turn a backslash into a slash, and mean another host than one reads.
  if (text.length > LONGEST || /[^\x21-\x7e]|\\/.test(text))
    throw refuse('holds characters that no URL has, or too many');
  if (!URL.canParse(text) || !/^[a-z]+:\/\/[^/]/i.test(text)) throw refuse('is not a whole URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || text.includes('@')) throw refuse('holds a user name or a password');
  if (/[?#]/.test(text)) throw refuse('holds a query or a fragment');
  return url;
}

function withoutEnd(text: string, end: string): string {
  const shorter = end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;
  return shorter.replace(/\/+$/, '');
}
