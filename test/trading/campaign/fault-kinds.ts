import { gzipSync } from 'node:zlib';
import type { Passing, Reply, Treatment } from '../../support/proxy.js';
import {
  answer,
  bodyOf,
  chunked,
  headOf,
  PAGE,
  page,
  refusal,
  withBody,
  withHeaders,
  withoutHeader,
} from './http-answers.js';

/** The names of the kinds of action that a fault can meet. */
export const OPERATIONS = ['order', 'withdraw', 'batch', 'cancel', 'replace', 'equals'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What a fault can use in addition to the request. */
export interface Around {
  readonly request: Passing;
  /** The tolerance of the exchange, in ms. */
  readonly tolerance: number;
  /** The last answer of the exchange to a write of this operation; only of another market if wanted so. */
  earlier(isElsewhere: boolean): string | undefined;
  /** The rows of a list that are older than this many ms, a page as long as the exchange's. */
  lagging(ms: number): Promise<string>;
}

type Treat = (around: Around) => Omit<Treatment, 'name'> | undefined;

/** One kind of fault. It meets the first write of an action, or the reads that follow it. */
export interface CampaignFault {
  readonly name: string;
  /** It meets every fourth of twenty equal orders that are placed at once, and nothing else. */
  readonly isCrowd?: boolean;
  /** The name of the PIT_HOME that it needs, if it changes what other commands know. */
  readonly home?: string;
  /** The writes that it can meet, by the interface's names; all if absent. */
  readonly writes?: readonly string[];
  /** Undefined if it needs something that has not happened yet: then the request passes. */
  readonly write?: Treat;
  /** What it does to reads of single orders or to lists, for so many ms after the client got its reply. */
  readonly read?: { readonly of: readonly ('lookup' | 'list')[]; readonly ms: number; readonly treat: Treat };
  /** What it does to the clock of the machine. */
  readonly clock?: Clock;
}

/** A jump of the wall clock by so many ms, `after` so many ms of the process; or another `speed`. */
interface Clock {
  readonly after: number;
  readonly jump: number;
  readonly speed?: number;
}

/** Done `times` times at once, and then this reply; the answers are those of the exchange, in turn. */
function done(reply: Reply, times = 1): Treat {
  return () => ({ forward: Array.from({ length: times }, () => 0), awaited: times, reply });
}

function notDone(reply: Reply): Treat {
  return () => ({ forward: [], awaited: 0, reply });
}

/** Done once, after which the client gets what is made of the answer. */
function made(make: (bytes: string, around: Around) => string, end: 'close' | 'reset' | 'never' = 'close'): Treat {
  return (around) => ({
    ...{ forward: [0], awaited: 1 },
    reply: { kind: 'made', make: ([bytes = '']) => make(bytes, around), end },
  });
}

/** The same without an execution. */
function madeUp(make: (around: Around) => string | undefined): Treat {
  return (around) => {
    const bytes = make(around);
    return bytes === undefined ? undefined : notDone({ kind: 'own', bytes })(around);
  };
}

const RESET: Reply = { kind: 'nothing', end: 'reset' };
const CLOSE: Reply = { kind: 'nothing', end: 'close' };
const SILENCE: Reply = { kind: 'nothing', end: 'never' };

const share = (bytes: string, part: number) => bytes.slice(0, Math.floor(bytes.length * part));

const CONNECTIONS: readonly CampaignFault[] = [
  { name: 'not done, reset', write: notDone(RESET) },
  { name: 'not done, closed', write: notDone(CLOSE) },
  { name: 'not done, silence', write: notDone(SILENCE) },
  {
    name: 'half of the request arrived',
    write: () => ({ forward: [0], awaited: 1, share: 0.5, reply: RESET }),
  },
  {
    name: 'all but the end of the request arrived',
    write: ({ request }) => ({
      forward: [0],
      awaited: 1,
      share: 1 - 2 / (200 + request.operation.length),
      reply: CLOSE,
    }),
  },
  { name: 'done, reset', write: done(RESET) },
  { name: 'done, closed', write: done(CLOSE) },
  { name: 'done, silence', write: done(SILENCE) },
  { name: 'done, the status line cut off', write: made(() => 'HTTP/1.1 2') },
  { name: 'done, the head cut off', write: made((bytes) => share(headOf(bytes), 0.7)) },
  { name: 'done, reset in the head', write: made((bytes) => share(headOf(bytes), 0.5), 'reset') },
  { name: 'done, closed after the head', write: made((bytes) => `${headOf(bytes)}\r\n\r\n`) },
  { name: 'done, reset after the head', write: made((bytes) => `${headOf(bytes)}\r\n\r\n`, 'reset') },
  { name: 'done, silence after the head', write: made((bytes) => `${headOf(bytes)}\r\n\r\n`, 'never') },
  { name: 'done, half of the body', write: made((bytes) => share(bytes, 0.9)) },
  { name: 'done, reset in the body', write: made((bytes) => share(bytes, 0.95), 'reset') },
  { name: 'done, silence in the body', write: made((bytes) => share(bytes, 0.9), 'never') },
  { name: 'done, the last byte missing', write: made((bytes) => bytes.slice(0, -1)) },
  {
    name: 'done, half of the body as a whole one',
    write: made((bytes) => withBody(bytes, (body) => share(body, 0.5))),
  },
  { name: 'done, the code alone', write: made((bytes) => withBody(bytes, (body) => body.slice(0, 14))) },
  { name: 'done, chunks that break off', write: made((bytes) => chunked(bytes, false)) },
  { name: 'done, in chunks', write: made((bytes) => chunked(bytes, true)) },
  {
    name: 'done, in many pieces',
    write: () => ({
      ...{ forward: [0], awaited: 1 },
      reply: { kind: 'part', of: 0, share: 1, pieces: 40, end: 'close' },
    }),
  },
  {
    name: 'done, answered after 1.5 s',
    write: () => ({ forward: [0], awaited: 1, pause: 1_500, reply: { kind: 'answer', of: 0 } }),
  },
  { name: 'done, an empty body', write: made((bytes) => withBody(bytes, () => '')) },
];

const PROTOCOL: readonly CampaignFault[] = [
  ...[100, 102, 103, 199].map((status) => ({
    name: `done, HTTP ${status} before the answer`,
    write: made((bytes) => `HTTP/1.1 ${status} Interim\r\n\r\n${bytes}`),
  })),
  {
    name: 'done, HTTP 101',
    write: made((bytes) => `HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${bytes}`, 'never'),
  },
  { name: 'done, HTTP 100 and silence', write: made(() => 'HTTP/1.1 100 Continue\r\n\r\n', 'never') },
  {
    name: 'not done, HTTP 101',
    write: madeUp(() => 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  },
  { name: 'done, the body without a head', write: made(bodyOf) },
  { name: 'done, an HTTP/2 frame', write: made(() => '\0\0\0\x04\0\0\0\0\0') },
  { name: 'done, a TLS alert', write: made(() => '\x15\x03\x03\0\x02\x02\x28') },
  { name: 'done, a mail server', write: made(() => '220 mail.example ESMTP\r\n') },
  {
    name: 'done, a refusal and the answer',
    write: made((bytes, { request }) => `${refusal(request.operation, 1001)}${bytes}`),
  },
  { name: 'done, broken compression', write: made((bytes) => withHeaders(bytes, 'Content-Encoding: gzip')) },
  { name: 'done, unknown compression', write: made((bytes) => withHeaders(bytes, 'Content-Encoding: zstd-9')) },
  {
    name: 'done, compressed',
    write: made((bytes) =>
      answer('200 OK', gzipSync(Buffer.from(bodyOf(bytes), 'latin1')).toString('latin1'), ['Content-Encoding: gzip']),
    ),
  },
  { name: 'done, two lengths', write: made((bytes) => withHeaders(bytes, 'Content-Length: 7')) },
  { name: 'done, a length and chunks', write: made((bytes) => withHeaders(bytes, 'Transfer-Encoding: chunked')) },
  {
    name: 'done, a length that is too long',
    write: made((bytes) => withHeaders(withoutHeader(bytes, /^content-length/i), 'Content-Length: 9999')),
  },
  {
    name: 'done, a length that is too short',
    write: made((bytes) => withHeaders(withoutHeader(bytes, /^content-length/i), 'Content-Length: 20')),
  },
  { name: 'done, no length', write: made((bytes) => withoutHeader(bytes, /^(content-length|connection|keep-alive)/i)) },
  { name: 'done, a header without a name', write: made((bytes) => withHeaders(bytes, ': nothing')) },
  { name: 'done, a header of 200 kB', write: made((bytes) => withHeaders(bytes, `X-Long: ${'x'.repeat(200_000)}`)) },
  {
    name: 'done, a body of 40 MB',
    write: made((bytes) => withBody(bytes, (body) => `${' '.repeat(40 * 2 ** 20)}${body}`)),
  },
  { name: 'done, an old version of HTTP', write: made((bytes) => bytes.replace('HTTP/1.1', 'HTTP/1.0')) },
  { name: 'done, no reason phrase', write: made((bytes) => bytes.replace('200 OK', '200')) },
];

const REDIRECTS = [301, 302, 303, 307, 308];
const STATUSES = [
  201, 202, 204, 205, 206, 300, 304, 400, 401, 403, 404, 405, 408, 409, 425, 429, 431, 451, 500, 501, 502, 503, 504,
  520, 524, 599,
];

const STATUS_FAULTS: readonly CampaignFault[] = [
  ...STATUSES.map((status) => ({ name: `done, HTTP ${status}`, write: made(() => page(`${status} Status`)) })),
  ...REDIRECTS.map((status) => ({
    name: `done, HTTP ${status} to itself`,
    write: made((_, { request }) => page(`${status} Moved`, [`Location: /api/${request.operation}?again=1`])),
  })),
  {
    name: 'done, a redirect to another host',
    write: made(() => page('302 Found', ['Location: http://127.0.0.1:9/x'])),
  },
  { name: 'done, HTTP 502 with the answer', write: made((bytes) => answer('502 Bad Gateway', bodyOf(bytes))) },
  { name: 'done, HTTP 503, Retry-After', write: made(() => page('503 Busy', ['Retry-After: 1'])) },
  { name: 'done, a page with 200', write: made(() => page('200 OK')) },
  { name: 'done, a page as JSON', write: made(() => answer('200 OK', PAGE)) },
  { name: 'not done, a page with 200', write: notDone({ kind: 'own', bytes: page('200 OK') }) },
  { name: 'not done, HTTP 302', write: notDone({ kind: 'own', bytes: page('302 Found', ['Location: /']) }) },
  { name: 'not done, HTTP 429', write: notDone({ kind: 'own', bytes: page('429 Too Many Requests') }) },
  { name: 'not done, HTTP 504', write: notDone({ kind: 'own', bytes: page('504 Gateway Timeout') }) },
];

/** Each code that a client observed, but 4001: it locks the address for an hour, and has its own place. */
const CODES = [
  ...[1001, 1002, 1003, 1004, 1005, 1006, 1009, 1010, 1012, 1013, 1014],
  ...[2001, 2002, 2003, 2005, 2006, 2007, 2008, 2009],
  ...[3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009, 3010, 3011, 3012, 4002],
];

const REFUSALS: readonly CampaignFault[] = [
  ...CODES.map((code) => ({
    name: `done, refused with ${code}`,
    write: made((_, { request }) => refusal(request.operation, code)),
  })),
  { name: 'done, refused with an unknown code', write: made((_, { request }) => refusal(request.operation, 7777)) },
  { name: 'done, refused with code 0', write: made((_, { request }) => refusal(request.operation, 0)) },
  { name: 'not done, refused with 1002', write: madeUp(({ request }) => refusal(request.operation, 1002)) },
  { name: 'not done, refused with 3007', write: madeUp(({ request }) => refusal(request.operation, 3007)) },
  { name: 'not done, refused with 4002', write: madeUp(({ request }) => refusal(request.operation, 4002)) },
  { name: 'done twice, refused with 2009', write: (around) => done(refusing(around, 2009), 2)(around) },
  { name: 'done twice, refused with 3001', write: (around) => done(refusing(around, 3001), 2)(around) },
  {
    name: 'refused with 2009, and done 500 ms later',
    write: (around) => ({ forward: [500], awaited: 0, reply: refusing(around, 2009) }),
  },
];

function refusing({ request }: Around, code: number): Reply {
  return { kind: 'own', bytes: refusal(request.operation, code) };
}

/** An answer of the exchange in which a text is replaced, as the body of a complete answer. */
function replaced(pattern: RegExp, by: string | ((text: string) => string)): Treat {
  const change = typeof by === 'string' ? () => by : by;
  return made((bytes) => withBody(bytes, (body) => body.replace(pattern, change)));
}

const ORDERING = ['order'];
const NAMING = ['order', 'withdraw'];
const ID = /"id":"?\d+"?/;
const CODE = /"code":"?1000"?/;

const CONTENTS: readonly CampaignFault[] = [
  {
    name: 'done, code 1000 and isSuc false',
    write: made(() => answer('200 OK', '{"code":1000,"message":{"des":"failed","isSuc":false}}')),
  },
  {
    name: 'done, code 1001 and isSuc true',
    write: made(() => answer('200 OK', '{"code":1001,"message":{"des":"done","isSuc":true}}')),
  },
  {
    name: 'not done, code 1001 and isSuc true',
    write: madeUp(() => answer('200 OK', '{"code":1001,"message":{"des":"done","isSuc":true}}')),
  },
  { name: 'done, two codes, the first 1000', write: replaced(CODE, '"code":1000,"code":1001') },
  { name: 'done, two codes, the last 1000', write: replaced(CODE, '"code":1001,"code":1000') },
  { name: 'done, no code', write: replaced(/"code":"?1000"?,/, '') },
  {
    name: 'done, a code of another type',
    write: replaced(CODE, (text) => (text.endsWith('"') ? '"code":1000' : '"code":"1000"')),
  },
  { name: 'done, a code with a fraction', write: replaced(CODE, '"code":1000.0') },
  { name: 'done, code null', write: replaced(CODE, '"code":null') },
  { name: 'done, code true', write: replaced(CODE, '"code":true') },
  { name: 'done, a byte order mark', write: made((bytes) => withBody(bytes, (body) => `\xef\xbb\xbf${body}`)) },
  { name: 'done, text after the JSON', write: made((bytes) => withBody(bytes, (body) => `${body}<!-- cached -->`)) },
  { name: 'done, JSONP', write: made((bytes) => withBody(bytes, (body) => `callback(${body});`)) },
  { name: 'done, in an array', write: made((bytes) => withBody(bytes, (body) => `[${body}]`)) },
  { name: 'done, an empty object', write: made((bytes) => withBody(bytes, () => '{}')) },
  { name: 'done, null', write: made((bytes) => withBody(bytes, () => 'null')) },
  { name: 'done, the text ok', write: made((bytes) => withBody(bytes, () => '"ok"')) },
  { name: 'done, 100,000 brackets', write: made((bytes) => withBody(bytes, () => '['.repeat(100_000))) },
  { name: 'done, UTF-16', write: made((bytes) => withBody(bytes, (body) => body.replace(/(.)/g, '$1\0'))) },
  {
    name: 'done, the request echoed in a refusal',
    write: made((_, { request }) =>
      refusal(request.operation, 3005, `bad ${new URLSearchParams(request.parameters).toString()}`),
    ),
  },
  { name: 'done, no id', writes: NAMING, write: replaced(/,"id":"?\d+"?/, '') },
  { name: 'done, an empty id', writes: NAMING, write: replaced(ID, '"id":""') },
  { name: 'done, id null', writes: NAMING, write: replaced(ID, '"id":null') },
  { name: 'done, a negative id', writes: NAMING, write: replaced(ID, '"id":"-1"') },
  { name: 'done, id 0', writes: NAMING, write: replaced(ID, '"id":"0"') },
  {
    name: 'done, the id as a rounded number',
    writes: NAMING,
    write: replaced(ID, (text) => `"id":${Number(/\d+/.exec(text)?.[0])}`),
  },
  { name: 'done, an id that nothing has', writes: ORDERING, write: replaced(ID, '"id":"202001011234567890"') },
  {
    name: 'not done, an id that nothing has',
    writes: ORDERING,
    write: madeUp(() => answer('200 OK', '{"code":"1000","message":"ok","id":"202001011234567890"}')),
  },
  { name: 'done, the ids in reverse', writes: ['orderMoreV2'], write: idsChanged((ids) => [...ids].reverse()) },
  { name: 'done, an id missing', writes: ['orderMoreV2'], write: idsChanged((ids) => ids.slice(1)) },
  { name: 'done, no ids', writes: ['orderMoreV2'], write: idsChanged(() => []) },
  { name: 'done, an id too many', writes: ['orderMoreV2'], write: idsChanged((ids) => [...ids, '202001011234567890']) },
  {
    name: 'done, an id twice',
    writes: ['orderMoreV2'],
    write: idsChanged(([first = '', , ...ids]) => [first, first, ...ids]),
  },
  { name: 'done, the ids as text', writes: ['orderMoreV2'], write: idsChanged((ids) => ids.map((id) => `"${id}"`)) },
];

function idsChanged(change: (ids: readonly string[]) => readonly string[]): Treat {
  return replaced(/"data":\[([\d,]*)\]/, (text) => `"data":[${change(text.slice(8, -1).split(',')).join(',')}]`);
}

/** The answer of another write in place of the own one. */
function stale(times: number, isElsewhere = false): Treat {
  return ({ earlier }) => {
    const bytes = earlier(isElsewhere);
    if (bytes === undefined) return undefined;
    return {
      forward: Array.from({ length: times }, () => 0),
      awaited: times,
      reply: { kind: 'own', bytes: answer('200 OK', bodyOf(bytes)) },
    };
  };
}

const STALE: readonly CampaignFault[] = [
  { name: 'done, the answer of an earlier write', write: stale(1) },
  { name: 'not done, the answer of an earlier write', write: stale(0) },
  { name: 'done, the answer of another market', write: stale(1, true) },
  { name: 'not done, the answer of another market', write: stale(0, true) },
  { name: 'done twice, the answer of an earlier write', write: stale(2) },
];

/** Forwarded at these moments, in ms; the client gets the reply after the first `awaited`. */
function at(forward: readonly number[], awaited: number, reply: Reply): Treat {
  return () => ({ forward, awaited, reply });
}

const ANSWER: Reply = { kind: 'answer', of: 0 };

const LATE: readonly CampaignFault[] = [
  { name: 'held for 1 s, done and answered', write: at([1_000], 1, ANSWER) },
  { name: 'reset, and done 500 ms later', write: at([500], 0, RESET) },
  { name: 'closed, and done 1.5 s later', write: at([1_500], 0, CLOSE) },
  { name: 'silence, and done 2 s later', write: at([2_000], 0, SILENCE) },
  {
    name: 'reset, and done as late as the exchange accepts',
    write: ({ tolerance }) => ({ forward: [tolerance - 300], awaited: 0, reply: RESET }),
  },
  {
    name: 'reset, and too late for the exchange',
    write: ({ tolerance }) => ({ forward: [tolerance + 600], awaited: 0, reply: RESET }),
  },
];

const DUPLICATIONS: readonly CampaignFault[] = [
  { name: 'done twice, the first answer', write: at([0, 0], 2, ANSWER) },
  { name: 'done twice, the second answer', write: at([0, 0], 2, { kind: 'answer', of: 1 }) },
  { name: 'done twice, reset', write: at([0, 0], 2, RESET) },
  { name: 'done twice, a page', write: at([0, 30], 2, { kind: 'own', bytes: page('200 OK') }) },
  { name: 'done three times, the first answer', write: at([0, 0, 0], 3, ANSWER) },
  { name: 'done three times, closed', write: at([0, 20, 40], 3, CLOSE) },
  { name: 'done five times, the last answer', write: at([0, 0, 0, 0, 0], 5, { kind: 'answer', of: 4 }) },
  { name: 'answered, and done again 40 ms later', write: at([0, 40], 1, ANSWER) },
  { name: 'answered, and done again 1 s later', write: at([0, 1_000], 1, ANSWER) },
  {
    name: 'answered, and done again as late as the exchange accepts',
    write: ({ tolerance }) => ({ forward: [0, tolerance - 300], awaited: 1, reply: ANSWER }),
  },
  { name: 'reset, and done again 1 s later', write: at([0, 1_000], 1, RESET) },
  { name: 'silence, and done again 2 s later', write: at([0, 2_000], 1, SILENCE) },
  { name: 'reset, and done twice later', write: at([600, 1_200], 0, RESET) },
];

const LOOKUP = ['lookup'] as const;
const LIST = ['list'] as const;
const READS = ['lookup', 'list'] as const;
const LOST = done(RESET);
const TWICE = at([0, 0], 2, ANSWER);

/** What happens to reads while pit finds out. */
const READ_FAULTS: readonly CampaignFault[] = [
  ...(
    [
      ['reset', notDone(RESET)],
      ['closed', notDone(CLOSE)],
      ['silent', notDone(SILENCE)],
      ['answered with 502', notDone({ kind: 'own', bytes: page('502 Bad Gateway') })],
      ['answered with 429', notDone({ kind: 'own', bytes: page('429 Too Many Requests') })],
      ['answered with a page', notDone({ kind: 'own', bytes: page('200 OK') })],
      ['cut off', made((bytes) => share(bytes, 0.9))],
      ['refused with 1002', madeUp(({ request }) => refusal(request.operation, 1002))],
      ['refused with 4002', madeUp(({ request }) => refusal(request.operation, 4002))],
      ['answered after HTTP 103', made((bytes) => `HTTP/1.1 103 Hints\r\n\r\n${bytes}`)],
      ['answered with HTTP 101', made(() => 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')],
      ['slow', () => ({ forward: [0], awaited: 1, pause: 1_500, reply: ANSWER }) as const],
    ] satisfies [string, Treat][]
  ).flatMap(([name, treat]): CampaignFault[] => [
    { name: `done, reset, reads ${name}`, write: LOST, read: { of: READS, ms: 2_500, treat } },
    { name: `done twice, reads ${name}`, write: TWICE, read: { of: READS, ms: 2_500, treat } },
  ]),
  {
    name: 'done, reset, the order not found for 1.5 s',
    write: LOST,
    read: {
      of: LOOKUP,
      ms: 1_500,
      treat: madeUp(({ request }) => refusal(request.operation, 3001, 'order not found')),
    },
  },
  { name: 'done, reset, the list 1.5 s behind', write: LOST, read: { of: LIST, ms: 3_000, treat: lagging(1_500) } },
  {
    name: 'done, answered, the list 1.5 s behind',
    write: at([0], 1, ANSWER),
    read: { of: LIST, ms: 3_000, treat: lagging(1_500) },
  },
  { name: 'done twice, the list 1.5 s behind', write: TWICE, read: { of: LIST, ms: 3_000, treat: lagging(1_500) } },
  {
    name: 'done, reset, an empty list for 2.5 s',
    write: LOST,
    read: { of: LIST, ms: 2_500, treat: made((bytes) => withBody(bytes, emptied)) },
  },
];

/** A list without its rows; a page of withdrawals says how many there are. */
function emptied(body: string): string {
  if (body.startsWith('[')) return '[]';
  return body.replace(/"list":\[.*\]/s, '"list":[]').replace(/"total(Count|Page)":\d+/g, '"total$1":0');
}

function lagging(ms: number): Treat {
  return ({ lagging: rows }) => ({
    ...{ forward: [0], awaited: 1 },
    reply: { kind: 'made', make: async () => answer('200 OK', await rows(ms)), end: 'close' },
  });
}

const HOUR = 3_600_000;

/** Jumps of this machine's clock while a command runs. The names say when, and what happens to the write meanwhile. */
const CLOCKS: readonly CampaignFault[] = [
  ...(
    [
      ['an hour ahead', { after: 0, jump: HOUR }],
      ['an hour behind', { after: 0, jump: -HOUR }],
      ['twice as fast', { after: 0, jump: 0, speed: 2 }],
      ['standing still', { after: 0, jump: 0, speed: 0 }],
      ['10 min forward after 1 s', { after: 1_000, jump: 600_000 }],
      ['10 min back after 1 s', { after: 1_000, jump: -600_000 }],
      ['a day forward after 2 s', { after: 2_000, jump: 24 * HOUR }],
      ['a day back after 2 s', { after: 2_000, jump: -24 * HOUR }],
    ] satisfies [string, Clock][]
  ).flatMap(([name, clock]): CampaignFault[] => [
    { name: `clock ${name}, done twice`, clock, home: name, write: at([0, 0], 2, ANSWER) },
    {
      name: `clock ${name}, done, reset after 1.5 s`,
      clock,
      home: name,
      write: () => ({ forward: [0], awaited: 1, pause: 1_500, reply: RESET }),
    },
    { name: `clock ${name}, reset, and done 1.5 s later`, clock, home: name, write: at([1_500], 0, RESET) },
  ]),
  ...(['ahead', 'behind'] as const).map((name) => ({
    name: `done, reset, the Date of answers an hour ${name}`,
    write: LOST,
    read: { of: READS, ms: 2_500, treat: made((bytes) => withDate(bytes, name === 'ahead' ? HOUR : -HOUR)) },
    home: `date ${name}`,
  })),
];

function withDate(bytes: string, by: number): string {
  return withHeaders(withoutHeader(bytes, /^date:/i), `Date: ${new Date(Date.now() + by).toUTCString()}`);
}

/** Twenty equal orders at once; the network treats five of them so. */
const CROWDS: readonly CampaignFault[] = (
  [
    {
      name: 'equal orders, some done twice, the first answer',
      isCrowd: true,
      write: at([0, 0], 2, ANSWER),
    },
    {
      name: 'equal orders, some done twice, the second answer',
      isCrowd: true,
      write: at([0, 0], 2, { kind: 'answer', of: 1 }),
    },
    { name: 'equal orders, some done again 1 s later', isCrowd: true, write: at([0, 1_000], 1, ANSWER) },
    { name: 'equal orders, some done, reset', isCrowd: true, write: LOST },
    {
      name: 'equal orders, some done twice, refused with 2009',
      isCrowd: true,
      write: (around) => done(refusing(around, 2009), 2)(around),
    },
  ] satisfies CampaignFault[]
).map((kind, index) => ({ ...kind, home: `crowd${index}` }));

/** Every kind, each with one name for all operations that it can meet. */
export const CAMPAIGN_FAULTS: readonly CampaignFault[] = [
  ...CONNECTIONS,
  ...PROTOCOL,
  ...STATUS_FAULTS,
  ...REFUSALS,
  ...CONTENTS,
  ...LATE,
  ...DUPLICATIONS,
  ...READ_FAULTS,
  ...STALE,
  ...CROWDS,
  ...CLOCKS,
];

/** The writes of each operation, by the interface's names. */
const WRITES: Readonly<Record<Operation, readonly string[]>> = {
  equals: ['order'],
  order: ['order'],
  withdraw: ['withdraw'],
  batch: ['orderMoreV2'],
  cancel: ['cancelOrder'],
  replace: ['cancelOrder', 'order'],
};

const READ_BY: Readonly<Record<Operation, readonly ('lookup' | 'list')[]>> = {
  equals: [],
  order: ['lookup', 'list'],
  withdraw: ['list'],
  batch: ['list'],
  cancel: ['lookup'],
  replace: ['lookup', 'list'],
};

/** Whether a kind of fault can meet an operation. */
export function meets({ writes, read, isCrowd = false }: CampaignFault, operation: Operation): boolean {
  if (isCrowd !== (operation === 'equals')) return false;
  const isWritten = writes === undefined || WRITES[operation].some((write) => writes.includes(write));
  return isWritten && (read === undefined || READ_BY[operation].some((one) => read.of.includes(one)));
}

/** A CommonJS module that gives a process the clock. */
export function clockModule({ after, jump, speed = 1 }: Clock): string {
  return `
    const { now } = Date;
    const start = now();
    const shift = () => (performance.now() < ${after} ? 0 : ${jump} + (${speed} - 1) * (now() - start));
    globalThis.Date = class extends Date {
      constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given); }
      static now() { return Math.round(now() + shift()); }
    };`;
}
