import { createHash, createHmac } from 'node:crypto';
import { BATCH_IDS, type OperationExample, ORDER, PLACED_ID, type Rule } from '../operations/example.js';
import { EXAMPLES, NAMES } from '../operations/index.js';
import { type HostReply, openHost } from './world/hosts.js';

/*
 * An exchange that knows the interface's document and nothing else. It checks what the document says of a request, and answers with
 * one example of each answer that the document shows, always the same; only an order that was placed is shown with its own terms. What
 * is not shown is answered with 404 and no body: error codes, the body of getOrders, and every unnamed path. It shares no code with
 * src/, so that no mistake is made on both sides. It has no port: how requests are sent is a matter of test/exchange.
 */

const ACCESS_KEY = 'document-access-key';
const SECRET_KEY = 'document-secret-key';

const KNOWN: Readonly<Record<string, OperationExample>> = EXAMPLES;

/** The operations whose answer the document shows. */
export const DOCUMENTED = NAMES.filter((name) => EXAMPLES[name].notShown !== true);

export interface DocumentExchange {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the document shows and was called. */
  readonly called: ReadonlySet<string>;
  /** What was asked although the document does not show its answer. */
  readonly notShown: ReadonlySet<string>;
  /** Requests that break the document, in words. */
  readonly broken: readonly string[];
  /** Path and query of every request, in their order. */
  readonly requests: readonly string[];
  /** Its order is open again. */
  reopen(): void;
  close(): void;
}

/** The body of an answer, or what makes it of the parameters. */
export type Answer = string | ((given: URLSearchParams) => string);

/**
 * Has it answer commands of this process until it is closed.
 * @param answers bodies in place of the examples, by operation, that of getOrders included; they may change meanwhile
 */
export function startDocumentExchange(answers: Readonly<Record<string, Answer>> = {}): DocumentExchange {
  const called = new Set<string>();
  const notShown = new Set<string>();
  const broken: string[] = [];
  const requests: string[] = [];
  /** A cancelled order that was filled in part has the status 2. */
  let isCancelled = false;
  const placed = new Map<string, string>();
  const { url, close } = openHost((path, given): HostReply => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    requests.push(given.size === 0 ? path : `${path}?${given}`);
    const answer = answers[name];
    const example = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
    if (answer === undefined && (example === undefined || example.notShown)) {
      notShown.add(name);
      return { status: 404, body: '' };
    }
    // a test that gives the answer of an unknown operation knows its parameters too
    const problem = example === undefined ? undefined : problemOf(path, given, name, example);
    if (problem !== undefined) {
      broken.push(`${name}: ${problem}`);
      return { status: 404, body: '' };
    }
    called.add(name);
    isCancelled ||= name === 'cancelOrder';
    for (const [id, order] of placedBy(name, given)) placed.set(id, order);
    const own = name === 'getOrder' ? placed.get(given.get('id') ?? '') : undefined;
    const body = typeof answer === 'function' ? answer(given) : (answer ?? own ?? example?.answer ?? '');
    return { body: isCancelled ? body.replace('"status":3', '"status":2') : body };
  });
  const environment = {
    PIT_BASE_URL: url,
    PIT_TRADE_URL: url,
    PIT_ACCESS_KEY: ACCESS_KEY,
    PIT_SECRET_KEY: SECRET_KEY,
  };
  const reopen = () => {
    isCancelled = false;
  };
  return { url, environment, called, notShown, broken, requests, reopen, close };
}

/** What getOrder shows of the orders that a request placed, by their ids. */
function placedBy(name: string, given: URLSearchParams): [id: string, answer: string][] {
  const orderOf = (id: string, price: string, amount: string): [string, string] => {
    const type = given.get('tradeType');
    const terms = `"id":"${id}","currency":"${ORDER.market}","price":${price},"total_amount":${amount}`;
    const fills = '"trade_amount":0,"trade_money":0,"trade_date":1648461600123,"status":0';
    return [id, `{${terms},${fills},"type":${type},"fees":"0","useXxFee":false}`];
  };
  if (name === 'order') return [orderOf(PLACED_ID, given.get('price') ?? '', given.get('amount') ?? '')];
  const pairs = name === 'orderMoreV2' ? [...(given.get('tradeParams') ?? '').matchAll(/\[([\d.]+),([\d.]+)\]/g)] : [];
  return pairs.map(([, price = '', amount = ''], index) => orderOf(BATCH_IDS[index] ?? '', price, amount));
}

/** What the document says against a request; undefined if nothing. */
function problemOf(path: string, given: URLSearchParams, name: string, shown: OperationExample): string | undefined {
  if (path !== shown.path.replace(/\?.*/, '')) return `the path is ${path}`;
  const isTrading = path.startsWith('/api/');
  const common = isTrading ? ['method', 'accesskey', 'sign', 'reqTime'] : [];
  for (const key of given.keys()) {
    if (given.getAll(key).length > 1) return `${key} is given twice`;
    if (!common.includes(key) && !Object.keys(shown.parameters).some((one) => bare(one) === key))
      return `${key} is no parameter`;
  }
  for (const [key, rule] of Object.entries(shown.parameters)) {
    const value = given.get(bare(key));
    if (value === null) {
      if (!key.endsWith('?')) return `${key} is missing`;
    } else if (!expressionOf(rule).test(value)) return `${key} is ${value}`;
  }
  if ('id?' in shown.parameters && given.has('id') === given.has('customerOrderId'))
    return 'exactly one of id and customerOrderId is given';
  if (isTrading && shown.unsigned !== true) return signatureProblem(given, name);
  return undefined;
}

const bare = (key: string) => key.replace(/\?$/, '');

function expressionOf(rule: Rule): RegExp {
  // the document says no more of a name than that the coins of a market are joined by `_`, in lower case
  if (rule === 'market') return /^[^\s_\p{Lu}]+_[^\s_\p{Lu}]+$/u;
  return rule === 'coin' ? /^[^\s_]+$/ : rule;
}

/** "Every request parameter except `sign` and `reqTime`, ordered by name, each as `name=value`, joined with `&`." */
function signatureProblem(given: URLSearchParams, name: string): string | undefined {
  if (given.get('method') !== name) return 'method is not the name of the operation';
  if (given.get('accesskey') !== ACCESS_KEY) return 'the accesskey is unknown';
  if (!/^\d{13}$/.test(given.get('reqTime') ?? '')) return 'reqTime is not in milliseconds';
  const signed = [...given].filter(([key]) => key !== 'sign' && key !== 'reqTime');
  signed.sort(([left], [right]) => (left < right ? -1 : 1));
  const text = signed.map(([key, value]) => `${key}=${value}`).join('&');
  const key = createHash('sha1').update(SECRET_KEY).digest('hex');
  const sign = createHmac('md5', key).update(text).digest('hex');
  return given.get('sign') === sign ? undefined : 'the signature is wrong';
}
